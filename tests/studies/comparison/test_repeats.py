"""Aggregation over repeats, computed once more with pandas, numpy and by trying every choice of repeats."""

import itertools
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.studies.results import ResultRow
from parley.errors import RequestError
from studies.comparison.compare import compare_scored
from studies.comparison.metrics import OverRepeats
from studies.comparison.model import StudyComparison
from studies.comparison.notes import notes
from studies.comparison.scoring import LabelRule, score_row
from studies.comparison.tables import comparison_tables
from studies.scores.scorer_file import fingerprint_of, parse_scorer
from tests.studies.comparison.deliberations import CHOICES, deliberation

ROWS, REPEATS = 40, 5
WAYS = ("mean", "mode", "max", "pass@1", "pass@2", "pass@5")


def _told(row: int, repeat: int, skill: float, rng: np.random.Generator) -> str | None:
    label = "ABCD"[row % 4]
    if rng.random() < 0.1:
        return None
    return label if rng.random() < skill else "ABCD"[(row + repeat) % 4]


@pytest.fixture(scope="module")
def told() -> list[ResultRow]:
    """Two arms of unlike skill; a tenth of the deliberations failed."""
    rng = np.random.default_rng(5)
    return [
        deliberation(
            deliberation_id=f"s/q{row:02}.{arm}.r{repeat}",
            row_id=f"q{row:02}",
            arm=arm,
            repeat=repeat,
            expected="ABCD"[row % 4],
            verdict=None if answer is None else f"FINAL ANSWER: {answer}",
            stop_reason="verdict" if answer else "no_answers",
            scores={"length": float(row + repeat)},
        )
        for arm, skill in (("weak", 0.4), ("strong", 0.7))
        for row, repeat in itertools.product(range(ROWS), range(1, REPEATS + 1))
        for answer in [_told(row, repeat, skill, rng)]
    ]


def compared(rows: Sequence[ResultRow], way: str | None, metric: str | None = None) -> StudyComparison:
    """What ``parley compare --over-repeats`` prints."""
    marks = [score_row(row, LabelRule.of(CHOICES)) for row in rows]
    over = OverRepeats.of(way) if way else None
    return compare_scored("s", marks, CHOICES, baseline="weak", of=metric, over_repeats=over)


def _mode(answers: Any, label: str) -> float:
    counts = answers.dropna().value_counts()
    return float(np.mean([one == label for one in counts[counts == counts.max()].index])) if len(counts) else 0.0


def _passing(right: Sequence[bool], k: int) -> float:
    """The share of all choices of ``k`` repeats with a right one among them."""
    return float(np.mean([any(chosen) for chosen in itertools.combinations(right, k)]))


