"""Fifty rounds twice: once undisturbed, once with worker and server killed ten times. Both say the same."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from tests.fakes.accounts import Arrival, Kill, kill, needless, per_call
from tests.fakes.installation import Installation, installation
from tests.fakes.rehearsals import Held, begin, concluded, hold, rehearsed

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(280)]

KILLS, CALLS = 10, 300
LATENCY_MS = 30
SEED = 12
"""Seed of the moments, the victims and the pauses."""


@dataclass(frozen=True)
class Twice:
    """The same consensus twice, and what was done to the second one."""

    undisturbed: Held
    disturbed: Held
    kills: list[Kill]


async def disturb(installed: Installation, since: int) -> list[Kill]:
    """Kill worker or server at ten random moments, spread over the calls; restart at once or after a second."""
    rng, kills = Random(SEED), []
    for number in sorted(rng.sample(range(5, CALLS - 15), KILLS)):
        while len(await installed.arrivals(since)) < number:  # noqa: ASYNC110 - another process's calls set no event
            await asyncio.sleep(0.03)
        await asyncio.sleep(rng.uniform(0, 2 * LATENCY_MS / 1000))
        victim = rng.choice(("worker", "server"))
        kills.append(await kill(installed, victim))
        await asyncio.sleep(rng.choice((0, 1)))
        await (installed.start_worker() if victim == "worker" else installed.start_server())
    return kills


@pytest.fixture(scope="module")
async def twice(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Twice]:
    """Both of them, one after the other, in one installation with models that never accept."""
    inp = rehearsed("never-accepts")
    async with installation(tmp_path_factory.mktemp("rounds"), latency_ms=LATENCY_MS) as installed:
        undisturbed = await hold(installed, inp, "undisturbed")
        since = len(await installed.arrivals())
        handle = await begin(installed, inp, "disturbed")
        kills = await disturb(installed, since)
        yield Twice(undisturbed, await concluded(installed, handle, since), kills)


def test_ten_kills_change_nothing_of_what_comes_out(twice: Twice) -> None:
    """The same verdict, the same messages and the same opinions as without any kill."""
    calm, killed = twice.undisturbed.result, twice.disturbed.result

    assert ("round_limit", False, 50) == (killed.stop_reason, killed.partial, len(killed.rounds))
    assert (calm.verdict, calm.rounds) == (killed.verdict, killed.rounds)
    assert calm.conversation.messages == killed.conversation.messages


def test_no_answer_is_asked_for_again(twice: Twice, capsys: pytest.CaptureFixture[str]) -> None:
    """Only what was in flight in a killed worker arrives a second time; nothing that was written down does."""
    arrivals, kills = twice.disturbed.arrivals, twice.kills
    counts, found = per_call(arrivals), needless(arrivals, kills)
    killed = [kill.victim for kill in kills]
    with capsys.disabled():
        print(
            f"\n  {len(kills)} kills (worker {killed.count('worker')}, server {killed.count('server')}): "
            f"{len(counts)} calls, {len(arrivals)} arrivals, "
            f"{len(arrivals) - len(counts) - len(found)} repeated in flight, {len(found)} completed calls repeated"
        )

    assert {"worker", "server"} == set(killed)
    assert (KILLS, CALLS, []) == (len(kills), len(counts), found)


def test_every_call_is_written_down_once(twice: Twice) -> None:
    """However often a call was started, the ledger has one row of it: 300 for 50 rounds."""
    rows = twice.disturbed.iterations

    assert (CALLS, CALLS) == (len(rows), len({row.key for row in rows}))
    assert {row.call_id for row in twice.undisturbed.iterations} == {row.call_id for row in rows}


def arrival(key: str, at: float, finished_at: float | None, outcome: str = "answered") -> Arrival:
    """One request, as the rehearsal server would tell it."""
    told: dict[str, Any] = {"key": key, "at": at, "finished_at": finished_at, "outcome": outcome}
    return {**told, "finished": finished_at is not None}


FIRST, AGAIN = arrival("a", 10.0, 11.0), arrival("a", 15.0, 16.0)


@pytest.mark.parametrize(
    "kills",
    [
        pytest.param([], id="nobody was killed"),
        pytest.param([Kill("server", 10.5)], id="a server does not ask"),
        pytest.param([Kill("worker", 9.0)], id="the worker was killed before"),
        pytest.param([Kill("worker", 12.0)], id="the worker was killed long after the answer"),
        pytest.param([Kill("worker", 11.1, frozenset("a"))], id="the answer was written down"),
    ],
)
def test_a_needless_repeat_is_found(kills: list[Kill]) -> None:
    """A call that arrives again without a reason is noticed, whatever was killed besides."""
    assert [AGAIN] == needless([FIRST, AGAIN], kills)


def test_a_repeat_of_what_was_in_flight_is_none() -> None:
    """A worker that was killed while it waited, or before it could write the answer down, is a reason."""
    assert [] == needless([FIRST, AGAIN], [Kill("worker", 10.5)])
    assert [] == needless([FIRST, AGAIN], [Kill("worker", 11.1)])
