"""Fifty rounds for real (seed 004, "Safety Limits"): what they ask, what they leave, and what their history weighs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from temporalio.client import WorkflowQueryFailedError

from protocols.consensus.model import SPEAKERS, SyncEvent
from protocols.model_call import Sampling
from tests.fakes.accounts import per_call
from tests.fakes.installation import Installation, installation
from tests.fakes.rehearsals import Handle, Held, begin, concluded, hold, rehearsed
from workflows.consensus import ConsensusWorkflow

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(240)]

ROUNDS, CALLS = 50, 300
HEAVY = 60_000
LARGEST_HISTORY = 5_000_000
"""Bytes of one run: a tenth of what the server takes, and what the Web UI still shows at once."""

SHORT_ROUNDS = 12
SHORT_RUN = ("--dynamic-config-value", "limit.historyCount.suggestContinueAsNew=60")
"""So short a history that a run has two rounds."""


@pytest.fixture(scope="module")
async def installed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """One installation whose models answer at once."""
    async with installation(tmp_path_factory.mktemp("rounds")) as everything:
        yield everything


@pytest.fixture(scope="module")
async def fifty(installed: Installation) -> Held:
    """Fifty rounds of three models that never accept."""
    return await hold(installed, rehearsed("never-accepts"), "fifty")


@pytest.fixture(scope="module")
async def heavy(installed: Installation) -> Held:
    """Fifty rounds of three models that never accept and answer at a length of 60 KB, which no limit cuts."""
    return await hold(installed, rehearsed("long-60kb", sampling=Sampling(max_tokens=20_000)), "heavy")


def weights(held: Held) -> str:
    """The runs of a consensus as a user reads them."""
    return "".join(f"\n    run {n}: {run.events} events, {run.size:,} bytes" for n, run in enumerate(held.runs, 1))


class TestFiftyRounds:
    """No one ever accepts."""

    def test_fifty_rounds_are_three_hundred_calls(self, fifty: Held, capsys: pytest.CaptureFixture[str]) -> None:
        """Three turns and three checks a round, each asked once, and no curator."""
        counts = per_call(fifty.arrivals)
        with capsys.disabled():
            print(f"\n  {ROUNDS} rounds without consensus: {len(counts)} calls, {len(fifty.arrivals)} arrivals", end="")
            print(weights(fifty))

        assert (CALLS, CALLS, CALLS) == (len(counts), len(fifty.arrivals), fifty.result.spent.calls)
        assert "curation" not in {arrival["stage"] for arrival in fifty.arrivals}
        assert fifty.result.curation is None

    def test_the_limit_ends_it_with_the_draft_as_it_is(self, fifty: Held) -> None:
        """Seed 004, "Safety Limits": after fifty rounds the last draft is the verdict, and is no consensus."""
        result = fifty.result
        last = result.conversation.messages[-1]

        assert ("round_limit", False, ROUNDS) == (result.stop_reason, result.consensus_achieved, len(result.rounds))
        assert ("validator", ROUNDS, result.verdict, "draft") == (
            last.speaker,
            last.round,
            last.content,
            result.written_by,
        )
        assert last.content.endswith("(Revision 149.)")

    def test_every_call_has_its_row(self, fifty: Held) -> None:
        """Seed 004, "Database Tracking": six rows a round, none of them an acceptance, none of a curator."""
        stages = [*SPEAKERS, *(f"consensus_check_{name}" for name in SPEAKERS)]
        rows = sorted((row.round_number, row.stage_name, row.flag) for row in fifty.iterations)

        assert sorted((n, stage, 0) for n in range(1, ROUNDS + 1) for stage in stages) == rows


class TestHistory:
    """What a consensus weighs."""

    def test_short_answers_stay_below_five_megabytes(self, fifty: Held) -> None:
        """Texts that are in the history itself, fifty rounds of them, leave it far below the server's limit."""
        assert LARGEST_HISTORY > max(run.size for run in fifty.runs)

    def test_fifty_rounds_of_sixty_kilobytes(self, heavy: Held, capsys: pytest.CaptureFixture[str]) -> None:
        """Six answers of 60 KB in each of fifty rounds: every run's history stays below 5 MB."""
        result = heavy.result
        said = [message.content for message in result.conversation.messages]
        corrected = [turn.text for turn in result.checks]
        with capsys.disabled():
            print(f"\n  {ROUNDS} rounds of 60 KB: {sum(map(len, said + corrected)):,} characters of answers", end="")
            print(weights(heavy))

        assert (ROUNDS, CALLS, CALLS) == (len(result.rounds), len(heavy.arrivals), len(said + corrected))
        assert 0.99 * HEAVY < min(map(len, said + corrected))
        assert LARGEST_HISTORY > max(run.size for run in heavy.runs)


