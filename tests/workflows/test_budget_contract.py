"""The budget of one deliberation, of every protocol by its specification alone."""

import asyncio
from typing import Any, NamedTuple

import pytest
from temporalio.client import WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from parley.errors import RequestError
from parley.specs import PROTOCOLS
from protocols.model_call import ModelCall
from protocols.progress import Progress
from protocols.spending_cap import SpendingCap
from protocols.update_requests import BudgetChange, ReplaceParticipant, StopRequest
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import CUT, ScriptedModels
from tests.fakes.specified import NEW_MODEL, PRICE, scripted_reply, specified
from tests.workflows import holding
from tests.workflows.conftest import staff

every_protocol = pytest.mark.parametrize("name", PROTOCOLS)
LENGTH = 50_000
"""Tokens that a reply may have: prompts are far shorter, so one call never fits into what another leaves over."""
PLENTY = 10_000_000


class Course(NamedTuple):
    """A deliberation that was not limited by its budget."""

    result: Any
    calls: tuple[ModelCall, ...]

    @property
    def first_stage(self) -> int:
        """The number of its first calls; one, where all calls are one stage, and none where it has one call."""
        first = self.calls[0]
        alike = sum((call.stage, call.round) == (first.stage, first.round) for call in self.calls)
        return alike if alike < len(self.calls) else min(1, alike - 1)


def silent_models() -> ScriptedModels:
    """Models that do not report what they used, so that each call counts as the most that it may use."""
    models = ScriptedModels(scripted_reply)
    models.reports_usage = False
    return models


async def whole_course(env: WorkflowEnvironment, name: str) -> Course:
    """Run a protocol to its end within a budget that is large enough."""
    models = silent_models()
    async with staff(env, models):
        inp = specified(name, budget_tokens=PLENTY, max_tokens=LENGTH)
        result = await (await holding.start(env, PROTOCOLS[name].workflow.run, inp)).result()
    return Course(result, tuple(models.calls))


def limited(name: str, course: Course, **options: Any) -> Any:
    """Return the argument of a deliberation whose budget is enough for its first stage, and for no more."""
    counted = SpendingCap(tokens=1)
    first = course.calls[: course.first_stage]
    most = max((counted.most(call).tokens for call in first), default=1)
    inp = specified(name, budget_tokens=PLENTY, max_tokens=LENGTH, **options)
    return inp.model_copy(update={"cap": inp.cap.model_copy(update={"tokens": most * max(1, len(first))})})


async def until_waiting(handle: holding.Handle) -> Progress:
    """Wait until a deliberation waits for a higher budget, and return its progress."""
    while True:
        progress: Progress = await handle.query("state", result_type=Progress)
        if progress.waits_for:
            return progress
        await asyncio.sleep(0.02)


@every_protocol
async def test_it_ends_with_what_it_has_where_the_next_calls_do_not_fit(env: WorkflowEnvironment, name: str) -> None:
    """The first stage is made and no further call; the end is marked and recorded, with the reason."""
    course, models, ledger = await whole_course(env, name), silent_models(), FakeLedger()
    async with staff(env, models, ledger):
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, limited(name, course))
        result = await handle.result()
        ended: Progress = await handle.query("state", result_type=Progress)
        await holding.replay(env, handle)

    first = [SpendingCap(tokens=1).most(call).tokens for call in course.calls[: max(1, course.first_stage)]]
    with pytest.raises(RequestError, match="is too small to begin"):
        specified(name, budget_tokens=sum(first) - 1, max_tokens=LENGTH)
    asked = {call.stage for call in models.calls}
    assert asked.issuperset(bar.name for bar in ended.stages if bar.status == "completed")
    assert ("budget", True) == (result.stop_reason, result.partial)
    assert course.first_stage == len(models.calls) == result.spent.calls
    assert "tokens, and" in result.budget.left_out
    assert result.budget.used_tokens <= result.budget.tokens
    assert ["budget"] == [one.stop_reason for one in ledger.entries]
    assert "not asked: " in result.budget.line


@every_protocol
async def test_it_waits_for_a_higher_budget_and_goes_on(env: WorkflowEnvironment, name: str) -> None:
    """The query says what it waits for and what would be enough; then it makes the same calls as without a limit."""
    course, models = await whole_course(env, name), silent_models()
    async with staff(env, models):
        inp = limited(name, course, on_budget="wait")
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, inp)
        waiting = await until_waiting(handle)
        made = len(models.calls)
        await handle.execute_update("set_budget", BudgetChange(tokens=PLENTY))
        result = await handle.result()
        await holding.replay(env, handle)

    assert course.first_stage == made
    assert waiting.budget is not None
    assert waiting.budget.remedy.startswith("--tokens ")
    assert "a higher budget" in waiting.waits_for
    assert (course.result.stop_reason, course.result.partial) == (result.stop_reason, result.partial)
    assert sorted(call.call_id for call in course.calls) == sorted(call.call_id for call in models.calls)


async def test_one_that_waits_for_its_budget_can_be_stopped(env: WorkflowEnvironment) -> None:
    """A stop ends the wait, and the end is a user's."""
    course, models = await whole_course(env, "consensus"), silent_models()
    async with staff(env, models):
        inp = limited("consensus", course, on_budget="wait")
        handle = await holding.start(env, PROTOCOLS["consensus"].workflow.run, inp)
        await until_waiting(handle)
        await handle.execute_update("stop", StopRequest())
        result = await handle.result()
        await holding.replay(env, handle)

    assert ("stopped", "", len(models.calls)) == (result.stop_reason, result.budget.left_out, 1)


