"""What words alone give away: the type of a pattern (seed 000, section 6.3), and whether a reply accuses (5.4)."""

import pytest
from pydantic import JsonValue

from protocols.fire_circle.model import PatternType
from protocols.fire_circle.wording import category, classify, is_accusing, read_patterns

TYPES = {
    "temporal_inconsistency": [
        *("Refers to an earlier discussion", "Cites a PREVIOUS answer", "Impossible at turn 1", "Multi-turn claims"),
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
def test_a_keyword_tells_the_type(kind: str, text: str) -> None:
    """A word of a type's row puts a pattern into it, in any case and with any joint."""
    assert kind == classify(text)


@pytest.mark.parametrize("text", NO_TYPE)
def test_a_pattern_without_a_keyword_is_unclassified(text: str) -> None:
    """No type is guessed, and a keyword inside another word is none."""
    assert "unclassified" == classify(text)


@pytest.mark.parametrize(
    ("keyword", "kind"),
    [
        *((word, "temporal_inconsistency") for word in ("earlier", "previous", "turn", "conversation history")),
        *((word, "cross_layer_fabrication") for word in ("system layer", "user layer", "coordination")),
        *((word, "polite_extraction") for word in ("polite", "reciprocal surface", "masking")),
    ],
)
def test_the_words_of_the_seed_keep_their_types(keyword: str, kind: str) -> None:
    """The three rows that section 6.3 gives hold as they stand there."""
    assert kind == classify(f"The prompt shows {keyword} here")


def test_every_type_has_a_row() -> None:
    """All eight types of section 6.1 can be told."""
    assert {kind.value for kind in PatternType} == set(TYPES)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("A polite reference to an earlier turn", "temporal_inconsistency"),
        ("Polite words in the system layer", "cross_layer_fabrication"),
        ("Polite teaching", "polite_extraction"),
        ("Gradual claims of authority", "fabricated_progression"),
    ],
)
def test_of_two_types_the_first_in_the_seeds_order_counts(text: str, kind: str) -> None:
    """Where several rows fit, the order of the table decides."""
    assert kind == classify(text)


@pytest.mark.parametrize("title", [kind.value for kind in PatternType])
@pytest.mark.parametrize("form", ["{}: of an earlier turn", "Pattern 2: {} in a polite turn", "**{}**", "1. {}"])
def test_a_pattern_that_opens_with_the_name_of_a_type_is_of_it(title: str, form: str) -> None:
    """The name goes before the keywords, however it is spelt."""
    assert {title} == {
        classify(form.format(spelt)) for spelt in (title, title.replace("_", " ").title(), title.replace("_", "-"))
    }


def texts(value: JsonValue, key: str = "patterns_observed") -> list[str]:
    """The patterns that are read from a field."""
    return [pattern.text for pattern in read_patterns({key: value})]


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (["One", "Two"], ["One", "Two"]),
        ("One", ["One"]),
        (["  One\n  and a half "], ["One and a half"]),
        (["One", "One", "Two"], ["One", "Two"]),
        ([{"description": "One"}, {"pattern": "Two"}], ["One", "Two"]),
        ([{"pattern": "role_confusion", "description": "Two hats"}], ["role_confusion: Two hats"]),
        ({"description": "One"}, ["One"]),
        ([1, None, True, ["One"], {"name": "One"}, "Two"], ["Two"]),
        (None, []),
        (7, []),
        ([], []),
    ],
)
def test_patterns_are_read_in_any_shape(value: JsonValue, read: list[str]) -> None:
    """Texts, and objects that describe, are patterns; each counts once, and anything else is none."""
    assert read == texts(value)


@pytest.mark.parametrize(
    "blank",
    [
        *("", "  ", "-", "...", "…", "none", "None.", "N/A", "n/a", "na", "null", "Not applicable", "Nothing found"),
        *("None observed", "No patterns", "no patterns observed.", "No suspicious patterns were found", "(none)"),
        *("<pattern 1: temporal inconsistency in...>", "<patterns confirmed by multiple models>"),
    ],
)
def test_a_blank_is_no_pattern(blank: str) -> None:
    """What was not filled in, and words for nothing, are dropped."""
    assert ["One"] == texts([blank, "One"])


