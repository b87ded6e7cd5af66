"""Options in an order of their own for every row and repeat: what is asked, what is recorded, and how it is read."""

import json
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.ledger import LedgerActivities
from ledger.store import Store
from ledger.studies.reading import StudyReader
from ledger.studies.results import ResultRow
from ledger.studies.writing import enter
from parley.errors import RequestError
from protocols.study.input_templates import merged
from studies.comparison.scoring import LabelRule, score_row
from studies.definition.first_row import first_row
from studies.definition.inputs import option_order
from studies.definition.load import LoadedStudy
from studies.scores.answer_scorers import find
from studies.scores.grading import Item, question_of
from studies.scores.scorers import AnswerScorer, GradedScorer
from tests.fakes.entered import line_of
from tests.fakes.study_files import study
from tests.studies.comparison.deliberations import deliberation

LABELS = "ABCD"
STUDY = """\
name = "shuffled"
seed = 7
repeats = 3
[dataset]
path = "questions.csv"
id = "id"
label = "answer"
template = "{prompt} A) {a} B) {b} C) {c} D) {d}"
options = ["a", "b", "c", "d"]
shuffle_options = true
[label]
read = "choice"
choices = ["A", "B", "C", "D"]
[panels.lab]
models = ["rehearsal:one", "rehearsal:two", "rehearsal:three"]
[grid]
protocols = ["council", "single"]
"""
ROWS = 60
QUESTIONS = "id,prompt,a,b,c,d,answer\n" + "".join(
    f"q{row},Which?,w{row}a,w{row}b,w{row}c,w{row}d,{LABELS[row % 4]}\n" for row in range(ROWS)
)


def opened(text: str = STUDY, questions: str = QUESTIONS) -> LoadedStudy:
    """The study of multiple choice."""
    return study(text, questions)


def asked(found: LoadedStudy) -> list[tuple[Any, str]]:
    """Every deliberation with the question that it begins with."""
    templates = {arm.arm: arm.template for arm in found.entered().arms}
    return [(one, str(merged(templates[one.arm], one.changes)["question"])) for one in found.prepared()]


@given(st.integers(0, 2**31 - 1), st.text(max_size=5), st.integers(1, 99), st.lists(st.sampled_from(["x", "y", " "])))
def test_an_order_has_every_option_once(seed: int, row: str, repeat: int, texts: list[str]) -> None:
    """Each place shows one option, the same order comes again, and a blank option keeps its place."""
    order = option_order(seed, row, repeat, texts)

    assert sorted(order) == list(range(len(texts)))
    assert order == option_order(seed, row, repeat, texts)
    assert all(order[at] == at for at, text in enumerate(texts) if not text.strip())


def test_every_option_comes_equally_often_to_every_place() -> None:
    """Over 4,000 rows each of the 24 orders is drawn about 167 times; chi-square at a fixed seed."""
    drawn = Counter(option_order(7, f"q{row}", 1, ["x"] * 4) for row in range(4000))

    assert len(drawn) == 24
    assert sum((n - 4000 / 24) ** 2 / (4000 / 24) for n in drawn.values()) < 49.7  # the quantile at 0.999, 23 degrees


def test_the_first_row_is_shown_as_its_first_repeat_is_asked() -> None:
    """A dry run shows the options in the order in which they are asked, and the label that the right one has there."""
    found = opened()
    shown, (one, question) = first_row(found), asked(found)[0]
    on_page = {own: label for label, own in (one.shown_options or {}).items()}

    assert shown.asked.startswith(question)
    assert (shown.expected, shown.right) == ("A", on_page["A"])
    assert shown.right != "A"


def test_what_is_recorded_is_what_was_asked() -> None:
    """The text under every label is the dataset's under the recorded one; arms see one order, repeats others."""
    orders: dict[tuple[str, int], set[str]] = {}
    for one, question in asked(opened()):
        shown = dict(re.findall(r"([A-D])\) (\w+)", question))
        assert one.shown_options is not None
        assert shown == {label: f"w{one.row_id[1:]}{own.lower()}" for label, own in one.shown_options.items()}
        orders.setdefault((one.row_id, one.repeat), set()).add(json.dumps(one.shown_options))

    assert {len(of_arms) for of_arms in orders.values()} == {1}
    assert len({next(iter(orders["q1", repeat])) for repeat in (1, 2, 3)}) > 1


