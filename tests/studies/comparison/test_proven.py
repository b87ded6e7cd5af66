"""Every figure of a comparison, computed once more from the export with pandas, statsmodels and first principles.

Nothing of ``studies.comparison`` computes what is expected here: pandas reads the exported file as a researcher would.
"""

import asyncio
import itertools
import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]  # it has no annotations of its own

from ledger.studies.results import ResultRow
from report.study import comparison_section as in_report
from studies.comparison.compare import compare_scored
from studies.comparison.model import ArmFigures, Pair, StudyComparison
from studies.comparison.scoring import LabelRule, score_row
from tests.fakes.exported import exported
from tests.fakes.synthetic_studies import MEASURES, SCENES, deliberations

Frame = Any
"""A data frame; pandas has no annotations of its own."""

_QUICK = {"everything at once", "one row", "yes and no"}
EVERY = pytest.mark.parametrize(
    "scene", [pytest.param(name, marks=() if name in _QUICK else pytest.mark.long) for name in SCENES]
)
_DRAWS = 20_000


@pytest.fixture(scope="module")
def pd() -> Any:
    """Return pandas, which nothing but these tests imports."""
    return pytest.importorskip("pandas")


@cache
def rows(scene: str) -> list[ResultRow]:
    """Every deliberation of a scene."""
    return deliberations(SCENES[scene])


@cache
def compared(scene: str, metric: str | None = None) -> StudyComparison:
    """What ``parley compare`` prints."""
    content = SCENES[scene].content
    rule = LabelRule.of(content)
    marks = [score_row(row, rule) for row in rows(scene)]
    return compare_scored("study", marks, content, of=metric, baseline=SCENES[scene].arms[-1])


@pytest.fixture(scope="module")
def frame(pd: Any) -> Callable[[str], Frame]:
    """Return what a researcher makes of the exported file: a row for each deliberation that ended."""

    @cache
    def whole(scene: str) -> Frame:
        rule = LabelRule.of(SCENES[scene].content)
        raw = asyncio.run(exported(rows(scene), "jsonl", rule=rule))
        found = pd.DataFrame([json.loads(line) for line in raw.splitlines()])
        found = found.astype({"cost_usd": float, "seconds": float})
        found["answer"] = found["verdict"].astype("string").str.extract(r"FINAL ANSWER: (\w+)", expand=False)
        found["is_labelled"] = found["expected"].notna()
        found["right"] = found["is_labelled"] & (found["answer"] == found["expected"]).fillna(value=False)
        found["right"] = found["right"].astype(bool)
        is_judged = found["is_labelled"] & (found["status"] != "open")
        assert (found["correct"][is_judged].astype(bool) == found["right"][is_judged]).all()
        assert found["correct"][~is_judged].isna().all()
        return found

    def read(scene: str, *, ended: bool = True) -> Frame:
        found = whole(scene)
        return found[found["status"] != "open"] if ended else found.copy()

    return read


def arms(scene: str, metric: str | None = None) -> Iterator[ArmFigures]:
    """The arms of a scene."""
    return iter(compared(scene, metric).arms)


def close(value: float | None) -> Any:
    """What is equal but for the order of additions; not-a-number means what cannot be reported."""
    return None if value is None or np.isnan(value) else pytest.approx(value, rel=1e-9, abs=1e-12)


@EVERY
def test_counts(scene: str, frame: Callable[..., Frame]) -> None:
    """Planned, ended, held, failed, lost, degraded, right, labelled, unreadable, calls and tokens of every arm."""
    whole = frame(scene, ended=False)
    for one in arms(scene):
        mine = whole[whole["arm"] == one.arm]
        ended = mine[mine["status"] != "open"]
        held = ended[ended["status"] == "completed"]
        standings = ended["status"].value_counts()
        assert (len(mine), len(ended), len(held)) == (one.planned, one.n, one.completed)
        assert (standings.get("failed", 0), standings.get("missing", 0)) == (one.failed, one.missing)
        assert (held["degraded"].sum(), held["answer"].isna().sum()) == (one.degraded, one.unreadable)
        assert (ended["right"].sum(), ended["is_labelled"].sum()) == (one.correct, one.labelled)
        assert (ended["calls"].sum(), ended["tokens"].sum()) == (one.calls, one.tokens)


