"""What was lost or mended on the way to a result, counted and put into words."""

import pytest

from protocols.flaws import (
    DEGRADING,
    KINDS,
    Degraded,
    Flaw,
    FlawKind,
    degraded_of,
    flaw_of,
    summarise,
)
from protocols.model_call import (
    Answered,
    Failed,
    FailureKind,
    LostCall,
    Message,
    ModelCall,
    ModelId,
    ParticipantId,
    ReaderRef,
)

P1, P2 = ParticipantId("p1"), ParticipantId("p2")
MODEL = ModelId("ollama:x")


def flaw(kind: FlawKind, *, seat: ParticipantId = P1, round_number: int = 1) -> Flaw:
    """A flaw of the review."""
    return Flaw(kind=kind, stage="review", round=round_number, participant=seat)


def lost(kind: FailureKind = "timeout", *, seat: ParticipantId = P1) -> LostCall:
    """A call of the review that a result reports as lost."""
    return LostCall(
        participant=seat, model=MODEL, stage="review", kind=kind, error_type="x", message="silent", attempts=1
    )


CALL = ModelCall(
    call_id="review-p1",
    participant=P1,
    model=MODEL,
    stage="review",
    messages=(Message(role="user", content="?"),),
    read_as=ReaderRef(reader="council.ballot"),
)


def answered(finish: str) -> Answered:
    """A reply that ended so."""
    return Answered.model_validate(
        {"call_id": "review-p1", "participant": P1, "model": MODEL, "text": "a", "provider": "ollama", "finish": finish}
    )


def failed(kind: FailureKind) -> Failed:
    """A call that failed so."""
    return Failed(kind=kind, call_id="review-p1", participant=P1, model=MODEL, error_type="x", message="why")


def test_every_kind_is_counted_and_degrading_kinds_come_first_in_words() -> None:
    """The counts follow the fixed order of the kinds, and what is only stated is behind ``also``."""
    found = degraded_of([flaw("asked_again"), flaw("void_ballot"), flaw("refused"), flaw("refused", seat=P2)])
    assert {"refused": 2, "void_ballot": 1, "asked_again": 1} == found.counts
    assert "2 refused, 1 ballot void; also 1 asked again" == found.summary


def test_words_exist_for_every_kind_in_singular_and_plural() -> None:
    """No kind is without words."""
    one, many = summarise(dict.fromkeys(KINDS, 1)), summarise(dict.fromkeys(KINDS, 2))
    assert len(KINDS) == one.count("1 ") == many.count("2 ")
    assert "1 tie broken" in one
    assert "2 ties broken" in many


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_named_kinds_degrade_a_result(kind: FlawKind) -> None:
    """A repeated ask, a mended form, a tie and a contradiction are stated and degrade nothing."""
    told = {"asked_again", "repaired", "tie_broken", "contradicted"}
    assert (kind not in told) == (kind in DEGRADING) == degraded_of([flaw(kind)]).is_degraded


def test_nothing_found_is_not_degraded_and_states_nothing() -> None:
    """A flawless result has no count and no words."""
    assert (False, "", {}) == (Degraded().is_degraded, Degraded().summary, degraded_of([]).counts)


def test_a_reported_loss_counts_once_when_a_flaw_names_its_turn() -> None:
    """A loss is added only where no degrading flaw of the same turn is."""
    found = degraded_of([flaw("void_ballot"), flaw("asked_again", seat=P2)], [lost("unparseable"), lost(seat=P2)])
    assert {"lost": 1, "void_ballot": 1, "asked_again": 1} == found.counts


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("refused", "refused"),
        ("truncated", "cut"),
        ("unparseable", "unread"),
        ("timeout", "lost"),
        ("api_error", "lost"),
        ("rate_limited", "lost"),
        ("budget", "lost"),
    ],
)
def test_a_failed_call_is_the_flaw_that_its_failure_names(kind: FailureKind, expected: FlawKind) -> None:
    """Refused, cut and unread calls are distinguished from lost ones, by the call and by the result alike."""
    found = flaw_of(CALL, failed(kind))
    assert found is not None
    assert (expected, "review", 1, P1, f"{kind}: why") == tuple(found.model_dump().values())
    assert [expected] == [one.kind for one in degraded_of([], [lost(kind)]).flaws]


def test_a_cut_answer_is_a_flaw_and_a_whole_one_is_none() -> None:
    """An answer that ends at its length limit is cut although it can be read."""
    cut = flaw_of(CALL, answered("truncated"))
    assert cut is not None
    assert "cut" == cut.kind
    assert flaw_of(CALL, answered("complete")) is None


def test_a_note_is_one_line_of_at_most_200_characters() -> None:
    """A long note with line breaks is shortened, never refused."""
    found = Flaw(kind="lost", stage="review", participant=P1, note="a\nb " + "x" * 500)
    assert found.note.startswith("a b x")
    assert 200 == len(found.note)


def test_a_result_read_back_counts_the_same() -> None:
    """The flag and the words are in the JSON, and are computed afresh when it is read."""
    found = degraded_of([flaw("guessed")])
    told = found.model_dump(mode="json")
    assert (True, "1 guessed") == (told["is_degraded"], told["summary"])
    assert found == Degraded.model_validate_json(found.model_dump_json())