def _read(one: Any, answer: str) -> Any:
    row = deliberation(
        row_id=one.row_id,
        arm=one.arm,
        repeat=one.repeat,
        expected=LABELS[int(one.row_id[1:]) % 4],
        verdict=f"FINAL ANSWER: {answer}",
        shown_options=one.shown_options,
    )
    return row, score_row(row, LabelRule(read="choice", choices=tuple(LABELS)))


def test_a_model_with_one_answer_for_all_is_right_as_often_as_chance() -> None:
    """A preference for a place earns one in four: 180 answers, within four standard errors of a quarter."""
    single = [one for one in opened().prepared() if one.arm == "single-lab"]
    right = sum(_read(one, "A")[1].correct for one in single)

    assert len(single) == 180
    assert abs(right / 180 - 0.25) < 4 * (0.25 * 0.75 / 180) ** 0.5


def test_a_model_that_knows_the_text_is_always_right() -> None:
    """The answer under the shown label is read as the dataset's; its own label is wrong wherever it moved."""
    for one in opened().prepared():
        label = LABELS[int(one.row_id[1:]) % 4]
        shown = next(place for place, own in one.shown_options.items() if own == label)  # type: ignore[union-attr]  # every one is shuffled
        row, scored = _read(one, shown.lower())

        assert (scored.answer, scored.correct) == (label.lower(), True)
        assert (row.shown_expected, row.as_labelled(row.shown_expected)) == (shown, label)
        assert _read(one, label)[1].correct is (shown == label)


def test_scorers_and_graders_see_what_was_shown() -> None:
    """An alias, a regular expression and the reference of a grader mean the option, not the letter of the dataset."""
    row = deliberation(
        expected="A",
        verdict="FINAL ANSWER: the third",
        question="Which?",
        shown_options=dict(zip(LABELS, "CDAB", strict=True)),
    )
    named = AnswerScorer(read="choice", choices=tuple(LABELS), aliases={"C": ("the third",)})

    assert find(named, row, ("A",)).correct
    assert find(named, row, ("C",)).correct is False
    assert "C" in question_of(
        GradedScorer(kind="graded", template="{reference}{question}{answer}{low}{high}"), Item("x", row)
    )
    assert row.as_shown("A") == "C"
    assert row.as_labelled("c") == "A"
    assert row.as_shown("none of these") == "none of these"


async def test_the_order_is_kept_with_the_result(store: Store, url: str) -> None:
    """The ledger has it with the instance, and a result that was not shuffled has none."""
    found = opened()
    await enter(store, found.entered(), found.rows(), found.prepared(), found.rejected)
    first = next(found.prepared())
    await LedgerActivities(store).record_deliberation(line_of(first, verdict="FINAL ANSWER: A"))
    async with StudyReader(url) as reader:
        (ended,) = [row async for row in reader.results("shuffled")]
        waiting = await reader.missing("shuffled")

    assert ended.shown_options == first.shown_options
    assert all(sorted(row.shown_options) == list(LABELS) for row in waiting)
    assert ResultRow.model_fields["shown_options"].get_default(call_default_factory=True) == {}


def test_a_study_is_another_one_when_its_options_are_shuffled() -> None:
    """What is asked differs, so it is no change of a running study; without it nothing is recorded."""
    plain = opened(STUDY.replace("shuffle_options = true\n", "").replace('options = ["a", "b", "c", "d"]\n', ""))

    assert plain.fingerprint != opened().fingerprint
    assert {one.shown_options for one in plain.prepared()} == {None}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("shuffle_options = true\n", "", "options and shuffle_options go together"),
        ('["a", "b", "c", "d"]', '["a", "b", "c", "prompt2"]', "does not show {prompt2}"),
        ('["a", "b", "c", "d"]', '["a", "b", "c", "c"]', "options names the column 'c' twice"),
        ('["a", "b", "c", "d"]', '["a", "b", "c"]', "shuffle_options has 3 options and [label] 4 choices"),
        ('read = "choice"\nchoices = ["A", "B", "C", "D"]', 'read = "exact"', "4 options and [label] 0 choices"),
        ('template = "{prompt} A) {a} B) {b} C) {c} D) {d}"', 'question = "prompt"', "does not show {a}"),
    ],
)
def test_options_that_cannot_be_shuffled_are_refused(old: str, new: str, said: str) -> None:
    """Before anything is asked, with the value and the remedy."""
    with pytest.raises(RequestError, match=re.escape(said)):
        opened(STUDY.replace(old, new))
