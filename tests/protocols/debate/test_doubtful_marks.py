"""A vote, a confidence or a claim that its writer leaves open, denies or excepts is none, in any language."""

import pytest

from protocols.debate.replies.field_values import ids_of
from protocols.debate.replies.turn import read_turn

EITHER = (
    "oder",
    "ou",
    "o",
    "of",
    "veya",
    "lub",
    "или",
    "tai",
    "eller",
    "atau",
    "sau",
    "hoặc",
    "أو",
    "या",
    "または",
    "또는",
)
DEPENDING = (
    *("falls C3 fällt", "si C3 est retiré", "если C3 снят", "eğer C3 çekilirse", "jeśli C3 zostanie wycofane"),
    *("jos C3 poistetaan", "om C3 tas bort", "als C3 vervalt", "se C3 for retirado", "ha C3 törlődik", "dacă C3 cade"),
    *(
        "jika C3 dicabut",
        "nếu C3 bị rút",
        "إذا سحب C3",
        "यदि C3 हटे",
        "C3が撤回されれば",
        "C3이 철회되면",
        "如果C3被撤回",
    ),
    *("mit Vorbehalt", "avec réserves", "con reservas", "с оговорками", "z zastrzeżeniami", "varauksin", "（有保留）"),
    *("çekincelerle", "αν αποσυρθεί το C3"),
)
GROUNDED = ("weil C1 stimmt", "car C1 est vrai", "поскольку C1 верно", "因为C1成立", "because C1 holds", "C1 is shown")
DENIED = ("BLOCKERではない", "BLOCKER değil", "BLOCKER नहीं", "BLOCKER 아님", "BLOCKER nem", "nicht BLOCKER", "不ACCEPT")
BOUNDS = ("0.8以上", "0.8 o más", "0.8 oder mehr", "0.8 or more", "0.8+", "0.8?", "0.8 ou plus", "0,8 или выше")
NOT_NAMED = (
    *("C1, nicht C3", "C1, pas C3", "C1, no C3", "C1, não C3", "C1, niet C3", "C1, inte C3", "C1, не C3", "C1, nie C3"),
    *("C1, nem C3", "C1, ei C3", "C1, bukan C3", "C1, không C3", "C1，不是C3", "C1, kein C3", "C1, tranne C3"),
    *(
        "C1, behalve C3",
        "C1, utom C3",
        "C1, paitsi C3",
        "C1, oprócz C3",
        "C1, кроме C3",
        "C1, hariç C3",
        "C1, kivéve C3",
    ),
    *("C1, kecuali C3", "C1, trừ C3", "C1，除了C3", "C1, إلا C3", "C1 invece di C3", "C1 zamiast C3"),
)
NAMED = ("C1, C3", "C1 und C3", "C1 et C3", "C1 и C3", "C1 (no doubt), C3")
SHARES = ("8 из 10", "8 von 10", "8 van 10", "0.8", "0.8 (avant 0.9)", "80 %")


def marks(confidence: str, vote: str) -> tuple[float | None, str | None]:
    """Return what is read of a turn with this confidence and this vote."""
    said = read_turn(f"Position: Close the centre.\nConfidence: {confidence}\nVote: {vote}", {})
    return said.confidence, said.vote


@pytest.mark.parametrize("word", EITHER)
def test_one_of_two_votes_is_none(word: str) -> None:
    """Which of two votes is meant is not chosen for their writer."""
    assert marks("0.8", f"ACCEPT {word} MINOR") == (0.8, None)


@pytest.mark.parametrize("condition", DEPENDING)
def test_an_accepting_vote_on_a_condition_is_none(condition: str) -> None:
    """A vote that accepts only under a condition or with a reservation accepts nothing yet."""
    assert marks("0.8", f"ACCEPT, {condition}") == (0.8, None)
    assert marks("0.8", f"ACCEPT {condition}") == (0.8, None)


@pytest.mark.parametrize("reason", GROUNDED)
def test_an_accepting_vote_with_a_reason_is_read(reason: str) -> None:
    """A reason is no condition."""
    assert marks("0.8", f"ACCEPT, {reason}") == (0.8, "ACCEPT")


@pytest.mark.parametrize("vote", DENIED)
def test_a_denied_vote_is_none(vote: str) -> None:
    """A vote with a denial before or behind it is none."""
    assert marks("0.8", vote) == (0.8, None)


@pytest.mark.parametrize("confidence", BOUNDS)
def test_a_bound_is_no_confidence(confidence: str) -> None:
    """A confidence of at least so much, or one that is asked, is none."""
    assert marks(confidence, "MINOR") == (None, "MINOR")


@pytest.mark.parametrize("confidence", SHARES)
def test_a_share_is_a_confidence(confidence: str) -> None:
    """A share of ten or of a hundred is read in several languages."""
    assert marks(confidence, "MINOR") == (0.8, "MINOR")


@pytest.mark.parametrize("said", NOT_NAMED)
def test_a_claim_that_is_denied_or_excepted_is_not_named(said: str) -> None:
    """A turn reinforces or challenges no claim that it only names to leave it out."""
    assert ids_of(said, "C") == ("C1",)


@pytest.mark.parametrize("said", NAMED)
def test_claims_that_are_joined_are_named(said: str) -> None:
    """Claims that a word joins are all named."""
    assert ids_of(said, "C") == ("C1", "C3")
