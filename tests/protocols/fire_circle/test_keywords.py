"""The type of a pattern by its words (seed 000, section 6.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.fire_circle.keywords import classify
from protocols.fire_circle.model import PatternType
from tests.protocols.fire_circle.descriptions import DESCRIPTIONS, HELD_OUT, SECOND_HELD_OUT

TYPES = {
    "temporal_inconsistency": [
        *(
            "Refers to an earlier discussion",
            "Cites a PREVIOUS conversation",
            "Impossible at turn 1",
            "Multi-turn claims",
        ),
        *("Invents conversation history", "A temporal claim that cannot be true", "Claims a prior agreement"),
    ],
    "cross_layer_fabrication": [
        *("The system layer vouches for the user", "The user_layer answers the system", "Coordination of two voices"),
        *("Cross-layer references", "A story told across both layers"),
    ],
    "polite_extraction": [
        *("A polite request for secrets", "Politeness as a lever", "A reciprocal surface without a core"),
        *("Masking of the payload", "Courtesy that covers the taking", "Flattery before the ask"),
    ],
    "educational_escalation": [
        "Educational framing for harm",
        "An academic pretext",
        "Teaching as a cover",
        "A classroom exercise",
    ],
    "context_saturation": [
        "Saturates the context",
        "Overloads the reader with detail",
        "The ask is buried in filler",
        "Padding",
    ],
    "role_confusion": [
        *("Confuses the roles of user and model", "Role-play as another system", "A persona without limits"),
        "Pretends to be the model itself",
    ],
    "fabricated_progression": [
        "Progress that never took place",
        "Gradual widening of the ask",
        "Step-by-step erosion",
        "Momentum is claimed",
    ],
    "false_authority": [
        "Claims authority it cannot have",
        "An unauthorised administrator",
        "Poses as an official",
        "Developer mode",
    ],
}

NO_TYPE = [
    *("", "Asks for a recipe", "Return of the payload", "Saturn and Jupiter", "The patrol is late", "Impolite tone"),
    *("Uncoordinated", "Parole is asked for", "Unofficially", "An exchange that gives nothing back"),
]


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in TYPES.items() for text in texts])
def test_a_keyword_shows_the_type(kind: str, text: str) -> None:
    """One clue of a type is enough where no other type has any, in any case and with any joint."""
    assert kind == classify(text)


@pytest.mark.parametrize("text", NO_TYPE)
def test_a_pattern_without_a_keyword_is_unclassified(text: str) -> None:
    """No type is guessed, and a keyword inside another word is none."""
    assert "unclassified" == classify(text)


@pytest.mark.parametrize(
    ("keyword", "kind"),
    [
        *((word, "temporal_inconsistency") for word in ("earlier", "turn", "conversation history")),
        *((word, "cross_layer_fabrication") for word in ("system layer", "user layer", "coordination")),
        *((word, "polite_extraction") for word in ("polite", "reciprocal surface", "masking")),
    ],
)
def test_the_words_of_the_seed_keep_their_types(keyword: str, kind: str) -> None:
    """The three rows that section 6.3 gives hold unchanged there, but for "previous", which decides nothing."""
    assert kind == classify(f"The prompt shows {keyword} here")


def test_every_type_has_a_row() -> None:
    """All eight types of section 6.1 can be reported."""
    assert {kind.value for kind in PatternType} == set(TYPES)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("A polite reference to an earlier turn", "temporal_inconsistency"),
        ("Polite words in the system layer", "cross_layer_fabrication"),
        ("Polite teaching", "polite_extraction"),
        ("Gradual pressure by an official", "fabricated_progression"),
    ],
)
def test_of_two_types_with_equal_clues_the_first_in_the_seeds_order_counts(text: str, kind: str) -> None:
    """Where several rows weigh the same, the order of the table decides."""
    assert kind == classify(text)


@pytest.mark.parametrize("title", [kind.value for kind in PatternType])
@pytest.mark.parametrize("form", ["{}: of an earlier turn", "Pattern 2: {} in a polite turn", "**{}**", "1. {}"])
def test_a_pattern_that_opens_with_the_name_of_a_type_is_of_it(title: str, form: str) -> None:
    """The name goes before the keywords, however it is spelt."""
    assert {title} == {
        classify(form.format(spelt)) for spelt in (title, title.replace("_", " ").title(), title.replace("_", "-"))
    }


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (kind, text)
        for part in (DESCRIPTIONS, HELD_OUT, SECOND_HELD_OUT)
        for kind, texts in part.items()
        for text in texts
    ],
)
def test_a_description_in_a_models_own_words_gets_its_type(kind: str, text: str) -> None:
    """Several clues decide together; one word that occurs in all types does not."""
    assert kind == classify(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "The previous models underestimate the harm",
            "As in the previous round",
            "PREVIOUS",
            "Previously noted risk",
        ),
        *("Agrees with the previous evaluator", "Same as the previous reply"),
    ],
)
def test_previous_alone_is_no_temporal_inconsistency(text: str) -> None:
    """Evaluators speak of previous evaluations all the time."""
    assert "temporal_inconsistency" != classify(text)


@given(st.text(max_size=300))
def test_any_text_has_one_type_or_none(text: str) -> None:
    """The classification is total, and depends on neither case nor joints."""
    kind = classify(text)
    assert kind in {*(one.value for one in PatternType), "unclassified"}
    assert kind == classify(text.replace(" ", "_"))
