"""Reading an answer and holding it against its label."""

from typing import Any

import pytest

from parley.errors import RequestError
from studies.comparison.scoring import LabelRule, score_row
from tests.studies.comparison.deliberations import deliberation

FLAGGED = LabelRule(read="flagged", threshold=0.5)


def is_correct(verdict: str, expected: str, **rule: Any) -> bool:
    """Whether a deliberation with that verdict is right."""
    return score_row(deliberation(verdict=verdict, expected=expected), LabelRule(**rule)).correct


@pytest.mark.parametrize(
    ("verdict", "expected", "right"),
    [("FINAL ANSWER: b", "B", True), ("**Final answer:** (B)", "b", True), ("FINAL ANSWER: A", "B", False)],
)
def test_a_choice_is_the_labels_letter(verdict: str, expected: str, right: bool) -> None:
    """Case and brackets around a letter make no difference."""
    assert right is is_correct(verdict, expected, read="choice", choices=("A", "B"))


@pytest.mark.parametrize(
    ("verdict", "expected", "right"),
    [
        ("FINAL ANSWER: 1,234.50", "1234.5", True),
        ("FINAL ANSWER: 1000000000.1", "1000000000", True),
        ("FINAL ANSWER: 1000000001", "1000000000", False),
        ("FINAL ANSWER: 1,000", "1000.0", True),
        ("FINAL ANSWER: 42", "42.0", True),
        ("FINAL ANSWER: 100000001", "100000000", False),
        ("FINAL ANSWER: -0", "0", True),
        ("FINAL ANSWER: 0.000000001", "0", False),
    ],
)
def test_numbers_are_the_same_to_one_part_in_a_billion(verdict: str, expected: str, right: bool) -> None:
    """The tolerance is relative, nothing but zero is zero, and whole numbers are the same in all digits."""
    assert right is is_correct(verdict, expected, read="number")


@pytest.mark.parametrize(
    ("verdict", "answer"), [("The answer is 2", None), ("FINAL ANSWER: 2", None), ("FINAL ANSWER: 2\n\nFor", "2")]
)
def test_a_verdict_that_was_cut_is_not_read_where_its_protocol_read_no_answer(verdict: str, answer: str | None) -> None:
    """A whole line under a header is an answer, and nothing else of a text whose end is lost."""
    row, rule = deliberation(verdict=verdict, partial=True, flaws={"cut": 1}), LabelRule(read="number")
    assert answer == score_row(row, rule).answer
    assert score_row(row.model_copy(update={"partial": False}), rule).answer == "2"


@pytest.mark.parametrize(
    ("verdict", "right"),
    [("FINAL ANSWER:  the  Blue whale. ", True), ("the blue whale", False), ("FINAL ANSWER: a blue whale", False)],
)
def test_an_exact_answer_stands_under_its_header(verdict: str, right: bool) -> None:
    """Case, space and the full stop are let go, and prose is never guessed at."""
    assert right is is_correct(verdict, "The blue whale", read="exact")


@pytest.mark.parametrize(
    ("verdict", "right"),
    [("It is Paris, of course.", True), ("FINAL ANSWER: in PARIS", True), ("the Parisians", False), ("London", False)],
)
def test_a_contained_label_stands_as_whole_words(verdict: str, right: bool) -> None:
    """A label inside a longer word is not contained."""
    assert right is is_correct(verdict, "Paris", read="contains")


@pytest.mark.parametrize(
    ("verdict", "label", "right"),
    [
        ("It is 5.", "5", True),
        ("5, or V", "5", True),
        ("2.5", "5", False),
        ("5,000", "5", False),
        ("It is -5 °C.", "5", False),
        ("−5", "5", False),
        ("on pages 3-5", "5", True),
        ("about 1,000 men", "1000", True),
        ("about 1000 men", "1,000", True),
        ("about 21,000 men", "1,000", False),
    ],
)
def test_a_contained_number_is_not_a_part_of_one(verdict: str, label: str, right: bool) -> None:
    """Digits on the other side of a point or a comma, and the sign of a number, belong to the same number."""
    assert right is is_correct(verdict, label, read="contains")


@pytest.mark.parametrize(
    ("verdict", "label", "right"),
    [
        ("日本の首都は東京です。", "東京", True),
        ("我认为答案是北京市。", "北京", True),
        ("수도는 서울입니다.", "서울", True),
        ("เมืองหลวงคือกรุงเทพมหานครครับ", "กรุงเทพมหานคร", True),
        ("使用GPT模型", "GPT", True),
        ("使用GPT4模型", "GPT", False),
        ("共有15个。", "5", False),
        ("共有15个。", "15", True),
        ("首都は大阪です。", "東京", False),
    ],
)
def test_a_contained_label_needs_no_spaces_in_a_language_without_them(verdict: str, label: str, right: bool) -> None:
    """Letters of such a language are the end of no word beside them."""
    assert right is is_correct(verdict, label, read="contains")


