"""Fallbacks together with a stop, a replacement, a branch, a further call and a budget, in every protocol."""

import asyncio
from typing import Any

import pytest
from temporalio.client import WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from parley.specs import PROTOCOLS
from protocols.branch import Branch, BranchState
from protocols.model_call import ModelCall
from protocols.spending_cap import SpendingCap
from protocols.update_requests import ReplaceParticipant, StopRequest
from tests.fakes.models import CUT, ScriptedModels, refused_by_provider
from tests.fakes.panels import seated
from tests.fakes.specified import NEW_MODEL, scripted_reply
from tests.workflows import holding
from tests.workflows.conftest import staff

every_protocol = pytest.mark.parametrize("name", PROTOCOLS)
LOST, SPARE = "rehearsal:lab/one", "rehearsal:lab/spare"
LENGTH = 50_000
"""Tokens that a reply may have: prompts are far shorter."""


def losing(*models: str) -> Any:
    """Return a script in which ``models`` are refused by their provider."""
    return lambda call: refused_by_provider() if call.model in models else scripted_reply(call)


def holding_the_fallback(script: Any) -> ScriptedModels:
    """Return models of which the fallback does not answer its first call."""
    models = ScriptedModels(script)

    def held(call: ModelCall) -> Any:
        if call.model == LOST and not models.hold:
            models.hold = {f"{call.call_id}-2"}
        return script(call)

    models.answer_with(held)
    return models


async def until_the_fallback_is_asked(handle: holding.Handle, models: ScriptedModels) -> ModelCall:
    """Wait until a fallback is being asked and no other seat is; return its call."""
    while not (held := [call for call in models.calls if call.call_id in models.hold]):  # noqa: ASYNC110 - see holding
        await asyncio.sleep(0.02)
    await holding.until_alone(handle, held[0].call_id)
    assert SPARE == held[0].model
    return held[0]


@every_protocol
async def test_a_stop_ends_the_call_of_a_fallback(env: WorkflowEnvironment, name: str) -> None:
    """No model is asked after it, and the result still counts the fallback."""
    models = holding_the_fallback(losing(LOST))
    async with staff(env, models):
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, seated(name))
        await until_the_fallback_is_asked(handle, models)
        made = len(models.calls)
        await handle.execute_update("stop", StopRequest(reason="seen enough"))
        result = await handle.result()
        await holding.replay(env, handle)

    assert ("stopped", made) == (result.stop_reason, len(models.calls))
    assert 1 <= result.degraded.counts["fallback_model"]


@every_protocol
async def test_a_model_that_replaces_a_fallback_keeps_the_seat(env: WorkflowEnvironment, name: str) -> None:
    """Neither the lost model nor its fallback is asked again, and the settings of the seat stay."""
    models = holding_the_fallback(losing(LOST))
    async with staff(env, models):
        inp = seated(name)
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, inp)
        held = await until_the_fallback_is_asked(handle, models)
        request = {"participant": held.participant, "model": NEW_MODEL}
        await handle.execute_update("replace_participant", ReplaceParticipant.model_validate(request))
        made = len(models.calls)
        await handle.result()
        await holding.replay(env, handle)
    own = [call for call in models.calls if call.participant == held.participant]
    settings = inp.panel.at(held.participant).settings

    assert [LOST, SPARE, NEW_MODEL] == list(dict.fromkeys(call.model for call in own))
    assert {NEW_MODEL} == {call.model for call in models.calls[made:] if call.participant == held.participant}
    assert len(own) == len({call.call_id for call in own})
    assert {settings.temperature} == {call.sampling.temperature for call in own}
    assert all(call.routing == own[0].routing != {} for call in own)


async def test_the_fallbacks_of_a_seat_serve_its_new_model_too(env: WorkflowEnvironment) -> None:
    """A replacement that is lost as well is followed by what is left of the chain."""
    models = ScriptedModels(losing(LOST, NEW_MODEL))
    models.hold = {"opinion-p1"}
    async with staff(env, models):
        handle = await holding.start(env, PROTOCOLS["council"].workflow.run, seated("council"))
        await holding.until_held(handle, models)
        request = {"participant": "p1", "model": NEW_MODEL}
        await handle.execute_update("replace_participant", ReplaceParticipant.model_validate(request))
        result = await handle.result()

    assert [LOST, NEW_MODEL, SPARE] == [c.model for c in models.calls if (c.participant, c.stage) == ("p1", "opinion")]
    assert (1, "verdict") == (result.degraded.counts["fallback_model"], result.stop_reason)