@EVERY
def test_flaws_and_failures(scene: str, frame: Callable[..., Frame], pd: Any) -> None:
    """Flaws by kind over all that ended, and how those without a verdict ended."""
    whole = frame(scene)
    for one in arms(scene):
        mine = whole[whole["arm"] == one.arm]
        kinds = pd.DataFrame(list(mine["flaws"])).sum().to_dict()
        failures = mine[mine["status"] != "completed"]["stop_reason"].value_counts().to_dict()
        assert {kind: count for kind, count in kinds.items() if count} == one.flaws
        assert failures == one.failures


@EVERY
def test_accuracy(scene: str, frame: Callable[..., Frame]) -> None:
    """Of all labelled, whatever became of them, and of those with an answer."""
    whole = frame(scene)
    for one in arms(scene):
        labelled = whole[(whole["arm"] == one.arm) & whole["is_labelled"]]
        assert close(labelled["right"].mean()) == one.accuracy.value
        assert close(labelled[labelled["answer"].notna()]["right"].mean()) == one.accuracy_answered.value


@EVERY
def test_costs(scene: str, frame: Callable[..., Frame]) -> None:
    """Known dollars, what a right answer costs, and that it is a lower bound where a cost is unknown."""
    whole = frame(scene)
    for one in arms(scene):
        mine = whole[whole["arm"] == one.arm]
        labelled = mine[mine["is_labelled"]]
        right = labelled["right"].sum()
        known = labelled["cost_usd"].notna().any()
        assert close(mine["cost_usd"].sum(min_count=1)) == one.usd
        assert close(labelled["cost_usd"].sum() / right if right and known else None) == one.usd_per_correct.value
        assert close(labelled["tokens"].sum() / right if right else None) == one.tokens_per_correct.value
        assert bool(mine["calls_of_unknown_cost"].sum()) is one.is_lower_bound


@EVERY
def test_times_and_measures(scene: str, frame: Callable[..., Frame], pd: Any) -> None:
    """Median and ninth decile of what ran, and the means of what the protocol measured."""
    whole = frame(scene)
    for one in arms(scene):
        held = whole[(whole["arm"] == one.arm) & (whole["status"] == "completed")]
        scores = pd.DataFrame(list(held["scores"])).mean().to_dict()
        assert close(held["seconds"].median()) == one.seconds_median
        assert close(held["seconds"].quantile(0.9)) == one.seconds_p90
        assert {name: close(value) for name, value in scores.items()} == {n: f.value for n, f in one.scores.items()}


@pytest.mark.long
@pytest.mark.parametrize("scene", ["yes and no", "yes and no, repeats"])
def test_precision_and_recall(scene: str, frame: Callable[..., Frame]) -> None:
    """From the table of labels and answers; no answer flags nothing."""
    whole = frame(scene)
    for one in arms(scene):
        mine = whole[(whole["arm"] == one.arm) & whole["is_labelled"]]
        said, meant = (mine["answer"] == "yes").fillna(value=False), mine["expected"] == "yes"
        hits, false, missed = (said & meant).sum(), (said & ~meant).sum(), (~said & meant).sum()
        assert one.confusion is not None
        assert (hits, false, missed) == (
            *(one.confusion.true_positives, one.confusion.false_positives),
            one.confusion.false_negatives,
        )
        assert close(hits / (hits + false)) == one.confusion.precision.value
        assert close(hits / (hits + missed)) == one.confusion.recall.value
        assert close(((mine["answer"] == "no") & ~meant).sum() / (~meant).sum()) == one.confusion.specificity.value
        assert close(stats.hmean([hits / (hits + false), hits / (hits + missed)])) == one.confusion.f1.value


