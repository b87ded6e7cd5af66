"""The moments of a consensus, followed from outside: all of them, in order, each once, whatever happens meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from temporalio.service import RPCError

from parley import consensus_display, workflow_rpc
from parley.client import Parley
from parley.deliberations import Deliberation
from parley.errors import DeliberationFailedError, RequestError
from parley.watch import watch
from protocols.consensus.model import SyncEvent
from protocols.deliberation import DeliberationResult
from tests.fakes.consensuses import accepting, converging
from tests.fakes.installation import installation
from tests.fakes.models import ScriptedModels
from tests.fakes.server import local_server, settings_in
from tests.fakes.staff import staff

SEATS: dict[str, Any] = {"generator": "a", "refiner": "b", "validator": "c", "curator": "a"}

EVENTS = 60
"""So short a history that a run has a round or two."""

OF_A_ROUND = [
    "round_started",
    *["model_started", "model_completed"] * 3,
    "round_completed",
]
OF_THE_END = ["consensus_achieved", "model_started", "model_completed"]


async def followed(deliberation: Deliberation[DeliberationResult]) -> list[SyncEvent]:
    """Every moment until there is none any more."""
    return [event async for event in deliberation.events(every=0.05)]


def points(events: list[SyncEvent]) -> list[str]:
    """The moments by their names."""
    return [event.point for event in events]


@pytest.fixture(scope="module")
async def short(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Parley]:
    """A connection to a real server that suggests to continue as new after very few events."""
    async with local_server(events=EVENTS) as env:
        settings = settings_in(tmp_path_factory.mktemp("short"))
        yield await Parley.connect(settings, address=env.client.service_client.config.target_host)


async def test_every_moment_comes_once_and_in_order(parley: Parley) -> None:
    """Followed from the start, the moments are those of seed 004, "Implementation Sync Points", and then it ends."""
    async with staff(parley.client, ScriptedModels(converging(2))):
        deliberation = await parley.start_consensus("Why?", **SEATS)
        events = await followed(deliberation)
    assert [*OF_A_ROUND * 2, *OF_THE_END] == points(events)
    assert list(range(1, len(events) + 1)) == [event.number for event in events]


async def test_events_come_while_it_is_held(parley: Parley) -> None:
    """A moment is reported before the next call is answered: no one waits for the end."""
    models = ScriptedModels(accepting)
    models.hold.add("r01-validator")
    told: list[str] = []
    async with staff(parley.client, models):
        deliberation = await parley.start_consensus("Why?", **SEATS)
        async for event in deliberation.events(every=0.05):
            told.append(event.point)
            if event.state.current_stage == "validator":
                models.hold.clear()
    assert [*OF_A_ROUND, *OF_THE_END] == told


async def test_missing_worker_is_waited_for(parley: Parley, monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker runs yet, and queries go unanswered: the first moment is waited for, and none is missed."""
    monkeypatch.setattr(consensus_display, "QUERY_SECONDS", timedelta(seconds=0.2))
    deliberation = await parley.start_consensus("Why?", **SEATS)
    following = asyncio.create_task(followed(deliberation))
    with pytest.raises(RPCError):
        await workflow_rpc.ask(deliberation.handle, workflow_rpc.STATE, within=timedelta(seconds=1))
    async with staff(parley.client, ScriptedModels(accepting)):
        assert [*OF_A_ROUND, *OF_THE_END] == points(await following)


async def test_events_go_on_over_all_runs(short: Parley) -> None:
    """A consensus that continues in other runs has one sequence of events for its follower."""
    async with staff(short.client, ScriptedModels(converging(6))):
        deliberation = await short.start_consensus("Why?", **SEATS)
        events = await followed(deliberation)
    assert [*OF_A_ROUND * 6, *OF_THE_END] == points(events)
    assert list(range(1, len(events) + 1)) == [event.number for event in events]


async def test_the_end_is_noticed_over_all_runs(short: Parley) -> None:
    """A deliberation that continues in other runs is seen to end long before the next look is due."""
    models = ScriptedModels(converging(6))
    models.hold.add("r01-validator")
    async with staff(short.client, models):
        deliberation = await short.start_consensus("Why?", **SEATS)
        sights = watch(deliberation.handle, every=3600)
        assert not (await anext(sights)).is_over
        models.hold.clear()
        assert (await anext(sights)).is_over


async def test_what_ended_before_its_question_is_not_waited_for(parley: Parley) -> None:
    """A question of several turns that is cancelled during the first has no moment and no state: both end at once."""
    models = ScriptedModels(accepting)
    models.hold.add("r01-generator")
    async with staff(parley.client, models):
        deliberation = await parley.start_consensus(["Why?", "And then?"], **SEATS)
        sights = watch(deliberation.handle)
        assert "is being prepared" in (await anext(sights)).note
        await parley.cancel(deliberation.id)
        with pytest.raises(DeliberationFailedError):
            await deliberation.result()
        assert [] == await followed(deliberation)
        with pytest.raises(RequestError, match="ended before it could answer: parley show"):
            await deliberation.state()
        assert [("canceled", "")] == [(sight.status, sight.note) async for sight in sights if sight.is_over]


@pytest.mark.long
async def test_who_comes_late_is_reported_everything(short: Parley) -> None:
    """What the last run does not have any more is asked of the runs before it."""
    async with staff(short.client, ScriptedModels(converging(9))):
        deliberation = await short.start_consensus("Why?", **SEATS)
        result = await deliberation.result()
        late = await followed(deliberation)
    assert 9 == len(result.rounds)
    assert list(range(1, 9 * len(OF_A_ROUND) + len(OF_THE_END) + 1)) == [event.number for event in late]


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.timeout(120)
async def test_killed_server_and_worker_cost_no_moment(tmp_path: Path) -> None:
    """Server and worker are killed and come back while it is followed: nothing is missed and nothing reported twice."""
    async with installation(tmp_path, latency_ms=300) as installed:
        address = f"127.0.0.1:{installed.settings.server_port}"
        deliberation = await (await Parley.connect(installed.settings, address=address)).start_consensus(
            "Why is the sky blue?", rehearse=True
        )
        following = asyncio.create_task(followed(deliberation))
        await anext(deliberation.events())
        installed.kill("worker")
        installed.kill("server")
        with pytest.raises(RPCError):
            await workflow_rpc.ask(deliberation.handle, workflow_rpc.STATE, within=timedelta(seconds=1))
        await installed.start_server()
        with pytest.raises(RPCError):
            await workflow_rpc.ask(deliberation.handle, workflow_rpc.STATE, within=timedelta(seconds=6))
        await installed.start_worker()
        told = await following
    assert list(range(1, len(told) + 1)) == [event.number for event in told]
    assert (OF_A_ROUND, OF_THE_END) == (points(told)[: len(OF_A_ROUND)], points(told)[-len(OF_THE_END) :])