async def test_a_fallback_of_one_seat_is_refused_at_another(env: WorkflowEnvironment) -> None:
    """Else one model would have two seats as soon as the first is lost."""
    models = ScriptedModels(scripted_reply)
    models.hold = {"opinion-p2"}
    async with staff(env, models):
        handle = await holding.start(env, PROTOCOLS["council"].workflow.run, seated("council"))
        await holding.until_held(handle, models)
        request = ReplaceParticipant.model_validate({"participant": "p2", "model": SPARE})
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update("replace_participant", request)
        await handle.execute_update("stop", StopRequest())

    assert "'rehearsal:lab/spare' is a fallback of 'p1', and the panel does not" in str(refused.value.cause)


async def test_a_branch_shares_the_round_in_which_a_fallback_took_the_seat(env: WorkflowEnvironment) -> None:
    """The lost call is lost there without being asked, the fallback's answer is shared, and it keeps the seat."""
    models = ScriptedModels(losing(LOST))
    async with staff(env, models):
        old = await holding.start(env, PROTOCOLS["council"].workflow.run, seated("council"))
        await old.result()
        state = await old.query("branch_state", result_type=BranchState)
        models.calls = []
        branch = Branch(of=old.id, through_round=1, seats={}, draws=state.draws, lost=state.lost)
        inp = seated("council").model_copy(update={"branch": branch})
        new = await holding.start(env, PROTOCOLS["council"].workflow.run, inp)
        result = await new.result()
        await holding.replay(env, new)

    assert LOST not in {call.model for call in models.calls}
    assert {SPARE} == {call.model for call in models.calls if call.participant == "p1"}
    assert ["opinion-p1-2", "opinion-p2", "opinion-p3"] == sorted(c.call_id for c in models.calls if c.shared_with)
    assert 1 == result.degraded.counts["fallback_model"]


@every_protocol
async def test_a_fallback_has_a_further_call_of_its_own(env: WorkflowEnvironment, name: str) -> None:
    """Its cut answer is asked for with twice the length, under its own id; every call is counted once."""

    def script(call: ModelCall) -> str | Exception:
        said = losing(LOST)(call)
        is_cut = call.model == SPARE and not call.call_id.endswith("-longer")
        return f"{said}{CUT}" if is_cut else said

    models = ScriptedModels(script)
    async with staff(env, models):
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, seated(name))
        result = await handle.result()
        await holding.replay(env, handle)
    spare = [call for call in models.calls if call.model == SPARE]
    longer = [call for call in spare if call.call_id.endswith("-longer")]

    assert longer
    assert {call.call_id.removesuffix("-longer") for call in longer} <= {call.call_id for call in spare}
    assert len(models.calls) == len({call.call_id for call in models.calls}) == result.spent.calls


@every_protocol
@pytest.mark.parametrize(("beyond", "asked", "end"), [(-1, set(), "budget"), (LENGTH, {SPARE}, "")])
async def test_a_fallback_that_does_not_fit_the_budget_is_not_asked(
    env: WorkflowEnvironment, name: str, beyond: int, asked: set[str], end: str
) -> None:
    """A call that broke off counts as the most that it may have used; the next model is asked where it still fits."""

    def breaking(call: ModelCall) -> str | Exception:
        return broken_off() if call.model == LOST else scripted_reply(call)

    first = await first_calls(env, name)
    most = {call.participant: SpendingCap(tokens=1).most(call).tokens for call in first}
    lost = next(call for call in first if call.model == LOST)
    limit = sum(most.values()) + most[lost.participant] + beyond
    models = ScriptedModels(breaking)
    models.reports_usage = False
    async with staff(env, models):
        inp = seated(name, budget_tokens=limit, max_tokens=LENGTH)
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, inp)
        result = await handle.result()
        await holding.replay(env, handle)

    assert asked == {SPARE} & {call.model for call in models.calls}
    assert result.stop_reason.startswith(end)
    assert result.budget.used_tokens <= limit


def broken_off() -> ApplicationError:
    """An answer that broke off: nothing is known of what it used."""
    return ApplicationError("the answer broke off", {"attempt": 6}, type="provider.broken_off", non_retryable=True)


async def first_calls(env: WorkflowEnvironment, name: str) -> list[ModelCall]:
    """The calls of the first stage, which a budget reserves together."""
    models = ScriptedModels(scripted_reply)
    async with staff(env, models):
        inp = seated(name, budget_tokens=10**7, max_tokens=LENGTH)
        await (await holding.start(env, PROTOCOLS[name].workflow.run, inp)).result()
    at = (models.calls[0].stage, models.calls[0].round)
    return [call for call in models.calls if (call.stage, call.round) == at]