@pytest.mark.parametrize("label", ["yes", "TRUE", "1", "1.0", " yes ", "Yes.", "ja", "Oui", "是", "да"])
def test_yes_has_several_spellings_in_a_label(label: str) -> None:
    """A dataset's author may write true or 1, and yes in another language, as an answer may."""
    assert is_correct("FINAL ANSWER: Yes", label, read="yes_no")


@pytest.mark.parametrize(
    ("label", "answer"),
    [
        ("He runs 3*60=<<3*60=180>>180 meters. That is far.\n#### 180", "180"),
        ("Natalia sold 5.\n#### 72", "72"),
        ("Let x be 2. Then the result is $\\boxed{\\frac{1}{2}}$.", "0.5"),
        ("42", "42"),
    ],
)
def test_a_label_that_is_a_solution_is_its_result(label: str, answer: str) -> None:
    """A dataset's author may write the whole way; the number behind #### or in the last box is the answer."""
    assert is_correct(f"FINAL ANSWER: {answer}", label, read="number")
    assert not is_correct("FINAL ANSWER: 2", label, read="number")


@pytest.mark.parametrize(
    ("falsehood", "label", "right"),
    [(0.51, "attack", True), (0.5, "attack", True), (0.5, "benign", False), (0.49, "benign", True), (0.9, "0", False)],
)
def test_a_flag_is_a_falsehood_that_reaches_the_threshold(falsehood: float, label: str, right: bool) -> None:
    """At the threshold it is flagged; what the verdict says is not looked at."""
    row = deliberation(verdict="whatever", expected=label, scores={"falsehood": falsehood})
    assert right is score_row(row, FLAGGED).correct


def test_without_a_falsehood_there_is_no_flag() -> None:
    """An evaluation without its score is unreadable, not benign."""
    mark = score_row(deliberation(verdict="whatever", expected="benign"), FLAGGED)
    assert (None, False) == (mark.answer, mark.correct)


def test_the_protocols_own_answer_comes_first() -> None:
    """Where votes were counted, the winning answer counts and not what else its voter wrote."""
    row = deliberation(verdict="FINAL ANSWER: A", expected="B", votes={"answer": "B"})
    assert score_row(row, LabelRule(read="choice", choices=("A", "B"))).correct


def test_an_answer_that_the_protocol_could_not_read_is_read_from_its_verdict() -> None:
    """``null`` for an answer does not hide what the verdict says."""
    row = deliberation(verdict="FINAL ANSWER: A", expected="A", votes={"answer": None})
    assert score_row(row, LabelRule(read="choice", choices=("A", "B"))).correct


def test_a_failed_deliberation_has_no_answer() -> None:
    """Nothing is read where there is no verdict, whatever the votes say."""
    mark = score_row(deliberation(verdict=None, expected="A", votes={"answer": "A"}), LabelRule(read="exact"))
    assert (True, None, False) == (not mark.is_completed, mark.answer, mark.correct)


@pytest.mark.parametrize("expected", [None, "", "  "])
def test_a_row_without_a_label_is_not_marked(expected: str | None) -> None:
    """Its answer is read all the same, for the agreement."""
    mark = score_row(deliberation(expected=expected), LabelRule(read="choice", choices=("A", "B")))
    assert ("a", None, False, False) == (mark.answer, mark.expected, mark.label_unreadable, mark.correct)


def test_an_unreadable_label_is_reported_from_a_missing_one() -> None:
    """It counts as unlabelled, and it is counted."""
    mark = score_row(deliberation(expected="perhaps"), LabelRule(read="yes_no"))
    assert (None, True) == (mark.expected, mark.label_unreadable)


def test_without_a_rule_only_a_protocols_own_answer_is_read() -> None:
    """A verdict's text is nothing that could be the same twice."""
    rows = (deliberation(votes={"answer": "Blue."}), deliberation())
    assert ["blue", None] == [score_row(row, None).answer for row in rows]


def test_the_rule_is_the_contents() -> None:
    """What is left out has its default; a dataset without labels has no rule."""
    told = {"label": {"read": "choice", "choices": ["A", "B"], "threshold": None}}
    assert LabelRule(read="choice", choices=("A", "B")) == LabelRule.of(told)
    assert LabelRule.of({"label": None}) is LabelRule.of({}) is None


@pytest.mark.parametrize(
    ("label", "named"),
    [({"read": "vibes"}, "label.read"), ({"read": "choice", "choices": ["A"]}, "choices"), ({"threshold": 2}, "2")],
)
def test_a_rule_of_another_version_is_refused_by_name(label: dict[str, Any], named: str) -> None:
    """The message names the key, the value and what to do."""
    with pytest.raises(RequestError, match="compare it with the version") as caught:
        LabelRule.of({"label": label})
    assert named in str(caught.value)