async def test_a_lost_worker_at_the_cap_costs_nothing_twice(env: WorkflowEnvironment) -> None:
    """Another worker continues waiting and, once the budget is higher, makes only the calls that are left."""
    course = await whole_course(env, "council")
    lost, other, ledger = silent_models(), silent_models(), FakeLedger()
    async with staff(env, lost, ledger, cached=0):
        inp = limited("council", course, on_budget="wait")
        handle = await holding.start(env, PROTOCOLS["council"].workflow.run, inp)
        await until_waiting(handle)
    async with staff(env, other, ledger, cached=0):
        await handle.execute_update("set_budget", BudgetChange(any_tokens=True))
        result = await handle.result()
        await holding.replay(env, handle)

    made = [call.call_id for call in (*lost.calls, *other.calls)]
    assert len(course.calls) == len(made) == len(set(made)) == result.spent.calls
    assert len(lost.calls) == course.first_stage


async def test_a_reply_without_a_limit_of_its_own_gets_one(env: WorkflowEnvironment) -> None:
    """Every call of a deliberation with a budget says how long its reply may be."""
    models = ScriptedModels(scripted_reply)
    async with staff(env, models):
        inp = specified("council", budget_usd=100)
        result = await (await holding.start(env, PROTOCOLS["council"].workflow.run, inp)).result()

    assert {4096} == {call.sampling.max_tokens for call in models.calls}
    assert "verdict" == result.stop_reason
    assert 0.001 * len(models.calls) == pytest.approx(result.budget.used_usd)


async def test_a_further_call_that_does_not_fit_is_not_made(env: WorkflowEnvironment) -> None:
    """A reply that was cut counts as it is, and the deliberation continues as long as its stages fit."""
    models = ScriptedModels(lambda call: f"{scripted_reply(call)}{CUT}")
    async with staff(env, models):
        inp = specified("vote", budget_tokens=3 * LENGTH, max_tokens=LENGTH * 2)
        result = await (await holding.start(env, PROTOCOLS["vote"].workflow.run, inp)).result()

    assert {call.call_id for call in models.calls if call.call_id.endswith("longer")} == set()
    assert ("verdict", 3) == (result.stop_reason, len(models.calls))


async def test_a_replaced_model_counts_at_its_own_price(env: WorkflowEnvironment) -> None:
    """One without a known price is refused; a call that was given up counts as the most that it may have cost.

    It is no part of what was spent for certain, which then is a lower bound.
    """
    models = ScriptedModels(scripted_reply)
    models.holds_first = True
    async with staff(env, models):
        inp = specified("consensus", budget_usd=100, max_tokens=1000)
        handle = await holding.start(env, PROTOCOLS["consensus"].workflow.run, inp)
        held = await holding.until_held(handle, models)
        request = {"participant": held.participant, "model": NEW_MODEL}
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update("replace_participant", ReplaceParticipant.model_validate(request))
        priced = ReplaceParticipant.model_validate({**request, "price": PRICE})
        await handle.execute_update("replace_participant", priced)
        result = await handle.result()
        await holding.replay(env, handle)

    assert "is not known" in str(refused.value.cause)
    assert result.budget.used_usd > result.spent.usd + 0.025
    assert (len(models.calls), 1) == (result.spent.calls, result.spent.calls_of_unknown_cost)


async def test_a_budget_is_changed_only_where_one_was_set(env: WorkflowEnvironment) -> None:
    """Without a budget, and for dollars without prices, the change is refused with the remedy."""
    models = ScriptedModels(scripted_reply)
    models.holds_first = True
    messages = []
    async with staff(env, models):
        for options in ({}, {"budget_tokens": PLENTY}):
            handle = await holding.start(env, PROTOCOLS["vote"].workflow.run, specified("vote", **options))
            for change in (BudgetChange(usd=1), BudgetChange(), BudgetChange(tokens=9)):
                try:
                    await handle.execute_update("set_budget", change)
                except WorkflowUpdateFailedError as error:
                    messages.append(str(error.cause))
            await handle.execute_update("stop", StopRequest())
            await handle.result()

    without, nothing, tokens, dollars, empty = messages
    assert without == tokens
    assert "started without a budget" in without
    assert "prices" in dollars
    assert nothing == empty


async def test_an_answer_that_breaks_off_counts_as_the_most(env: WorkflowEnvironment) -> None:
    """It may have been billed, and no provider reports how much; what a provider refuses counts nothing."""
    used = []
    for status, error_type in ((200, "provider.broken_off"), (400, "provider.bad_request")):

        def lose_one(call: ModelCall, status: int = status, error_type: str = error_type) -> str | Exception:
            lost = ApplicationError("no", {"status": status}, type=error_type, non_retryable=True)
            return lost if call.call_id == "opinion-p1" else scripted_reply(call)

        inp = specified("council", budget_tokens=PLENTY, max_tokens=LENGTH)
        result, _ = await holding.hold(env, PROTOCOLS["council"].workflow.run, inp, lose_one)
        used.append(result.budget.used_tokens)

    assert used[1] < LENGTH < used[0] < 2 * LENGTH
