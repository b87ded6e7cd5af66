"""What words alone give away: the patterns named, and whether a reply accuses (seed 000, section 5.4)."""

import pytest
from pydantic import JsonValue

from protocols.fire_circle.keywords import category, is_accusing, read_patterns
from protocols.fire_circle.model import PatternType


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
        *("", "I cannot tell.", "role", "role_confusions", "xrole_confusion", "none of these"),
        *("role_confusion or false_authority", "role_confusion, else unclassified", "This is not role_confusion."),
        "It isn't role confusion.",
    ],
)
def test_without_one_category_there_is_no_answer(text: str) -> None:
    """None, several, or one that is denied are no answer."""
    assert category(text) is None


def test_unclassified_is_an_answer() -> None:
    """A classifier may say that a pattern is of no type."""
    assert "unclassified" == category("It is unclassified.")


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
def test_an_accusation_is_received(text: str) -> None:
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
