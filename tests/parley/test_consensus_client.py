"""A consensus from Python, on a real server with scripted models."""

import asyncio
import sys
from typing import Any

import pytest

from parley.client import Parley
from parley.deliberations import Deliberation
from parley.errors import (
    IdUsedError,
    NoSuchQueryError,
    UnknownDeliberationError,
    UpdateRefusedError,
)
from protocols.consensus.model import ConsensusResult
from protocols.model_call import Failed, ModelCall
from tests.fakes.consensuses import accepting, converging
from tests.fakes.councils import agreeable
from tests.fakes.models import ScriptedModels, refused_by_provider
from tests.fakes.server import RunningServer
from tests.fakes.staff import staff

SEATS: dict[str, Any] = {"generator": "a", "refiner": "b", "validator": "c", "curator": "a"}
NEVER = 99
"""A round in which no one would accept any more."""


def refuses(call: ModelCall) -> str | Exception | Failed:
    """No provider answers."""
    return refused_by_provider()


async def held_at(
    call_id: str, parley: Parley, models: ScriptedModels, **options: Any
) -> Deliberation[ConsensusResult]:
    """A consensus in which the call of that id is being made and is not answered."""
    models.hold.add(call_id)
    deliberation = await parley.start_consensus("Why?", **{**SEATS, **options})
    while not any(call.call_id == call_id for call in models.calls):  # noqa: ASYNC110 - the script has no event
        await asyncio.sleep(0.02)
    return deliberation


async def test_consensus_returns_its_verdict(parley: Parley) -> None:
    """One call from question to verdict, under an id that reads."""
    async with staff(parley.client, ScriptedModels(accepting)):
        result = await parley.consensus("Why is the sky blue?", **SEATS)
    assert "The first draft. Polished." == result.verdict
    assert result.deliberation_id.startswith("consensus-why-is-the-sky-blue-")


async def test_id_is_used_once_over_all_protocols(parley: Parley) -> None:
    """The id of a consensus that runs is no id for a council, and the same consensus attaches to it."""
    models = ScriptedModels(accepting)
    async with staff(parley.client, models):
        first = await held_at("r01-generator", parley, models, id="shared")
        with pytest.raises(IdUsedError, match="something else"):
            await parley.start_council("Why?", models=["a", "b"], chair="c", id="shared")
        second = await parley.start_consensus("Why?", **SEATS, id="shared")
        models.hold.clear()
        assert await first.result() == await second.result()
    assert 7 == len(models.calls)


async def test_start_is_listed_with_its_columns(parley: Parley) -> None:
    """Before the first call the list knows the protocol; while it runs it knows the round."""
    models = ScriptedModels(converging(NEVER))
    started = await parley.start_consensus("Why so?", **SEATS)
    before = await parley.about(started.id)
    await started.handle.terminate()
    async with staff(parley.client, models):
        deliberation = await held_at("r02-refiner", parley, models)
        line = await parley.about(deliberation.id)
        await parley.stop(deliberation.id)
    assert ("consensus", "ready", "Why so?", None) == (before.protocol, before.stage, before.title, before.round)
    assert ("refiner", 2) == (line.stage, line.round)


async def test_running_bar_follows_the_tokens(parley: Parley) -> None:
    """The bar follows the streamed tokens: 7 of 40 are 16 of 90 (seed 004)."""
    models = ScriptedModels(accepting)
    async with staff(parley.client, models):
        deliberation = await held_at("r01-refiner", parley, models)
        while not (state := await deliberation.visual_state()).stage_progress:  # noqa: ASYNC110 - a heartbeat's time
            await asyncio.sleep(0.05)
        models.hold.clear()
        await deliberation.result()
        last = await deliberation.visual_state()
    assert ("refiner", "REFINE", 16) == (state.current_stage, state.phase, state.stage_progress)
    assert [100, 16, 0, 0] == [bar.progress for bar in state.stages.values()]
    assert [100] * 4 == [bar.progress for bar in last.stages.values()]


async def test_council_has_no_change_of_a_consensus(parley: Parley) -> None:
    """What only a consensus knows is refused by a council in plain words, and the council continues."""
    models = ScriptedModels(agreeable)
    models.hold.add("opinion-p1")
    async with staff(parley.client, models):
        council = await parley.start_council("Why?", models=["a", "b"], chair="c")
        for change in (parley.accept_draft, parley.stop_after_round):
            with pytest.raises(UpdateRefusedError, match="a council has no such change"):
                await change(council.id)
        with pytest.raises(UpdateRefusedError, match="a council has no such change"):
            await parley.add_rounds(council.id, 3)
        with pytest.raises(NoSuchQueryError, match="a council has no 'visual_state'"):
            await council.visual_state()
        with pytest.raises(NoSuchQueryError, match="a council has no 'events'"):
            await anext(council.events())
        models.hold.clear()
        assert "verdict" == (await council.result()).stop_reason


async def test_unknown_id_is_reported_so(parley: Parley) -> None:
    """Whatever is asked of an id that no one used, the message says where ids are listed."""
    for change in (parley.accept_draft, parley.stop_after_round):
        with pytest.raises(UnknownDeliberationError, match="parley list"):
            await change("nobody")
    with pytest.raises(UnknownDeliberationError, match="parley list"):
        await parley.deliberation("nobody").visual_state()
    with pytest.raises(UnknownDeliberationError, match="parley list"):
        await anext(parley.deliberation("nobody").events())


async def run(server: RunningServer, *arguments: str) -> tuple[int, str]:
    """Run the program on ``server``: its exit code, and what it printed for the user."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "starter.cli", *arguments),
        env={"TEMPORAL_ADDRESS": server.address, "PARLEY_HOME": str(server.settings.home), "PYTHONPATH": sys.path[0]},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, told = await process.communicate()
    return process.returncode or 0, told.decode()


@pytest.mark.long
@pytest.mark.timeout(120)
async def test_commands_change_a_consensus_that_runs(parley: Parley, server: RunningServer) -> None:
    """``rounds``, ``stop --after-round`` and ``accept`` do what they state; what makes no sense ends with 2."""
    models = ScriptedModels(converging(NEVER))
    async with staff(parley.client, models):
        deliberation = await held_at("r01-validator", parley, models, max_rounds=2)
        beyond = await run(server, "rounds", deliberation.id, "+49")
        more = await run(server, "rounds", deliberation.id, "+7")
        last = await run(server, "stop", deliberation.id, "--after-round", "--reason", "late")
        accepted = await run(server, "accept", deliberation.id, "--note", "good enough")
        codes = [beyond[0], more[0], last[0], accepted[0]]
        assert [2, 0, 0, 0] == codes, (beyond, more, last, accepted)  # without an acceptance the result never comes
        result = await deliberation.result()
    assert "at most 50 rounds, and 2 are allowed already" in beyond[1]
    assert ("accepted", "good enough") == (result.stop_reason, result.remark)