def by_pandas(rows: Sequence[ResultRow], way: str) -> Any:
    """The value of every arm and row, as a researcher computes it of the export."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([row.model_dump() for row in rows])
    frame["answer"] = frame["verdict"].astype("string").str.extract(r"FINAL ANSWER: (\w)", expand=False)
    frame["right"] = (frame["answer"] == frame["expected"]).fillna(value=False).astype(bool)
    groups = frame.groupby(["arm", "row_id"])
    if way == "mode":
        return groups.apply(lambda one: _mode(one["answer"], one["expected"].iloc[0]))
    if way.startswith("pass@"):
        return groups["right"].apply(lambda right: _passing(list(right), int(way[5:])))
    return groups["right"].agg(way).astype(float)


@pytest.mark.parametrize("way", WAYS)
def test_the_aggregation_is_that_of_pandas(told: list[ResultRow], way: str) -> None:
    """Accuracy by arm and the difference of the arms, each row counting once."""
    expected = by_pandas(told, way)
    found = compared(told, way)
    (pair,) = found.pairs

    for one in found.arms:
        assert one.accuracy.value == pytest.approx(expected[one.arm].mean())
    differences = (expected["strong"] - expected["weak"]).to_numpy()
    assert pair.rows == ROWS
    assert pair.difference == pytest.approx(differences.mean())
    assert pair.test == ("mcnemar" if set(expected) <= {0.0, 1.0} else "permutation")
    if pair.interval is not None:
        drawn = np.random.default_rng(1).integers(0, ROWS, (20_000, ROWS))
        means = differences[drawn].mean(axis=1)
        assert (pair.interval.low, pair.interval.high) == pytest.approx(
            tuple(np.quantile(means, (0.025, 0.975))), abs=0.035
        )


def test_repeats_are_added_up_without_a_way(told: list[ResultRow]) -> None:
    """What was printed before stays: all repeats together, unequally many repeats weighing unequally."""
    some = [row for row in told if row.row_id != "q00" or row.repeat == 1]
    plain, mean = compared(some, None), compared(some, "mean")

    assert plain.over_repeats is None
    assert plain.arms[0].accuracy.value == pytest.approx(
        sum(row.verdict == f"FINAL ANSWER: {row.expected}" for row in some if row.arm == "strong")
        / sum(row.arm == "strong" for row in some)
    )
    assert mean.arms[0].accuracy.value == pytest.approx(by_pandas(some, "mean")["strong"].mean())
    assert mean.arms[0].usd_per_correct == plain.arms[0].usd_per_correct


def test_an_accuracy_over_rows_is_shown_with_its_rows(told: list[ResultRow]) -> None:
    """The table names what the accuracy divides by: deliberations where repeats are added up, else rows."""
    plain, mean = (
        dict(zip([column.heading for column in table.columns], [cell.text for cell in table.rows[0]], strict=True))
        for way in (None, "mean")
        for table in comparison_tables(compared(told, way))[:1]
    )

    assert (plain["of"], mean["rows"]) == (str(ROWS * REPEATS), str(ROWS))
    assert not {"of", "right"} & set(mean)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data())
def test_pass_at_k_is_the_share_of_all_choices(right: list[bool], data: st.DataObject) -> None:
    """The estimate is what trying every choice of k repeats gives, for any number of repeats."""
    k = data.draw(st.integers(1, len(right)))
    rows = [
        deliberation(arm="weak", repeat=at, expected="A", verdict=f"FINAL ANSWER: {'A' if one else 'B'}")
        for at, one in enumerate(right, 1)
    ]
    assert compared(rows, f"pass@{k}").arms[0].accuracy.value == pytest.approx(_passing(right, k))


def test_the_accuracy_of_what_was_read_leaves_out_rows_with_too_few_answers(told: list[ResultRow]) -> None:
    """With pass@K it counts the rows of an arm with K answers or more, and the note names them."""
    read = [row for row in told if row.verdict is not None]
    rows = {key: list(of) for key, of in itertools.groupby(read, key=lambda row: (row.arm, row.row_id))}
    for one in compared(told, "pass@5").arms:
        whole = [of for (arm, _), of in rows.items() if arm == one.arm and len(of) >= 5]
        right = [[row.verdict == f"FINAL ANSWER: {row.expected}" for row in of] for of in whole]
        assert 0 < len(whole) < ROWS
        assert one.accuracy_answered.value == pytest.approx(np.mean([_passing(each, 5) for each in right]))


def test_too_few_repeats_are_refused(told: list[ResultRow]) -> None:
    """The sentence names the arm, the row, the number that ended and both remedies."""
    some = [row for row in told if (row.row_id, row.arm) != ("q07", "weak") or row.repeat <= 2]
    with pytest.raises(
        RequestError, match=r"pass@3 needs 3 repeats of a row, and 2 of row 'q07' in 'weak' ended"
    ) as no:
        compared(some, "pass@3")
    assert "choose pass@2, or add repeats: parley batch extend" in str(no.value)


def test_a_row_that_two_arms_share_too_few_repeats_of_is_left_out_of_the_pair(told: list[ResultRow]) -> None:
    """Arms with unlike repeats of a row have pass@k each, and the pair shows and counts the others."""
    kept = {"weak": (1, 2, 3), "strong": (3, 4, 5)}
    some = [row for row in told if row.row_id != "q00" or row.repeat in kept[row.arm]]
    (pair,) = compared(some, "pass@3").pairs
    without = compared([row for row in told if row.row_id != "q00"], "pass@3").pairs[0]

    assert (pair.rows, pair.deliberations) == (ROWS - 1, (ROWS - 1) * REPEATS)
    assert (pair.difference, pair.interval, pair.p) == (without.difference, without.interval, without.p)


@pytest.mark.parametrize(("way", "arms"), [(None, 2), ("mean", 2), ("pass@1", 2), ("mode", 0), ("max", 0)])
def test_an_answer_that_takes_all_repeats_is_not_set_beside_the_cost_of_one(way: str | None, arms: int) -> None:
    """The best of five repeats costs five deliberations: it is not what another arm reaches at the cost of one."""
    rows = [
        deliberation(row_id=f"q{row}", arm=arm, repeat=repeat, expected="A", cost_usd=usd)
        for arm, repeats, usd in (("weak", 5, 0.01), ("strong", 1, 0.03))
        for row, repeat in itertools.product(range(4), range(1, repeats + 1))
    ]
    assert len(compared(rows, way).equal_costs) == arms


@pytest.mark.parametrize("text", ["median", "pass@0", "pass@", "pass@-1", "pass@1.5", "MEAN", ""])
def test_another_way_is_refused(text: str) -> None:
    """The sentence names the four ways."""
    with pytest.raises(ValueError, match="takes mean, mode, max or pass@K"):
        OverRepeats.of(text)


def test_a_metric_that_is_no_quality_is_refused(told: list[ResultRow]) -> None:
    """The most expensive of five repeats is no figure of an arm, and pass@k counts right answers alone."""
    with pytest.raises(RequestError, match="'tokens' is none; choose accuracy or a score"):
        compared(told, "max", "tokens")
    with pytest.raises(RequestError, match=r"'scores\.length' is none; choose accuracy"):
        compared(told, "pass@2", "scores.length")


@pytest.mark.parametrize(
    ("way", "value"), [("mean", ROWS / 2 + 2.5), ("max", ROWS / 2 + 4.5), ("mode", ROWS / 2 + 2.5)]
)
def test_a_score_is_aggregated_too(told: list[ResultRow], way: str, value: float) -> None:
    """The measure of the pairs has one value for every row; where no value is more frequent, it is their mean."""
    answered = [row.model_copy(update={"verdict": None}) if way == "mode" else row for row in told]
    found = compared(answered, way, "scores.length")

    assert found.arms[0].scores["length"].value == pytest.approx(value)


def test_the_screen_names_the_way(told: list[ResultRow]) -> None:
    """A reader of the table knows that a row counts once, and how."""
    found = compared(told, "pass@2")
    titles = [table.title for table in comparison_tables(found)]

    assert "Quality, pass@2 over repeats" in titles
    assert any(title.startswith("accuracy, pass@2 over repeats beside weak") for title in titles)
    assert any("read: of rows with K answers or more (pass@2); a row counts once." in note for note in notes(found))
    assert any(
        "repeats without one left out (mode); a row counts once." in note for note in notes(compared(told, "mode"))
    )
    assert json.loads(found.model_dump_json())["over_repeats"] == "pass@2"


def test_a_scorer_names_its_way() -> None:
    """The key is read with the scorer, refused with its name, and asks no model again."""
    scorer = parse_scorer("right", {"kind": "f1", "over_repeats": "max"})

    assert scorer.over_repeats == "max"
    assert fingerprint_of(scorer) != fingerprint_of(parse_scorer("right", {"kind": "f1"}))
    with pytest.raises(RequestError, match=r"scorers.right.over_repeats is 'most': over repeats takes mean"):
        parse_scorer("right", {"kind": "f1", "over_repeats": "most"})
