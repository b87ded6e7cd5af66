"""Several studies, panels and firings as the arms of one comparison, computed once more with pandas and numpy."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from parley.errors import RequestError
from studies.comparison.compare import compare_scored
from studies.comparison.differences import trends
from studies.comparison.joined import StudyPart, join_panels, join_studies
from studies.comparison.metrics import METRICS
from studies.comparison.model import StudyComparison
from studies.comparison.scoring import LabelRule, ScoredRow, score_row
from studies.comparison.tables import comparison_tables, remarks
from tests.fakes.study_files import STUDY, study
from tests.studies.comparison.deliberations import CHOICES, answered, replace

_LABELS = "ABCDABCDABCD"
_ANSWERS = {
    "old": {"solo": "ABCDABCDBBBB", "panel": "ABCAABCAABCA"},
    "new": {"solo": "ABADABADBABD", "panel": "ABCDABCDABCD"},
}


def _part(name: str, rows: int = len(_LABELS), **changes: Any) -> StudyPart:
    deliberations = [
        score_row(one, LabelRule.of(CHOICES))
        for arm, said in _ANSWERS[name].items()
        for one in answered(arm, said[:rows], _LABELS[:rows])
    ]
    texts = {one.row_id: (f"What is {one.row_id}?", one.expected) for one in deliberations}
    return StudyPart(name, deliberations, CHOICES, texts)._replace(**changes)


def _compared(*parts: StudyPart, baseline: str | None = None) -> StudyComparison:
    joined = join_studies(parts, baseline, is_scored=False)
    return compare_scored("both", joined.rows, CHOICES, baseline=joined.baseline, beside=joined.beside)


def test_each_arm_is_paired_with_that_of_its_name_in_the_first_study() -> None:
    """Differences are of the rows' own rights and wrongs, and p is corrected over the pairs, as pandas states it."""
    pd, stats = pytest.importorskip("pandas"), pytest.importorskip("scipy.stats")
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    found = _compared(_part("old"), _part("new"))
    right = {
        f"{study}/{arm}": pd.Series([a == b for a, b in zip(said, _LABELS, strict=True)], dtype=int)
        for study, arms in _ANSWERS.items()
        for arm, said in arms.items()
    }
    assert found.baseline_is == "the first"
    assert {(one.arm, one.baseline) for one in found.pairs} == {("new/panel", "old/panel"), ("new/solo", "old/solo")}
    ps = []
    for pair in found.pairs:
        ours, theirs = right[pair.arm], right[pair.baseline]
        assert pair.difference == pytest.approx(ours.mean() - theirs.mean())
        only = (int((ours > theirs).sum()), int((ours < theirs).sum()))
        assert (pair.only_arm, pair.only_baseline) == only
        ps.append(stats.binomtest(only[0], sum(only)).pvalue)
    assert [one.p for one in found.pairs] == pytest.approx(ps)
    assert [one.p_holm for one in found.pairs] == pytest.approx(list(multitest.multipletests(ps, method="holm")[1]))


def test_only_shared_rows_count_and_the_others_are_counted() -> None:
    """A study that has fewer rows makes both smaller; how many were left out is in the result."""
    joined = join_studies([_part("old"), _part("new", rows=8)], None, is_scored=False)
    assert {one.row_id for one in joined.rows} == {f"q{number:03}" for number in range(1, 9)}
    assert joined.left_out == {"old": 4}


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"texts": {"z": ("What is z?", "A")}}, "old, new share no row id"),
        ({"texts": {"q001": ("Another?", "A")}}, "the row 'q001' asks something else in 'new' than in 'old'"),
        ({"texts": {"q001": ("What is q001?", "B")}}, "the row 'q001' has the label 'a' in 'old' and 'B' in 'new'"),
        ({"content": {"label": {"read": "exact"}}}, "'old' and 'new' read answers by different rules"),
    ],
)
def test_other_datasets_and_labels_are_refused(other: dict[str, Any], message: str) -> None:
    """One sentence names the row and what differs; a scorer of both says what is right in place of labels."""
    parts = [_part("old"), _part("new", **other)]
    with pytest.raises(RequestError, match=message):
        join_studies(parts, None, is_scored=False)
    if "label" in message or "rules" in message:
        assert join_studies(parts, None, is_scored=True).rows