@pytest.mark.parametrize("scene", ["all right", "none right"])
def test_the_interval_of_all_or_none_is_that_of_clopper_and_pearson(scene: str, frame: Callable[..., Frame]) -> None:
    """As statsmodels has it, over rows."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    whole = frame(scene)
    for one in arms(scene):
        by_row = whole[(whole["arm"] == one.arm) & whole["is_labelled"]].groupby("row_id")["right"].max()
        low, high = proportion.proportion_confint(int(by_row.sum()), len(by_row), method="beta")
        assert one.accuracy.interval is not None
        assert "exact" == one.accuracy.interval.method
        assert pytest.approx((low, high)) == (one.accuracy.interval.low, one.accuracy.interval.high)


@pytest.mark.long
@pytest.mark.parametrize("scene", ["plain", "repeats", "repeats, some missing", "unlabelled rows"])
def test_intervals_are_bca_over_rows(scene: str, frame: Callable[..., Frame]) -> None:
    """By Efron's formulas with draws of its own: rows are drawn, with all their repeats."""
    whole = frame(scene)
    for one in arms(scene):
        by_row = whole[(whole["arm"] == one.arm) & whole["is_labelled"]].groupby("row_id")["right"].agg(["sum", "size"])
        low, high = _bca(by_row["sum"].to_numpy(float), by_row["size"].to_numpy(float))
        assert one.accuracy.interval is not None
        assert "bca" == one.accuracy.interval.method
        assert pytest.approx((low, high), abs=0.03) == (one.accuracy.interval.low, one.accuracy.interval.high)


def _bca(above: Any, below: Any) -> tuple[float, float]:
    """Efron and Tibshirani (1993), section 14.3."""
    rows, value = len(above), above.sum() / below.sum()
    drawn = np.random.default_rng(3).integers(0, rows, (_DRAWS, rows))
    resampled = above[drawn].sum(axis=1) / below[drawn].sum(axis=1)
    share = ((resampled < value).mean() + (resampled <= value).mean()) / 2
    left_out = np.array([(above.sum() - above[i]) / (below.sum() - below[i]) for i in range(rows)])
    away = left_out.mean() - left_out
    acceleration = (away**3).sum() / (6 * ((away**2).sum()) ** 1.5)
    bias = stats.norm.ppf(share)
    z = bias + stats.norm.ppf([0.025, 0.975])
    low, high = np.quantile(resampled, stats.norm.cdf(bias + z / (1 - acceleration * z)))
    return float(low), float(high)


@pytest.mark.parametrize("scene", ["plain", "unlabelled rows", "unknown costs", "all right", "none right", "one row"])
def test_mcnemar(scene: str, frame: Callable[..., Frame], pd: Any) -> None:
    """The exact test of statsmodels on the rows that both have."""
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    for one, first, second in _pairs(scene, frame(scene)):
        both = pd.crosstab(first["right"], second["right"])
        both = both.reindex(index=[True, False], columns=[True, False], fill_value=0)
        expected = tables.mcnemar(both.to_numpy(), exact=True)
        assert "mcnemar" == one.test
        assert pytest.approx(expected.pvalue) == one.p
        assert (both.loc[True, False], both.loc[False, True]) == (one.only_arm, one.only_baseline)


@pytest.mark.long
@pytest.mark.parametrize("scene", ["repeats", "repeats, some missing", "everything at once", "yes and no, repeats"])
@pytest.mark.parametrize("metric", ["accuracy", "tokens", "usd"])
def test_permutation(scene: str, metric: str, frame: Callable[..., Frame]) -> None:
    """Every way of swapping the arms within rows, enumerated; the difference is of the same deliberations."""
    for one, first, second in _pairs(scene, frame(scene), metric):
        column = {"accuracy": "right", "tokens": "tokens", "usd": "cost_usd"}[metric]
        sides = [side.groupby("row_id")[column].agg(["sum", "size"]).to_numpy(float) for side in (first, second)]
        difference, p = _swapped(*sides)
        assert (len(sides[0]), len(first)) == (one.rows, one.deliberations)
        assert close(difference) == one.difference
        if one.test == "permutation":
            assert pytest.approx(p) == one.p


def _swapped(first: Any, second: Any) -> tuple[float, float]:
    """The difference of two ratios, and the share of all swaps of rows that differ as much; twice the smaller tail."""
    signs = np.array(list(itertools.product((False, True), repeat=len(first))))[:, :, None]
    one, other = np.where(signs, second, first).sum(axis=1), np.where(signs, first, second).sum(axis=1)
    found = one[:, 0] / one[:, 1] - other[:, 0] / other[:, 1]
    slack = 1e-12 * max(1.0, abs(found[0]))
    tails = (found >= found[0] - slack).mean(), (found <= found[0] + slack).mean()
    return float(found[0]), min(1.0, 2 * min(tails))


