"""A comparison on the screen."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue
from rich.cells import cell_len
from rich.console import Console

from ledger.studies.results import ResultRow
from starter.views.comparison import WIDTH, comparison, short
from starter.views.tables import REHEARSAL
from studies.comparison.notes import notes
from studies.comparison.resampling import RatioSums, interval
from tests.studies.comparison.deliberations import CHOICES, YES_NO, answered, compare, deliberation, replace

LONG = ("mixture-of-agents-with-the-large-panel-a", "mixture-of-agents-with-the-large-panel-b")


def shown(rows: list[ResultRow], content: dict[str, JsonValue], **how: Any) -> str:
    """What is printed on a screen of a hundred columns."""
    compared = compare("study", rows, content, **how)
    screen = Console(width=WIDTH, markup=False, emoji=False, highlight=False, color_system=None)
    with screen.capture() as captured:
        screen.print(comparison(compared, notes(compared)))
    return captured.get()


def repeated(rows: list[ResultRow], of: int = 29) -> list[ResultRow]:
    """The same deliberations as repeats of a few rows, so that intervals are soon drawn."""
    return [replace(row, row_id=f"q{at % of}", repeat=1 + at // of) for at, row in enumerate(rows)]


def dear(rows: list[ResultRow]) -> list[ResultRow]:
    """The same with figures as wide as they come."""
    return [
        replace(row, calls=99_999, tokens=123_456_789, cost_usd=1234.5678, calls_of_unknown_cost=1, seconds=86_400.0)
        for row in rows
    ]


def test_long_names_and_large_figures_fit_a_hundred_columns() -> None:
    """No cell is cut or wrapped: every figure of a row is in its line, and the legend has the whole names."""
    labels = ["yes", "no"] * 10
    rows = [*dear(answered(LONG[0], labels, labels)), *dear(answered(LONG[1], ["yes"] * 20, labels))]
    told = shown(rows, YES_NO, baseline=LONG[0])
    assert max(cell_len(line.rstrip()) for line in told.splitlines()) <= WIDTH
    assert f"= {LONG[0]}" in told
    line = next(line for line in told.splitlines() if "2,469.1 M" in line)
    assert ["1,999,980", "≥ 24,691.36", "86,400"] == [
        told for told in ("1,999,980", "≥ 24,691.36", "86,400") if told in line
    ]
    assert "…" not in line.partition("2,469.1 M")[2]


def test_a_difference_is_shown_with_its_test() -> None:
    """Rows, difference with a sign, p and corrected p, which test it was, and the cost of the two."""
    labels = ["A"] * 8
    rows = [*answered("good", ["A"] * 8, labels), *answered("poor", ["A"] * 3 + ["B"] * 5, labels)]
    told = [line.split() for line in shown(rows, CHOICES, baseline="poor").splitlines()]
    line = next(words for words in told if "mcnemar" in words)
    assert ["good", "8", "8", "+0.625"] == line[:4]
    assert ["0.062", "0.062", "mcnemar", "1.0x"] == line[-4:]


def test_a_difference_that_rounds_to_nothing_has_no_minus() -> None:
    """Arms that differ by a token in forty rows have no negative zero, and milliseconds are shown as they are."""
    took = {"a": 10, "b": 9.99}
    rows = [deliberation(row_id=f"q{n}", arm=arm, seconds=took[arm], tokens=100) for n in range(40) for arm in took]
    rows[1] = replace(rows[1], tokens=99)
    told = {of: shown(rows, {}, of=of, baseline="a").splitlines() for of in ("tokens", "seconds")}
    lines = {of: next(words for line in text if "permutation" in (words := line.split())) for of, text in told.items()}
    assert {"tokens": "+0.0", "seconds": "-0.01"} == {of: line[3] for of, line in lines.items()}


def test_a_share_is_never_shown_as_all_or_nothing() -> None:
    """One wrong of 2,001 is no accuracy of 1, and one right of 2,001 is none of 0."""
    labels = ["A"] * 2001
    good, poor = answered("good", ["A"] * 2000 + ["B"], labels), answered("poor", ["A"] + ["B"] * 2000, labels)
    rows = [*repeated(good), *repeated(poor)]
    told = [line.split() for line in shown(rows, CHOICES, baseline="good").splitlines()]
    figures = [words[6:10] for words in told if words[:1] in (["good"], ["poor"]) and len(words) == 10]
    assert [["0.9995", "2,001"], ["0.0005", "2,001"]] == [found[:2] for found in figures]
    assert not any(figure in {"1.000", "0.000"} for found in figures for figure in found)


def test_a_small_cost_is_not_shown_as_none() -> None:
    """Cheap models cost less than a hundredth of a cent for a right answer."""
    rows = [replace(row, cost_usd=0.00002) for row in answered("cheap", ["A"] * 3, ["A"] * 3)]
    told = [line.split() for line in shown(rows, CHOICES).splitlines()]
    assert ["cheap", "6", "300", "0.00006", "0.00002"] in [words[:5] for words in told]


def test_an_agreement_is_shown_with_what_it_is_of() -> None:
    """Two repeats of six rows are twelve units between the arms, and six rows within an arm."""
    said = ["A", "B", "A", "B", "A", "B"]
    once = [*answered("good", said, said), *answered("poor", ["A"] * 6, said)]
    rows = [replace(row, repeat=repeat, scores={"kendall_w": 0.5}) for row in once for repeat in (1, 2)]
    told = " ".join(shown(rows, CHOICES).split())
    assert "over 12 rows (each repeat counts) with two answers or more" in told
    assert "agreement of the repeats of good: alpha 1.000 over 6 rows" in told
    assert "mean Kendall's W 0.500 of 12 deliberations" in told
    assert "orders at random give one over their number, 0.25 of four." in told


@pytest.mark.parametrize(("rows", "method"), [(5_000, "bca"), (5_001, "percentile")])
def test_intervals_are_bca_to_as_many_rows_as_the_notes_have(rows: int, method: str) -> None:
    """Of more rows they are plain percentiles, and a methods section must not call them something else."""
    found = interval(RatioSums.of([(float(row % 3 == 0), 1.0) for row in range(rows)]), 11)
    assert found is not None
    assert found.method == method
    assert "bootstrap over rows (BCa where defined, to 5,000 rows; exact" in shown([deliberation()], CHOICES)


def test_rehearsals_have_their_label_on_top() -> None:
    """Figures of scripted models are marked."""
    told = shown([deliberation(rehearsal=True), deliberation(row_id="q2")], CHOICES)
    assert REHEARSAL in told.splitlines()[1]
    assert REHEARSAL not in shown([deliberation()], CHOICES)


def test_without_labels_no_accuracy_is_shown() -> None:
    """The screen says that nothing is labelled; cost, time and what the protocols measured stay."""
    told = shown([deliberation(row_id=f"q{n}", scores={"kendall_w": n / 4}) for n in range(4)], {})
    tables, _, _ = told.partition("Nothing is labelled")
    assert ("accuracy" in tables, "median s" in tables, "kendall_w" in tables) == (False, True, True)


def test_failures_are_named_by_their_reason() -> None:
    """Each arm that failed has a line."""
    told = shown(answered("solo", ["A", None, None], ["A"] * 3), CHOICES)
    assert "failed in solo: no_answers 2" in told


def test_a_name_does_not_steer_the_terminal() -> None:
    """Escape sequences and markup in an arm's name or a stop reason are no instructions."""
    told = shown([deliberation(arm="\x1b]0;owned\x07[red]x", verdict=None, stop_reason="\x1b[2Jgone")], {})
    assert ("\x1b" not in told, "[red]x" in told) == (True, True)