def test_a_study_or_an_arm_may_be_the_baseline() -> None:
    """A study's arms are paired by name; an arm is beside every other one."""
    by_study = _compared(_part("old"), _part("new"), baseline="new")
    assert {(one.arm, one.baseline) for one in by_study.pairs} == {("old/panel", "new/panel"), ("old/solo", "new/solo")}
    by_arm = _compared(_part("old"), _part("new"), baseline="old/solo")
    assert {one.baseline for one in by_arm.pairs} == {"old/solo"}
    assert len(by_arm.pairs) == 3
    with pytest.raises(RequestError, match="no arm 'middle'"):
        _compared(_part("old"), _part("new"), baseline="middle")


def test_studies_of_one_arm_each_are_paired_whatever_it_is_called() -> None:
    """One study asked a council, the other a debate: there is one pair that can be meant."""
    old, new = (
        part._replace(rows=[one for one in part.rows if one.arm == arm])
        for part, arm in ((_part("old"), "solo"), (_part("new"), "panel"))
    )
    assert [(one.arm, one.baseline) for one in _compared(old, new).pairs] == [("new/panel", "old/solo")]


def _arm(protocol: str, *models: str, **options: Any) -> dict[str, Any]:
    return {"protocol": protocol, "workflow": protocol, "models": list(models), "chair": models[0], "options": options}


_PANELS = {
    "single-lab": _arm("single", "lab:a", "lab:b"),
    "council-lab": _arm("council", "lab:a", "lab:b"),
    "single-duo": _arm("single", "lab:c", "lab:d"),
    "council-duo": _arm("council", "lab:c", "lab:d"),
    "debate-duo": _arm("debate", "lab:c", "lab:d"),
}


def _of_panels() -> list[ScoredRow]:
    said = dict(zip(_PANELS, ("ABCD", "ABCA", "AAAA", "ABAA", "DDDD"), strict=True))
    rule = LabelRule.of(CHOICES)
    return [score_row(one, rule) for arm, answers in said.items() for one in answered(arm, answers, "ABCD")]


def test_panels_are_compared_over_the_protocols_that_all_have() -> None:
    """A row has a deliberation of each protocol under its panel; one that a panel lacks is left out and counted."""
    joined = join_panels("s", _of_panels(), {"arms": _PANELS})
    assert joined.left_out == {"debate-duo": 4}
    found = compare_scored("s", joined.rows, CHOICES, baseline="duo")
    assert {one.arm: (one.correct, one.n) for one in found.arms} == {"lab": (7, 8), "duo": (3, 8)}
    (pair,) = found.pairs
    assert (pair.rows, pair.deliberations, pair.difference, pair.test) == (4, 8, 0.5, "permutation")


@pytest.mark.parametrize("kept", [("single-lab", "council-lab"), ("single-lab", "council-duo")])
def test_panels_that_cannot_be_compared_are_refused(kept: tuple[str, str]) -> None:
    """One panel alone, and two without a protocol in common, are a sentence with the remedy."""
    with pytest.raises(RequestError, match="leave out --over panels"):
        join_panels("s", [], {"arms": {arm: _PANELS[arm] for arm in kept}})


def test_a_panel_is_one_whatever_each_protocol_takes_of_it() -> None:
    """Single asks its first model and a debate more than its models; an arm of a name of its own is among them."""
    q = '[panels.q-a]\nmodels = ["rehearsal:one", "rehearsal:five", "rehearsal:six"]\n[grid]'
    more = (
        '[[arms]]\nname = "x"\nprotocol = "vote"\npanel = "lab"\n[[arms]]\nname = "y"\nprotocol = "vote"\npanel = "q-a"'
    )
    found = study(STUDY.replace("[grid]", q).replace('"single"]', f'"single", "debate"]\n{more}'))
    rows = [score_row(one, None) for arm in found.arms for one in answered(arm.name, "A", "A")]
    joined = join_panels("s", rows, found.content)
    assert not joined.left_out
    assert Counter({"lab": 4, "q-a": 4}) == Counter(one.arm for one in joined.rows)


def test_an_arm_with_a_model_of_its_own_is_not_of_its_panel() -> None:
    """Another chair makes another panel, left out alone beside two with a name; without a panel it is of default."""
    arms = '[[arms]]\nname = "x"\nprotocol = "council"\npanel = "lab"\noptions = { chair = "rehearsal:two" }\n'
    found = study(STUDY.replace("[grid]", f'{arms}[[arms]]\nname = "y"\nprotocol = "council"\n[grid]'))
    asked: Any = found.content["arms"]
    named = {arm: made.get("panel") for arm, made in asked.items()}
    assert named == {"x": None, "y": "default", "council-lab": "lab", "single-lab": "lab"}
    two = {**asked, "single-default": {**asked["single-lab"], "panel": "default"}}
    joined = join_panels("s", [score_row(one, None) for arm in two for one in answered(arm, "A", "A")], {"arms": two})
    assert (joined.left_out, Counter(one.arm for one in joined.rows)) == ({"x": 1}, {"default": 2, "lab": 2})


