"""The spellings of choices, and the patterns that find them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.answer_text import shorn
from protocols.choice_answers import beginning, judged, same_choice, spelled

LETTERS = ("A", "B", "C")
WORDS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
BRACKETS = ("(A)", "(B)")
NUMBERS = ("-1", "0", "1")


@pytest.mark.parametrize(
    ("line", "choices", "choice"),
    [
        ("B", LETTERS, "B"),
        (" **b**. ", LETTERS, "B"),
        ("(B)", LETTERS, "B"),
        ("Ｂ", LETTERS, "B"),
        ("BB", LETTERS, None),
        ("", LETTERS, None),
        ("refutes", WORDS, "REFUTES"),
        ("Not  Enough Info!", WORDS, "NOT ENOUGH INFO"),
        ("enough info", WORDS, None),
        ("b", BRACKETS, "(B)"),
        ("(b)", BRACKETS, "(B)"),
        ("-1", NUMBERS, "-1"),
        ("1", NUMBERS, "1"),
    ],
)
def test_a_line_is_a_choice(line: str, choices: tuple[str, ...], choice: str | None) -> None:
    """Capitals, marks and wide letters make no difference; nothing else is a choice."""
    assert choice == same_choice(line, choices)


@pytest.mark.parametrize(
    ("written", "choice"),
    [("not_enough_info", "NOT ENOUGH INFO"), ("Not-Enough-Info", "NOT ENOUGH INFO"), ("notenoughinfo", None)],
)
def test_low_lines_and_hyphens_are_blanks(written: str, choice: str | None) -> None:
    """A label as programs write it is the label."""
    assert choice == spelled(written, WORDS)


@pytest.mark.parametrize(
    ("text", "choices", "found"),
    [
        ("Very negative.", ("negative", "very negative"), "Very negative"),
        ("negative", ("negative", "very negative"), "negative"),
        ("not  enough info", WORDS, "not  enough info"),
        ("B) Paris", BRACKETS, "B"),
        ("a.b", ("a.b", "axb"), "a.b"),
        ("C++", ("C", "C++"), "C++"),
    ],
)
def test_the_longest_choice_is_found_first(text: str, choices: tuple[str, ...], found: str) -> None:
    """A choice that begins another one does not hide it, and its marks are no pattern."""
    match = beginning(choices).match(text)

    assert match is not None
    assert found == match[0]


@pytest.mark.parametrize(
    ("text", "choice", "is_denied"),
    [
        ("B is correct", "B", False),
        ("B is the correct answer", "B", False),
        ("**B) Paris** is the best option", "B", False),
        ("(B) is clearly right", "B", False),
        ("B is not correct", "B", True),
        ("B is wrong", "B", False),
        ("B must be the answer", "B", False),
    ],
)
def test_a_choice_that_is_judged(text: str, choice: str, is_denied: bool) -> None:
    """The judgement names the choice, the word about it, and a "not" before that."""
    found = judged(LETTERS).search(text)

    assert found is not None
    assert (choice, is_denied) == (found["choice"], bool(found["not"]))


@pytest.mark.parametrize(
    "text", ["B cells are the best", "AB is correct", "B. It rains. This is correct", "B's is right"]
)
def test_what_judges_no_choice(text: str) -> None:
    """Another word, another sentence and a longer name are not judged as the choice."""
    assert judged(LETTERS).search(text) is None


@given(st.lists(st.text(max_size=12).filter(shorn), min_size=2, max_size=6, unique=True).map(tuple))
def test_any_choices_make_patterns(choices: tuple[str, ...]) -> None:
    """Whatever the choices hold beside marks, they are text and no pattern."""
    assert beginning(choices).search("") is None
    assert judged(choices).search("") is None
    assert same_choice(choices[0], choices) is None or same_choice(choices[0], choices) in choices
