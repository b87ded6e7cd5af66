"""What every protocol's workflow does alike, because its base class does it."""

from typing import NamedTuple

import pytest
from temporalio.client import WorkflowFailureError, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from protocols.branch import Branch
from protocols.model_call import ModelId, ParticipantId, Spending
from protocols.progress import Progress
from protocols.transcript import Transcript
from protocols.update_requests import ReplaceParticipant, StopRequest
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import Script, ScriptedModels
from tests.workflows import holding
from tests.workflows.conftest import staff
from tests.workflows.test_degraded import PROTOCOLS, faulty
from workflows.type_names import DELIBERATIONS

NEW = ModelId("openrouter:new/model")


class First(NamedTuple):
    """A call of the first stage and its seat; the other calls of the stage are answered."""

    call_id: str
    seat: str


FIRST = {
    "council": First("opinion-p2", "p2"),
    "consensus": First("r01-refiner", "refiner"),
    "fire circle": First("r1-p2", "p2"),
    "fire-circle-baseline": First("r1-p2", "p2"),
    "debate": First("r01-p2", "p2"),
    "vote": First("answer-p2", "p2"),
    "mixture": First("layer-1-p2", "p2"),
}


def replacing(seat: str, model: str = NEW) -> ReplaceParticipant:
    """Return the argument that replaces the model of a seat."""
    return ReplaceParticipant(participant=ParticipantId(seat), model=ModelId(model))


async def refusal(handle: holding.Handle, update: str, request: object) -> str:
    """Return the message with which an update is refused."""
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await handle.execute_update(update, request)
    return str(refused.value.cause)


def test_every_protocol_keeps_the_contract() -> None:
    """A protocol that is added is tested here from its first day."""
    assert len(DELIBERATIONS) == len(FIRST)
    assert set(FIRST) <= set(PROTOCOLS)


@pytest.mark.parametrize("name", FIRST)
async def test_queries_answer_and_a_model_is_replaced_while_it_runs(env: WorkflowEnvironment, name: str) -> None:
    """A running call is put to the new model; an unknown seat and the present model are refused."""
    held, first = PROTOCOLS[name], FIRST[name]
    models = ScriptedModels(held.usual)
    models.hold = {first.call_id}
    async with staff(env, models):
        handle = await holding.start(env, held.run, held.inp)
        await holding.until_alone(handle, first.call_id)
        state = await handle.query("state", result_type=Progress)
        spent = await handle.query("cost", result_type=Spending)
        turns = await handle.query("transcript", result_type=Transcript)
        (present,) = [seat.model for seat in state.seats if seat.participant == first.seat]
        messages = [await refusal(handle, "replace_participant", replacing("p99"))]
        messages += [await refusal(handle, "replace_participant", replacing(first.seat, present))]
        await handle.execute_update("replace_participant", replacing(first.seat))
        await handle.result()
        await holding.replay(env, handle)

    assert (state.spent, True) == (spent, len(turns.turns) <= spent.calls)
    assert all(part in told for part, told in zip(("no seat", "already"), messages, strict=True))
    assert first.seat in {call.participant for call in models.calls if call.model == NEW}


@pytest.mark.parametrize("name", FIRST)
async def test_a_stop_keeps_the_result_so_far(env: WorkflowEnvironment, name: str) -> None:
    """No call is made after the stop, and the ledger has the stop reason."""
    held, first, ledger = PROTOCOLS[name], FIRST[name], FakeLedger()
    models = ScriptedModels(held.usual)
    models.hold = {first.call_id}
    async with staff(env, models, ledger):
        handle = await holding.start(env, held.run, held.inp)
        await holding.until_alone(handle, first.call_id)
        made = len(models.calls)
        await handle.execute_update("stop", StopRequest(reason="seen enough"))
        result = await handle.result()
        await holding.replay(env, handle)

    assert ("stopped", True, made) == (result.stop_reason, result.partial, len(models.calls))
    assert [(result.protocol, "stopped")] == [(one.protocol, one.stop_reason) for one in ledger.entries]


@pytest.mark.parametrize("name", FIRST)
async def test_a_cancelled_deliberation_is_recorded(env: WorkflowEnvironment, name: str) -> None:
    """The ledger has the stop reason ``cancelled``."""
    held, first, ledger = PROTOCOLS[name], FIRST[name], FakeLedger()
    models = ScriptedModels(held.usual)
    models.hold = {first.call_id}
    async with staff(env, models, ledger):
        handle = await holding.start(env, held.run, held.inp)
        await holding.until_alone(handle, first.call_id)
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await handle.result()
        await holding.replay(env, handle)

    assert ["cancelled"] == [one.stop_reason for one in ledger.entries]


@pytest.mark.parametrize("name", FIRST)
async def test_strict_fails_on_a_lost_call_with_the_result_attached(env: WorkflowEnvironment, name: str) -> None:
    """The type of the failure names the protocol and the stop reason, and its details hold the result."""
    held, first = PROTOCOLS[name], FIRST[name]
    script: Script = faulty(held.usual, {first.call_id: "lost"})
    failure, _ = await holding.fail(env, held.run, held.inp.model_copy(update={"failure_mode": "strict"}), script)

    assert isinstance(failure, ApplicationError)
    assert (failure.type or "").endswith(".participant_lost")
    assert first.seat in failure.message
    assert "participant_lost" == failure.details[0]["stop_reason"]


SHARING = ("council", "consensus", "fire circle", "debate")


@pytest.mark.parametrize("name", SHARING)
async def test_a_shared_round_is_not_changed(env: WorkflowEnvironment, name: str) -> None:
    """A branch refuses a replacement while it shares a round, and accepts a stop."""
    held, first = PROTOCOLS[name], FIRST[name]
    models = ScriptedModels(held.usual)
    async with staff(env, models):
        old = await holding.start(env, held.run, held.inp)
        drawn = (await old.result()).draws
        models.hold = {first.call_id}
        branch = Branch(of=old.id, through_round=1, draws=drawn)
        new = await holding.start(env, held.run, held.inp.model_copy(update={"branch": branch}))
        await holding.until_alone(new, first.call_id)
        message = await refusal(new, "replace_participant", replacing(first.seat))
        await new.execute_update("stop", StopRequest())
        result = await new.result()

    assert "shared with another deliberation" in message
    assert ("stopped", old.id) == (result.stop_reason, result.branch.of)
