"""A study of real questions whose worker, server and both are killed: it continues when they are there again.

Twelve questions by default; ``PARLEY_STUDY_QUESTIONS=80`` holds the whole of MT-bench.
"""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from studies.runs.status import StudyStatus
from tests.fakes import mt_bench
from tests.fakes.accounts import Arrival, Kill, needless, per_call
from tests.fakes.installation import Installation, installation
from tests.fakes.real_studies import begin, calls, ended, parley, progress, write_study

QUESTIONS = int(os.environ.get("PARLEY_STUDY_QUESTIONS", "12"))
SECONDS = 120 + 12 * QUESTIONS

pytestmark = [pytest.mark.long, pytest.mark.timeout(SECONDS), *mt_bench.MARKS]

NAME = "kills"
ARMS = ("single-lab", "council-lab", "consensus-lab", "mixture-lab")
"""Four protocols on one panel."""
INSTANCES = QUESTIONS * len(ARMS)
LATENCY_MS = 120
KILLED = {0.25: ("worker",), 0.5: ("server",), 0.75: ("worker", "server")}
"""Who is killed when which share of the deliberations has ended."""
STUDY = """\
name = "kills"
seed = 7
window = 12
[dataset]
path = "questions.jsonl"
id = "id"
question = "prompt"
[panels.lab]
models = ["rehearsal:openai/gpt-5.2", "rehearsal:google/gemini-3-flash-preview", "rehearsal:zai-glm-4.7"]
[grid]
protocols = ["single", "council", "consensus", "mixture"]
"""


@dataclass(frozen=True)
class Held:
    """The study when it was over."""

    standing: StudyStatus
    seconds: float
    kills: list[Kill]
    arrivals: list[Arrival]
    call_keys: list[str]
    """Of the ledger's lines of its calls."""
    lines: list[dict[str, Any]]
    """Of the export."""
    compared: dict[str, Any]
    report: Path


async def kill(installed: Installation, victims: tuple[str, ...]) -> list[Kill]:
    """Kill processes with -9, look at what is written down, and start them again."""
    killed = []
    for victim in victims:
        killed.append((victim, time.monotonic()))
        installed.kill(victim)
    written = await installed.answered()
    if "server" in victims:
        await installed.start_server()
    if "worker" in victims:
        await installed.start_worker()
    return [Kill(victim, at, written) for victim, at in killed]


async def disturb(installed: Installation) -> list[Kill]:
    """Kill a process as soon as so many deliberations have ended and some models are being asked."""
    kills: list[Kill] = []
    for share, victims in KILLED.items():
        while (await progress(installed, NAME)).completed < share * INSTANCES:  # noqa: ASYNC110 - another process's work
            await asyncio.sleep(0.05)
        # Of calls that arrive from now on: one that was here before may end while all the others are listed.
        seen = len(await installed.arrivals())
        while all(one["finished"] for one in await installed.arrivals(seen)):  # noqa: ASYNC110 - another process's work
            await asyncio.sleep(0.01)
        kills += await kill(installed, victims)
    return kills


@pytest.fixture(scope="module")
async def held(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Held]:
    """The study, disturbed, exported, compared and reported."""
    home = tmp_path_factory.mktemp("study")
    asked = [row["turns"][0] for row in mt_bench.questions()[:QUESTIONS]]
    async with installation(home, latency_ms=LATENCY_MS) as installed:
        begun = time.monotonic()
        await begin(installed, write_study(home, STUDY, asked))
        kills = await disturb(installed)
        standing = await ended(installed, NAME)
        seconds = time.monotonic() - begun
        arrivals: Any = await installed.arrivals()
        keys = [row.key for row in await calls(installed, NAME)]
        lines, report = home / "lines.jsonl", home / "report.html"
        await parley(installed, "export", NAME, "-o", str(lines))
        await parley(installed, "report", NAME, "-o", str(report))
        compared = json.loads(await parley(installed, "compare", NAME, "--json"))
        exported = [json.loads(line) for line in lines.read_text("utf-8").splitlines()]
        yield Held(standing, seconds, kills, arrivals, keys, exported, compared, report)


def test_no_deliberation_is_lost_or_held_twice(held: Held, capsys: pytest.CaptureFixture[str]) -> None:
    """Every question reaches a verdict in every arm, and each of them is exactly one line of the export."""
    state, ids = held.standing.progress, [line["deliberation_id"] for line in held.lines]
    wanted = {f"{NAME}/q{number}.{arm}" for number in range(1, QUESTIONS + 1) for arm in ARMS}
    with capsys.disabled():
        print(
            f"\n  {INSTANCES} deliberations ({QUESTIONS} questions x {len(ARMS)} protocols) in {held.seconds:.0f} s, "
            f"{len(held.kills)} processes killed: {state.completed} completed, {state.failed} failed, "
            f"{state.missing} missing, {len(held.lines)} lines, {len(set(ids))} different"
        )

    assert ("completed", INSTANCES) == (held.standing.status, state.completed)
    assert (INSTANCES, wanted) == (len(ids), set(ids))


def test_no_answer_is_asked_for_again(held: Held, capsys: pytest.CaptureFixture[str]) -> None:
    """Only what was in flight in a killed worker arrives a second time; nothing that was written down does."""
    counts, found = per_call(held.arrivals), needless(held.arrivals, held.kills)
    repeated = len(held.arrivals) - len(counts)
    with capsys.disabled():
        print(
            f"\n  {len(counts)} calls, {len(held.arrivals)} arrivals, {repeated - len(found)} repeated that a killed "
            f"worker had in flight, {len(found)} answered calls repeated"
        )

    assert ["worker", "server", "worker", "server"] == [kill.victim for kill in held.kills]
    assert [] == found
    assert (len(counts), set(counts)) == (len(held.call_keys), set(held.call_keys))


def test_the_kills_hit_calls_in_flight(held: Held) -> None:
    """Each time that the worker was killed some models were being asked, else the kills would prove nothing."""
    hit = [
        sum(a["at"] < kill.at and (not a["finished"] or a["finished_at"] >= kill.at) for a in held.arrivals)
        for kill in held.kills
        if kill.victim == "worker"
    ]

    assert all(hit)


def test_it_can_be_compared_and_read(held: Held) -> None:
    """All arms are side by side, nothing is missing in any of them, and the report is a page of its own."""
    arms = {arm["arm"]: arm["completed"] for arm in held.compared["arms"]}

    assert dict.fromkeys(ARMS, QUESTIONS) == arms
    assert all(arm in held.report.read_text("utf-8") for arm in ARMS)
