"""The scorers that compute: what is right, what is wrong, and what is neither."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.scores.answer_scorers import f1_of, find
from studies.scores.scorers import AnswerScorer, F1Scorer, JsonScorer, RegexScorer
from tests.fakes.reported import row

_CHOICE: dict[str, Any] = {"read": "choice", "choices": ("A", "B")}
_ALIASES = AnswerScorer(**_CHOICE, aliases={"A": ("alpha", "the first")})
_NUMBER = AnswerScorer(read="number")
_NUMBERED = AnswerScorer(read="number", aliases={"5": ("five",)})
_CONTAINED = AnswerScorer(read="contains", aliases={"UK": ("Britain",)})


@pytest.mark.parametrize(
    ("scorer", "verdict", "labels", "expected"),
    [
        (AnswerScorer(**_CHOICE), "So it is.\nFINAL ANSWER: A", ["A"], True),
        (AnswerScorer(**_CHOICE), "FINAL ANSWER: B", ["A"], False),
        (AnswerScorer(**_CHOICE), "FINAL ANSWER: B", ["A", "B"], True),
        (AnswerScorer(**_CHOICE), "I cannot say.", ["A"], None),
        (_ALIASES, "**FINAL ANSWER: Alpha**", ["A"], True),
        (_ALIASES, "FINAL ANSWER: the second", ["A"], None),
        (
            AnswerScorer(aliases={"UK": ("Britain", "United Kingdom")}),
            "FINAL ANSWER: Britain.",
            ["United Kingdom"],
            True,
        ),
        (AnswerScorer(read="contains"), "The capital is Canberra, of course.", ["Canberra"], True),
        (AnswerScorer(read="yes_no"), "FINAL ANSWER: yes", ["no"], False),
        (_NUMBER, "FINAL ANSWER: 1,234", ["1234"], True),
        (_NUMBER, "FINAL ANSWER: 3.14", ["3.1416"], False),
        (AnswerScorer(read="number", tolerance=0.01), "FINAL ANSWER: 3.14", ["3.1416"], True),
        (AnswerScorer(read="number", within=2), "FINAL ANSWER: 101.9", ["100"], True),
        (AnswerScorer(read="number", within=2), "FINAL ANSWER: 102.1", ["100"], False),
        (RegexScorer(kind="regex", pattern=r"\bcc-by\b"), "Licence: CC-BY 4.0", [], True),
        (RegexScorer(kind="regex", pattern=r"\bcc-by\b", ignore_case=False), "Licence: CC-BY 4.0", [], False),
        (RegexScorer(kind="regex", pattern="{label}"), "In the cafe\u0301.", ["café"], True),
        (RegexScorer(kind="regex", pattern="cafe\u0301"), "In the café.", [], True),
        (RegexScorer(kind="regex", pattern=r"is {label}$"), "What it is: a+b\nIt is a+b", ["a+b"], True),
        (JsonScorer(kind="json", field="answer.name"), 'So: {"answer": {"name": "Ada"}}', ["ada"], True),
        (JsonScorer(kind="json", field="n"), '{"n": 3} and then {"n": 4.0}', ["4"], True),
        (JsonScorer(kind="json", field="n.0"), '{"n": [true]}', ["true"], True),
        (JsonScorer(kind="json", field="n"), '{"n": ["a",\n "b"]}', ['["a", "b"]'], True),
        (JsonScorer(kind="json", field="n"), '{"m": 3}', ["3"], None),
        (JsonScorer(kind="json", field="n"), "{" * 2_000, ["3"], None),
        (JsonScorer(kind="json", field="n"), '{"n": 12345678901234567891}', ["12345678901234567890"], False),
        (JsonScorer(kind="json", field="n"), '{"n": 0.30000000000000004}', ["0.3"], True),
        (JsonScorer(kind="json", field="n"), '{"n": "1,234"}', ["1234"], True),
        (JsonScorer(kind="json", field="n"), '{"n": "2024.01.02"}', ["2024.01.02"], True),
        (JsonScorer(kind="json", field="n"), '{"n": ["a", "b"]}', ['["a","b"]'], True),
        (JsonScorer(kind="json", field="n"), '{"n": {"y": 2, "x": 1}}', ['{"x":1, "y":2}'], True),
        (_ALIASES, "FINAL ANSWER: A", ["The First"], True),
        (_NUMBERED, "FINAL ANSWER: five", ["five"], True),
        (_NUMBERED, "FINAL ANSWER: 4", ["five"], False),
        (_CONTAINED, "It is Great Britain.", ["UK"], True),
        (_CONTAINED, "It is the UK.", ["Britain"], True),
        (_CONTAINED, "It is Ireland.", ["UK"], False),
    ],
)
def test_right_and_wrong(scorer: Any, verdict: str, labels: list[str], expected: bool | None) -> None:
    """The reading is compared with every accepted answer; an unreadable answer has no value and is not right."""
    found = find(scorer, row(verdict=verdict), labels)
    assert found.value == (None if expected is None else float(expected))
    assert found.outcome == ("unanswered" if expected is None else "scored")
    assert bool(found.correct) is bool(expected)


@pytest.mark.parametrize(
    "scorer",
    [
        AnswerScorer(),
        F1Scorer(kind="f1"),
        JsonScorer(kind="json", field="a"),
        RegexScorer(kind="regex", pattern="{label}"),
    ],
)
def test_without_a_label_nothing_is_right_or_wrong(scorer: Any) -> None:
    """A row without a label is counted apart, whatever was answered."""
    found = find(scorer, row(verdict="FINAL ANSWER: B"), [])
    assert (found.outcome, found.value, found.correct) == ("unlabelled", None, None)


def test_a_deliberation_without_a_verdict_is_wrong_and_has_no_value() -> None:
    """A failed deliberation counts in an accuracy, and in no mean."""
    found = find(_NUMBER, row(verdict=None, stop_reason="participant_lost"), ["3"])
    assert (found.outcome, found.value, found.correct) == ("unanswered", None, False)


def test_an_overlap_without_a_verdict_is_neither_right_nor_wrong() -> None:
    """Else an accuracy of 0, of the failed deliberations alone, would replace the mean overlap."""
    found = find(F1Scorer(kind="f1"), row(verdict=None, stop_reason="participant_lost"), ["Paris"])
    assert (found.outcome, found.value, found.correct) == ("unanswered", None, None)


def test_a_label_that_is_no_answer_is_named() -> None:
    """A label of another kind makes nothing wrong."""
    found = find(_NUMBER, row(verdict="FINAL ANSWER: 3"), ["three or four"])
    assert (found.outcome, found.reason) == ("unlabelled", "the label 'three or four' is no answer")


@given(st.lists(st.sampled_from("abcd"), max_size=8), st.lists(st.sampled_from("abcd"), max_size=8))
def test_f1_is_the_harmonic_mean_of_precision_and_recall(answer: list[str], label: list[str]) -> None:
    """Counted by hand: the words in common, over those of each."""
    both = sum((Counter(answer) & Counter(label)).values())
    expected = float(answer == label == [])
    if both:
        precision, recall = both / len(answer), both / len(label)
        expected = 2 * precision * recall / (precision + recall)
    assert f1_of(" ".join(answer), " ".join(label)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("answer", "label", "expected"),
    [
        ("5.3", "3.5", 0.0),
        ("5", "-5", 0.0),
        ("5", "5%", 0.0),
        ("答案是东京。", "东京", 4 / 7),
        ("東京", "日本", 0.0),
        ("दान", "दिन", 0.0),
        ("Don’t, stop!", "don't stop", 1.0),
    ],
)
def test_a_number_is_one_word_and_so_is_a_letter_where_no_spaces_are(answer: str, label: str, expected: float) -> None:
    """The parts of a number are no words, and a sentence in Chinese is not a single one."""
    assert expected == pytest.approx(f1_of(answer, label))


def test_the_best_of_several_accepted_answers_counts() -> None:
    """An overlap is that with the nearest accepted answer; capitals and punctuation do not count."""
    found = find(F1Scorer(kind="f1"), row(verdict="FINAL ANSWER: The Eiffel Tower!"), ["Louvre", "eiffel tower"])
    assert found.value == pytest.approx(0.8)


@pytest.mark.parametrize("header", ["FINAL ANSWER: ", "最终答案：", "Réponse finale : "])
def test_an_overlap_is_that_of_the_answer_under_the_header(header: str) -> None:
    """The header and what precedes it are no words of the answer, in whatever language the header is."""
    found = find(F1Scorer(kind="f1"), row(verdict=f"Seventeen times twenty-three.\n{header}391"), ["391"])
    assert (found.value, found.label) == (1.0, "391")