@dataclass
class Watcher:
    """One who looks again and again, and remembers the moments, the rounds and the length of the transcript."""

    events: list[SyncEvent] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    drawn: list[int] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)

    async def look(self, handle: Handle) -> None:
        """Ask every query once."""
        since = self.events[-1].number if self.events else 0
        self.events += await handle.query(ConsensusWorkflow.events, since)
        self.rounds.append((await handle.query(ConsensusWorkflow.state)).round)
        self.drawn.append((await handle.query(ConsensusWorkflow.visual_state)).current_round)
        with suppress(WorkflowQueryFailedError):  # a run that has just taken over says that it still recalls
            self.turns.append(len((await handle.query(ConsensusWorkflow.transcript)).turns))


@dataclass(frozen=True)
class Watched:
    """A consensus over several runs, and who watched it from its beginning to its end."""

    held: Held
    watcher: Watcher


@pytest.fixture(scope="module")
async def watched(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Watched]:
    """Twelve rounds on a server that suggests another run early, watched all the time."""
    home = tmp_path_factory.mktemp("runs")
    async with installation(home, latency_ms=50, server_flags=SHORT_RUN) as installed:
        handle = await begin(installed, rehearsed("never-accepts", max_rounds=SHORT_ROUNDS), "runs")
        watcher = Watcher()
        ending: asyncio.Task[Any] = asyncio.create_task(handle.result())
        while not ending.done():
            await watcher.look(handle)
        await ending
        await watcher.look(handle)
        yield Watched(await concluded(installed, handle, 0), watcher)


class TestSeveralRuns:
    """A loop that is longer than a history continues in another run of the same workflow."""

    def test_it_goes_on_under_the_same_id(self, watched: Watched, capsys: pytest.CaptureFixture[str]) -> None:
        """Several runs, one workflow id, and a ledger that distinguishes them."""
        held = watched.held
        with capsys.disabled():
            print(f"\n  {SHORT_ROUNDS} rounds on a server that wants short runs:{weights(held)}")

        assert len(held.runs) > 2
        assert {run.id for run in held.runs} == {row.run_id for row in held.iterations}
        assert ("consensus-runs", 72) == (held.result.deliberation_id, len(held.iterations))

    def test_the_conversation_is_whole(self, watched: Watched) -> None:
        """All 36 messages in order, and all 72 calls, each asked once."""
        held, result = watched.held, watched.held.result

        assert [(name, n) for n in range(1, SHORT_ROUNDS + 1) for name in SPEAKERS] == [
            (message.speaker, message.round) for message in result.conversation.messages
        ]
        assert {1} == set(per_call(held.arrivals).values())
        assert (72, 72, "round_limit") == (len(held.arrivals), result.spent.calls, result.stop_reason)

    def test_a_watcher_misses_no_moment(self, watched: Watched) -> None:
        """Moments that are asked for from the last one on are numbered without a gap, whatever run shows them."""
        numbers = [event.number for event in watched.watcher.events]

        assert list(range(1, 8 * SHORT_ROUNDS + 1)) == numbers

    def test_nothing_goes_back_when_the_run_changes(self, watched: Watched) -> None:
        """The round in both views and the transcript only ever grow, and end whole."""
        watcher = watched.watcher

        assert sorted(watcher.rounds) == watcher.rounds
        assert sorted(watcher.drawn) == watcher.drawn
        assert sorted(watcher.turns) == watcher.turns
        assert (SHORT_ROUNDS, SHORT_ROUNDS, 72) == (watcher.rounds[-1], watcher.drawn[-1], watcher.turns[-1])
