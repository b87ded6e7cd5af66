"""Scores of a study of real questions: graded, compared in pairs with a kill in the middle, and changed for nothing.

Four questions by default; ``PARLEY_SCORED_QUESTIONS=80`` scores the whole of MT-bench.
"""

import asyncio
import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ledger.studies.scores import ScoreReader
from tests.fakes import mt_bench
from tests.fakes.accounts import Kill, needless
from tests.fakes.installation import Installation, installation
from tests.fakes.real_studies import begin, calls, ended, parley, progress, write_study

QUESTIONS = int(os.environ.get("PARLEY_SCORED_QUESTIONS", "4"))
SECONDS = 180 + 30 * QUESTIONS

pytestmark = [pytest.mark.long, pytest.mark.timeout(SECONDS), *mt_bench.MARKS]

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
options = { samples = 7 }
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


async def _score(installed: Installation, home: Path, right_from: int) -> dict[str, Any]:
    file = home / "scorers.toml"
    file.write_text(SCORERS.format(right_from=right_from) + _PANEL)
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
    at = time.monotonic()
    installed.kill("worker")
    written = frozenset(row.key for row in await calls(installed, study))
    await installed.start_worker()
    return [Kill("worker", at, written)]


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


async def test_figures_are_those_of_the_export(scored: Scored) -> None:
    """Means by arm, win rates and position bias, computed once more from the exported scores alone."""
    by_arm: defaultdict[str, list[float]] = defaultdict(list)
    for one in scored.scores:
        if one["scorer"] == "grade" and one["value"] is not None:
            by_arm[one["deliberation_id"].rpartition(".")[2]].append(one["value"])
    for arm in _scorer(scored.shown, "grade")["arms"]:
        mean = sum(by_arm[arm["arm"]]) / len(by_arm[arm["arm"]])
        assert arm["mean"]["value"] == pytest.approx(mean)
    pairs = [one["details"] for one in scored.scores if one["scorer"] == "prefer" and one["outcome"] == "scored"]
    found = _scorer(scored.shown, "prefer")["preferences"]
    both = Counter(one["as_first"] for one in pairs if one["as_first"] == one["as_second"])
    assert found["first_in_both"]["value"] == pytest.approx(both["first"] / len(pairs))
    for rate in found["rates"]:
        won = [_won(one, rate["arm"]) for one in pairs if {one["arm"], one["other"]} == {rate["arm"], rate["other"]}]
        assert rate["rate"]["value"] == pytest.approx(sum(won) / len(won))


async def test_a_comparison_takes_a_score_for_what_is_right(scored: Scored) -> None:
    """The arms of a study without labels have an accuracy by the grade."""
    compared = json.loads(await parley(scored.installed, "compare", NAME, "--score", "grade", "--json"))

    assert compared["metric"] == "accuracy"
    assert [one["labelled"] for one in compared["arms"]] == [QUESTIONS] * len(ARMS)


def _scorer(shown: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in shown["scorers"] if one["scorer"] == name)
    return found


def _won(pair: dict[str, Any], arm: str) -> float:
    first, second = pair["as_first"], pair["as_second"]
    is_consistent = {first, second} == {"first", "second"}
    value = float(first == "first") if is_consistent else 0.5
    return value if pair["arm"] == arm else 1 - value
