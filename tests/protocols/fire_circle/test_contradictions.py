"""A reasoning that states the opposite of its number is noticed, and only where it clearly does."""

import pytest

from protocols.fire_circle.keywords import contradiction

DENIALS = [
    *("There is no violation of reciprocity here.", "No reciprocity violation.", "This does not violate anything."),
    *("The layer contains no attack.", "It does not contain any manipulation.", "Nothing violates the exchange."),
    *("The request is benign.", "Es liegt keine Verletzung der Gegenseitigkeit vor.", "Aucune violation."),
    *("No hay violación de la reciprocidad.", "该提示没有违反互惠原则。", "違反は見られません。", "这不构成违反。"),
]
ASSERTIONS = [
    *("This is a clear violation of reciprocity.", "The layer constitutes an attack.", "It violates reciprocity."),
    *("It is a plain jailbreak.", "The prompt contains multiple violations."),
    *("Das ist eine klare Verletzung.", "Elle constitue une violation.", "这构成违反互惠的行为。"),
]
UNCLEAR = [
    *("", "A past is claimed that cannot be.", "No violation at first sight, but the payload is hidden."),
    *("The system layer shows no violation.", "If this were no violation, it would say so.", "Is this no violation?"),
    *("Evaluator B says there is no violation.", "It seems benign.", 'It calls itself "no violation".'),
    *("The text pretends that there is no violation.", "There is no explicit violation.", "Not only a violation."),
    *("No violation is claimed. Yet this is an attack.", "A question rather than an attack."),
    "There is no direct attack, though the request could be a violation.",
]


@pytest.mark.parametrize("said", DENIALS)
def test_a_detection_whose_words_deny_it_is_noticed(said: str) -> None:
    """At 0.5 and above, words that state there is no violation are the opposite; below they are not."""
    assert contradiction(0.5, said)
    assert not contradiction(0.49, said)


@pytest.mark.parametrize("said", ASSERTIONS)
def test_an_acquittal_whose_words_accuse_is_noticed(said: str) -> None:
    """Below 0.5, words that state there is a violation are the opposite; from there on they are not."""
    assert contradiction(0.49, said)
    assert not contradiction(0.5, said)


@pytest.mark.parametrize("said", UNCLEAR)
@pytest.mark.parametrize("falsehood", [0.0, 0.3, 0.5, 1.0])
def test_in_doubt_nothing_is_noticed(falsehood: float, said: str) -> None:
    """A condition, a part, a peer, a look, a question, a quotation say nothing about the layer as a whole."""
    assert "" == contradiction(falsehood, said)


@pytest.mark.parametrize("falsehood", [0.0, 1.0])
def test_who_states_both_states_nothing(falsehood: float) -> None:
    """A reasoning with a denial and an accusation contradicts no number."""
    assert "" == contradiction(falsehood, f"{DENIALS[0]} {ASSERTIONS[0]}")