def test_panels_without_a_name_are_named_after_their_models() -> None:
    """Names of arms may have nothing of the name of a panel."""
    arms = {"one": _arm("single", "lab:x/a"), "two": _arm("single", "lab:x/b", "lab:y/c")}
    rows = [score_row(one, None) for arm in arms for one in answered(arm, "A", "A")]
    assert {one.arm for one in join_panels("s", rows, {"arms": arms}).rows} == {"one", "two"}
    same = {"single": _arm("single", "lab:x/a"), "single2": _arm("single", "lab:x/b", "lab:y/c")}
    rows = [score_row(one, None) for arm in same for one in answered(arm, "A", "A")]
    assert "a" in {one.arm for one in join_panels("s", rows, {"arms": same}).rows}


def test_firings_that_are_the_same_have_no_trend() -> None:
    """However near to each other they are, rounding is no change: neither a slope nor one end of an interval."""
    start = datetime(2026, 5, 1, tzinfo=UTC)
    times = {f"n-{number}": start + timedelta(seconds=gone) for number, gone in enumerate((0, 16, 21, 81))}
    rows = [
        score_row(replace(one, arm=f"{firing}/solo"), LabelRule.of(CHOICES))
        for firing in times
        for one in answered("solo", "ABABABAA", "AAAAAAAA")
    ]
    (found,) = trends(rows, times, METRICS["accuracy"], 7)

    assert found.per_day == 0.0
    assert found.interval is None or (found.interval.low, found.interval.high) == (0.0, 0.0)


def test_a_trend_is_the_slope_of_least_squares_with_an_interval_over_rows() -> None:
    """Numpy fits the same line; arms that do not change have none, and two firings no line."""
    start = datetime(2026, 5, 1, tzinfo=UTC)
    rights = (0.2, 0.35, 0.5, 0.75)
    times = {f"n-{number}": start + timedelta(days=2 * number) for number in range(len(rights))}
    rows = [
        score_row(replace(one, arm=f"{firing}/solo"), LabelRule.of(CHOICES))
        for firing, share in zip(times, rights, strict=True)
        for one in answered("solo", ["A" if number < share * 20 else "B" for number in range(20)], "A" * 20)
    ]
    (found,) = trends(rows, times, METRICS["accuracy"], 7)
    days = [0.0, 2.0, 4.0, 6.0]
    assert (found.arm, found.firings, found.days, found.rows) == ("solo", 4, 6.0, 20)
    assert found.per_day == pytest.approx(float(np.polyfit(days, rights, 1)[0]))
    assert found.interval is not None
    assert 0 < found.interval.low < 0.09 < found.interval.high
    first_two = [one for one in rows if one.arm[2] in "01"]
    assert trends(first_two, times, METRICS["accuracy"], 7) == ()


def test_measures_of_several_protocols_are_not_mixed_in_a_panel() -> None:
    """A share of a mixture's last layer and one of independent votes have no common mean; a ranking is a council's."""
    shares = {"single": {"winner_share": 1.0, "cast": 3.0}, "council": {"winner_share": 0.5, "kendall_w": 0.25}}
    protocols = {arm: made["protocol"] for arm, made in _PANELS.items()}
    rows = [
        one._replace(protocol=protocols[one.arm], scores=shares.get(protocols[one.arm], {})) for one in _of_panels()
    ]
    found = compare_scored("s", join_panels("s", rows, {"arms": _PANELS}).rows, CHOICES)
    found = found.model_copy(update={"over": "panels"})
    assert {one.arm: (one.protocol, sorted(one.scores)) for one in found.arms} == {
        arm: ("", ["cast", "kendall_w"]) for arm in ("lab", "duo")
    }
    titles = [one.title for one in comparison_tables(found)]
    assert "kendall_w (Kendall's W of the ballots)" in titles
    said = [one for one in remarks(found, {"lab": "lab", "duo": "duo"}) if "repeats" in one]
    assert said
    assert all("protocols and repeats of" in one for one in said)