@given(st.lists(st.text(alphabet="ab-", min_size=1, max_size=40), unique=True, max_size=12))
def test_short_names_fit_and_differ(names: list[str]) -> None:
    """Whatever the names: at most so many characters, and no two alike."""
    found = short(names, 12)
    assert all(len(told) <= 12 for told in found.values())
    assert len(names) == len(set(found.values()))


def test_a_short_name_stays_as_it_is() -> None:
    """Only what is too long is cut, in the middle, where names of arms differ least."""
    names = ["council-small", "self-consistency-small"]
    assert {"council-small": "council-small", "self-consistency-small": "self-c…-small"} == short(names, 13)


def test_a_difference_that_is_not_0_or_1_is_not_shown_as_these() -> None:
    """It has as many decimals as show that, and its own sign; none at all has three and a plus."""
    labels = ["A"] * 2_001
    one = [*repeated(answered("best", labels, labels)), *repeated(answered("near", [*labels[1:], "B"], labels))]
    none = repeated(answered("none", ["B", *["C"] * 1_999, "A"], labels))
    told = shown([*one, *none], CHOICES, baseline="best")
    lines = {words[0]: words[3] for line in told.splitlines() if "permutation" in (words := line.split())}
    assert {"near": "-0.0005", "none": "-0.9995"} == lines
    assert "+0.000" in shown([*one[:9], *(replace(row, arm="same") for row in one[:9])], CHOICES)


def test_large_scores_are_whole_numbers() -> None:
    """A mean of 12,345 letters beside one of 12,349 differs from it, and is no power of ten."""
    plain: dict[str, JsonValue] = {"label": None}
    rows = [
        deliberation(row_id=f"q{number}", arm=arm, scores={"letters": mean + number})
        for number in range(3)
        for arm, mean in (("a", 12_344.0), ("b", 12_348.0))
    ]
    told = shown(rows, plain, of="scores.letters", baseline="a")
    assert all(figure in told for figure in ("12,345", "12,349", "+4"))
    assert "e+0" not in told
