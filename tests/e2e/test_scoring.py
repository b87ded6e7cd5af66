"""Scores of a study of real questions: graded, compared in pairs with a kill in the middle, and changed for nothing.

Four questions by default; ``PARLEY_SCORED_QUESTIONS=80`` scores the whole of MT-bench.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ledger.studies.scores import ScoreReader
from tests.fakes import mt_bench
from tests.fakes.accounts import Kill, kill, needless
from tests.fakes.installation import Installation, installation
from tests.fakes.real_studies import begin, ended, parley, progress, write_study

QUESTIONS = int(os.environ.get("PARLEY_SCORED_QUESTIONS", "4"))
SECONDS = 180 + 30 * QUESTIONS

pytestmark = [pytest.mark.long, pytest.mark.timeout(SECONDS), *mt_bench.MARKS]

_MANY = 40
"""Questions from which on two draws of an interval differ by a little alone."""
NAME = "scored"
ARMS = ("single-lab", "council-lab", "consensus-lab", "debate-lab", "samples")
STUDY = """\
name = "scored"
seed = 7
window = 12
[dataset]
path = "questions.jsonl"
id = "id"
question = "prompt"
[panels.lab]
models = ["rehearsal:openai/gpt-5.2", "rehearsal:google/gemini-3-flash-preview", "rehearsal:zai-glm-4.7"]
[grid]
protocols = ["single", "council", "consensus", "debate"]
[[arms]]
name = "samples"
protocol = "self-consistency"
panel = "lab"
options = { samples = "like council-lab" }
"""
_PANEL = """
[panels.judges]
models = ["rehearsal:anthropic/claude-opus-4.6", "rehearsal:x-ai/grok-4", "rehearsal:zai-glm-4.7"]
"""
SCORERS = """
[scorers.grade]
kind = "graded"
panel = "judges"
right_from = {right_from}
[scorers.council-grade]
kind = "graded"
protocol = "council"
panel = "judges"
[scorers.prefer]
kind = "pairwise"
panel = "judges"
window = 4
"""


@dataclass(frozen=True)
class Scored:
    """The study and what its scorers said."""

    installed: Installation
    home: Path
    kills: list[Kill]
    arrivals: Any
    scores: list[dict[str, Any]]
    shown: dict[str, Any]


async def _score(installed: Installation, home: Path, right_from: int, more: str = "") -> dict[str, Any]:
    file = home / "scorers.toml"
    file.write_text(SCORERS.format(right_from=right_from) + more + _PANEL)
    shown: dict[str, Any] = json.loads(
        await parley(installed, "score", NAME, "--with", str(file), "--json", within=SECONDS)
    )
    return shown


async def _kill_a_worker_among_pairs(installed: Installation) -> list[Kill]:
    """Kill the worker with -9 when some pairs are judged and others are being asked, and start it again."""
    async with ScoreReader(installed.settings.database_url) as ledger:
        while not (begun := await ledger.gradings(NAME, "prefer")):  # noqa: ASYNC110 - another process's work
            await asyncio.sleep(0.05)
    study = begun[0].grading
    while not (await progress(installed, study)).completed:  # noqa: ASYNC110 - another process's work
        await asyncio.sleep(0.05)
    killed = await kill(installed, "worker")
    await installed.start_worker()
    return [killed]


async def _exported(installed: Installation, home: Path) -> list[dict[str, Any]]:
    await parley(installed, "export", NAME, "--what", "scores", "-o", str(home / "scores.jsonl"), "--force")
    return [json.loads(line) for line in (home / "scores.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
async def scored(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scored]:
    """The study, scored while its worker is killed."""
    home = tmp_path_factory.mktemp("scored")
    asked = [row["turns"][0] for row in mt_bench.questions()[:QUESTIONS]]
    async with installation(home, latency_ms=60) as installed:
        await begin(installed, write_study(home, STUDY, asked))
        await ended(installed, NAME)
        killing = asyncio.create_task(_kill_a_worker_among_pairs(installed))
        shown = await _score(installed, home, right_from=6)
        kills = await killing
        yield Scored(installed, home, kills, await installed.arrivals(), await _exported(installed, home), shown)


async def test_no_judgement_is_paid_twice(scored: Scored) -> None:
    """A worker that is killed among the pairs repeats only what it had in flight, and every pair is judged once."""
    pairs = [one for one in scored.scores if one["scorer"] == "prefer"]
    wanted = QUESTIONS * len(ARMS) * (len(ARMS) - 1) // 2

    assert needless(scored.arrivals, scored.kills) == []
    assert (len(pairs), len({(one["deliberation_id"], one["other_id"]) for one in pairs})) == (wanted, wanted)


async def test_scoring_again_requests_nothing(scored: Scored) -> None:
    """The same scorers, and a moved threshold, are written down without a call."""
    before = len(await scored.installed.arrivals())
    same = await _score(scored.installed, scored.home, right_from=6)
    moved = await _score(scored.installed, scored.home, right_from=9)

    assert len(await scored.installed.arrivals()) == before
    assert same == scored.shown
    right = {
        name: sum(one["share_right"]["value"] or 0 for one in _scorer(shown, "grade")["arms"])
        for name, shown in (("same", same), ("moved", moved))
    }
    assert right["moved"] < right["same"]


_RULES = {
    "first rule": 'read = "exact"',
    "rule corrected": 'read = "contains"',
    "alias added": 'read = "contains"\naccepted = {{ q1 = ["{word}"] }}',
}


async def test_a_corrected_rule_and_an_alias_request_nothing(
    scored: Scored, capsys: pytest.CaptureFixture[str]
) -> None:
    """Labels, their rule and what else is right change after everything was paid, and no call is made."""
    before = len(await scored.installed.arrivals())
    lines = [f"q{number},filler B\n" for number in range(1, QUESTIONS + 1)]
    (scored.home / "labels.csv").write_text("".join(("id,label\n", *lines)))
    right = {}
    for name, rule in _RULES.items():
        table = f'[scorers.right]\nlabels = {{ path = "labels.csv" }}\n{rule.format(word="sentence")}\n'
        shown = await _score(scored.installed, scored.home, right_from=6, more=table)
        said = [one for one in await _exported(scored.installed, scored.home) if one["scorer"] == "right"]
        right[name] = sum(one["value"] or 0 for one in said)
        assert _scorer(shown, "right")["calls"] == 0
    calls_made = len(await scored.installed.arrivals()) - before
    with capsys.disabled():
        print(f"\n  right after each change: {right}; {calls_made} calls")

    assert calls_made == 0
    assert right["first rule"] < right["rule corrected"] <= right["alias added"]


async def test_figures_are_those_of_other_libraries(scored: Scored, capsys: pytest.CaptureFixture[str]) -> None:
    """Means, intervals, win rates, strengths and agreement, computed once more by pandas, scipy and statsmodels."""
    pd, stats = pytest.importorskip("pandas"), pytest.importorskip("scipy.stats")
    frame = pd.DataFrame([one for one in scored.scores if one["kind"] == "graded"])
    frame["arm"] = [one.rpartition(".")[2] for one in frame.deliberation_id]
    wide = frame.pivot_table(index="deliberation_id", columns="scorer", values="value").dropna()
    for name in ("grade", "council-grade"):
        for arm in _scorer(scored.shown, name)["arms"]:
            values = frame[(frame.scorer == name) & (frame.arm == arm["arm"])].value.dropna()
            assert arm["mean"]["value"] == pytest.approx(values.mean())
            sure = arm["mean"]["interval"]
            if sure is not None and sure["method"] == "bca":
                drawn = stats.bootstrap((values.to_numpy(),), _mean, rng=3).confidence_interval
                assert (sure["low"], sure["high"]) == pytest.approx(
                    tuple(drawn), abs=0.3 if QUESTIONS < _MANY else 0.06
                )
    (agreed,) = scored.shown["agreement"]
    assert agreed["rank_correlation"] == pytest.approx(wide["grade"].corr(wide["council-grade"], method="spearman"))
    assert agreed["mean_difference"] == pytest.approx((wide["grade"] - wide["council-grade"]).mean())
    found = _scorer(scored.shown, "prefer")["preferences"]
    pairs = pd.DataFrame([one["details"] for one in scored.scores if one["kind"] == "pairwise"])
    pairs["won"] = [_won(one, one["arm"]) for one in pairs.to_dict("records")]
    both = (pairs.as_first == pairs.as_second) & pairs.as_first.isin(["first", "second"])
    for position in ("first", "second"):
        share = float((both & (pairs.as_first == position)).mean())
        assert found["position"][position]["value"] == pytest.approx(share)
    for rate in found["rates"]:
        of = pairs[[{one.arm, one.other} == {rate["arm"], rate["other"]} for one in pairs.itertuples()]]
        won = of.won.where(of.arm == rate["arm"], 1 - of.won)
        assert rate["rate"]["value"] == pytest.approx(won.mean())
    if found["strengths"] is not None:
        _check_strengths(found["strengths"], pairs)
    with capsys.disabled():
        print(f"\n  {len(pairs)} pairs of {QUESTIONS} questions, {len(wide)} deliberations graded twice")
        for one in (found["strengths"] or {"arms": []})["arms"]:
            print(f"  {one['arm']}: strength {one['strength']:+.3f} ({one['low']:+.3f} to {one['high']:+.3f})")
        print(f"  agreement: kappa {agreed['kappa']}, alpha {agreed['alpha']}, rank {agreed['rank_correlation']}")


def _check_strengths(strengths: dict[str, Any], pairs: Any) -> None:
    """Fit the same model with statsmodels, and compare strengths."""
    sm, np = pytest.importorskip("statsmodels.api"), pytest.importorskip("numpy")
    arms = sorted({*pairs.arm, *pairs.other})
    design = np.array([[(one.arm == arm) - float(one.other == arm) for arm in arms[1:]] for one in pairs.itertuples()])
    fitted = sm.GLM(pairs.won.to_numpy(), design, family=sm.families.Binomial()).fit()
    ours = {one["arm"]: one["strength"] for one in strengths["arms"]}
    assert [ours[arm] - ours[arms[0]] for arm in arms[1:]] == pytest.approx(list(fitted.params), abs=1e-4)


async def test_a_comparison_takes_a_score_for_what_is_right(scored: Scored) -> None:
    """The arms of a study without labels have an accuracy by the grade."""
    compared = json.loads(await parley(scored.installed, "compare", NAME, "--score", "grade", "--json"))

    assert compared["metric"] == "accuracy"
    assert [one["labelled"] for one in compared["arms"]] == [QUESTIONS] * len(ARMS)


def _scorer(shown: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in shown["scorers"] if one["scorer"] == name)
    return found


def _mean(values: Any, axis: int = -1) -> Any:
    return values.mean(axis=axis)


def _won(pair: dict[str, Any], arm: str) -> float:
    first, second = pair["as_first"], pair["as_second"]
    is_consistent = {first, second} == {"first", "second"}
    value = float(first == "first") if is_consistent else 0.5
    return value if pair["arm"] == arm else 1 - value