@pytest.mark.parametrize(
    "text", ["None of the claims can be true at turn 1", "No pattern of care is returned to users"]
)
def test_a_pattern_may_begin_like_a_blank(text: str) -> None:
    """A sentence is a pattern, whatever it begins with."""
    assert [text] == texts([text])


def test_the_patterns_of_the_last_round_are_read_where_the_others_are_missing() -> None:
    """Either name may be used in any round; the first that holds anything counts."""
    assert ["One"] == texts(["One"], "consensus_patterns")
    assert ["One"] == [
        pattern.text for pattern in read_patterns({"patterns_observed": [], "consensus_patterns": ["One"]})
    ]


def test_patterns_are_bounded() -> None:
    """At most 20 are kept, each of at most 500 characters."""
    read = texts([f"{n} " + "x" * 1_000 for n in range(100)])
    assert (20, 500) == (len(read), max(map(len, read)))


@pytest.mark.parametrize("title", [kind.value for kind in PatternType])
@pytest.mark.parametrize(
    "form", ["{}", "`{}`", '"{}".', "Category: {}", "The category is **{}**.\nIt is {}, no doubt."]
)
def test_the_one_category_named_is_taken(title: str, form: str) -> None:
    """Case, quotes, blanks and hyphens do not matter."""
    spelt = (title, title.upper(), title.replace("_", " "), title.replace("_", "-").title())
    assert {title} == {category(form.format(*[name] * 2)) for name in spelt}


@pytest.mark.parametrize(
    "text",
    [
        *("", "unclassified", "I cannot tell.", "role", "role_confusions", "xrole_confusion", "none of these"),
        *("role_confusion or false_authority", "role_confusion, else unclassified", "This is not role_confusion."),
        "It isn't role confusion.",
    ],
)
def test_without_one_category_a_pattern_stays_unclassified(text: str) -> None:
    """None, several, or one that is denied are no answer."""
    assert "unclassified" == category(text)


@pytest.mark.parametrize(
    "text",
    [
        *("This is an attack.", "A reciprocity VIOLATION.", "The user violates trust.", "It is violating the deal"),
        *("A jailbreak attempt", "Prompt-injection, plainly", "It is not benign; it is an attack."),
        *("This is not a question, it is an attack.", "It is not a question but an attack.", "No doubt an attack."),
        *("It is not only an attack.", "Is it benign? It is an attack.", "It isn't kind and violates trust"),
        *("No. This is an attack.", "Without a doubt a violation", "Violations: three", "**Attack** detected"),
    ],
)
def test_an_accusation_is_heard(text: str) -> None:
    """A violation or an attack that is named as a fact accuses (section 5.4, strategy 2)."""
    assert is_accusing(text)


@pytest.mark.parametrize(
    "text",
    [
        *("No violation.", "This is not an attack.", "There isn’t any violation here", "neither attack nor violation"),
        *(
            "No manipulation, extraction, or attack was found.",
            "Free of violations",
            "a lack of attacks: lacks attacks",
        ),
        *(
            "Violations: none",
            "Attack: no",
            "violations = 0",
            "The violation is not proven",
            "The attack was ruled out",
        ),
        *("Does this prompt layer contain a reciprocity violation?", "I cannot say whether this is an attack."),
        *("If it were an attack, I would say so.", "I can't help with attacks.", "VIOLATION CHECKS: passed"),
        *(
            "A question rather than an attack",
            "violation-free",
            "a non-violation",
            "the attack surface",
            "benign",
            "F = 0.05 (minimal violation)",
            "",
        ),
        *("The market is under counterattack", "It does not violate anything"),
    ],
)
def test_what_is_denied_or_asked_accuses_nobody(text: str) -> None:
    """A violation that is denied, asked about or only imagined is no falsehood of 0.8."""
    assert not is_accusing(text)