def _pairs(scene: str, whole: Frame, metric: str = "accuracy") -> Iterator[tuple[Pair, Frame, Frame]]:
    """Each pair with its two sides, over the deliberations of which both have the same row and repeat."""
    taking = whole[whole["is_labelled"]] if metric == "accuracy" else whole
    if metric == "usd":
        taking = taking[taking["cost_usd"].notna() & (taking["calls_of_unknown_cost"] == 0)]
    for one in compared(scene, metric).pairs:
        by_place = taking.set_index(["row_id", "repeat"])
        first, second = (by_place[by_place["arm"] == arm] for arm in (one.arm, one.baseline))
        both = first.index.intersection(second.index)
        yield one, first.loc[both], second.loc[both]


@EVERY
def test_holm(scene: str) -> None:
    """As statsmodels corrects the same p."""
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    pairs = [one for one in compared(scene).pairs if one.p is not None]
    expected = multitest.multipletests([one.p for one in pairs], method="holm")[1] if pairs else []

    assert [pytest.approx(p) for p in expected] == [one.p_holm for one in pairs]


@EVERY
def test_alpha(scene: str, frame: Callable[..., Frame], pd: Any) -> None:
    """Krippendorff's alpha from the matrix of coincidences: arms by row and repeat, and repeats by row."""
    whole = frame(scene)
    said = whole[whole["answer"].notna()]
    assert close(_alpha(said, ["row_id", "repeat"], pd)) == compared(scene).agreement.alpha
    for one in arms(scene):
        assert close(_alpha(said[said["arm"] == one.arm], ["row_id"], pd)) == one.alpha_repeats


def _alpha(said: Frame, unit: list[str], pd: Any) -> float | None:
    """Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C."""
    coincidences: dict[tuple[str, str], float] = {}
    for _, answers in said.groupby(unit)["answer"]:
        for one, other in itertools.permutations(answers, 2):
            coincidences[one, other] = coincidences.get((one, other), 0.0) + 1 / (len(answers) - 1)
    table = pd.Series(coincidences, dtype=float)
    if table.empty or len(set(itertools.chain(*table.index))) == 1:
        return None
    margins = table.groupby(level=0).sum()
    n = margins.sum()
    observed = sum(value for (one, other), value in table.items() if one != other)
    expected = (n**2 - (margins**2).sum()) / (n - 1)
    return float(1 - observed / expected)


@pytest.mark.long
@pytest.mark.parametrize("scene", ["plain", "repeats", "yes and no"])
def test_kendalls_w_between_arms(scene: str, pd: Any) -> None:
    """From ranks and their ties, for arms of one protocol, over the rows that all have."""
    held = [row.model_copy(update={"protocol": "council"}) for row in rows(scene)]
    marks = [score_row(row, LabelRule.of(SCENES[scene].content)) for row in held]
    found = compare_scored("study", marks, SCENES[scene].content).agreement
    told = pd.DataFrame([{"row": one.row_id, "arm": one.arm, **one.scores} for one in held if one.verdict])
    means = told.pivot_table(index="row", columns="arm", values="rounds").dropna()

    assert (close(_kendall_w(means)), len(means)) == (found.scores_w["rounds"], found.scores_w_rows["rounds"])


def _kendall_w(ratings: Frame) -> float:
    """Kendall and Gibbons (1990), chapter 6, with the correction for ties."""
    objects, raters = ratings.shape
    ranks = ratings.rank(axis=0)
    ties = sum((count**3 - count) for column in ranks for count in ranks[column].value_counts())
    squares = ((ranks.sum(axis=1) - ranks.sum(axis=1).mean()) ** 2).sum()
    return float(12 * squares / (raters**2 * (objects**3 - objects) - raters * ties))


@EVERY
def test_the_report_prints_the_same_figures(scene: str, frame: Callable[..., Frame]) -> None:
    """Accuracy, right of labelled, and each measure, as pandas has them from the export."""
    whole, page = frame(scene), str(in_report(compared(scene)))
    for one in arms(scene):
        mine = whole[whole["arm"] == one.arm]
        labelled = mine[mine["is_labelled"]]
        measured = [scores[MEASURES[one.arm]] for scores in mine["scores"] if scores]
        assert f"{labelled['right'].sum()} of {len(labelled)}" in page
        assert labelled.empty or f">{labelled['right'].mean():.3f}" in page
        assert not measured or f">{np.mean(measured):.3f}" in page
