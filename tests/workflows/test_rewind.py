"""Branches in the schedules: what is shared, what is asked anew, and what a branch of one needs."""

import asyncio
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from protocols.branch import BranchState
from protocols.model_call import Failed, ModelCall
from protocols.spending_cap import SpendingCap
from protocols.update_requests import StopRequest
from tests.fakes.branches import DRAWS, OLD, OTHER, branch_of, lost_as, rounds_of
from tests.fakes.circles import assessing, circle_of
from tests.fakes.consensuses import consensus_input, converging
from tests.fakes.councils import agreeable, council_input
from tests.fakes.debates import arguing, debate_of
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import CUT, Script, ScriptedModels, refused_by_provider
from tests.workflows import holding
from tests.workflows.conftest import staff
from workflows.consensus import ConsensusWorkflow
from workflows.council import CouncilWorkflow
from workflows.debate import DebateWorkflow
from workflows.fire_circle import FireCircleWorkflow

BLOCKING = arguing(vote="BLOCKER", confidence=0.5)
ROUNDS: dict[str, tuple[Any, Any, Script, str]] = {
    "consensus": (ConsensusWorkflow.run, lambda branch: consensus_input(branch=branch), converging(3), "refiner"),
    "debate": (DebateWorkflow.run, lambda branch: debate_of(branch=branch, max_rounds=3), BLOCKING, "p2"),
    "circle": (
        FireCircleWorkflow.run,
        lambda branch: circle_of(3, branch=branch, early_stop_convergence=0.0),
        assessing(),
        "p2",
    ),
}
"""By protocol: how it runs, what is asked, what is reported, and a seat."""


def messages(calls: list[ModelCall], through: int) -> dict[str, tuple[str, str]]:
    """Call id to the model that is asked and what it is asked, in the rounds that are shared."""
    return {
        c.call_id: (c.model, c.messages[-1].content) for c in calls if c.round <= through and c.stage != "synthesis"
    }


def no_answer(call: ModelCall) -> str | Exception | Failed:
    """The ledger has the answers to everything but the refiner's turn."""
    if call.shared_with and call.participant == "refiner":
        return ApplicationError("there is no answer", type="journal.not_shared", non_retryable=True)
    return converging(3)(call)


@pytest.mark.parametrize("protocol", sorted(ROUNDS))
async def test_a_branch_requests_the_same_up_to_the_round(env: WorkflowEnvironment, protocol: str) -> None:
    """With the draws of the old one every call of a shared round is the same, and says whose answer it wants."""
    run, ask, script, seat = ROUNDS[protocol]
    models = ScriptedModels(script)
    async with staff(env, models):
        old = await holding.start(env, run, ask(None))
        await old.result()
        heritage = await old.query("branch_state", result_type=BranchState)
        said, models.calls = models.calls, []
        new = await holding.start(env, run, ask(branch_of(protocol, 2, {seat: OTHER}, draws=heritage.draws)))
        result = await new.result()
        await holding.replay(env, new)
    shared = [call for call in models.calls if call.shared_with]

    assert messages(said, 2) == messages(models.calls, 2)
    assert ({1, 2}, set(range(3, heritage.rounds + 1))) == rounds_of(models.calls)
    assert (len(shared), len(models.calls) - len(shared)) == (result.spent.shared_calls, result.spent.calls)
    assert {OTHER} == {c.model for c in models.calls if c.participant == seat and c.round == 3}


@pytest.mark.parametrize(("through", "own"), [(1, {"review", "synthesis"}), (2, {"synthesis"}), (3, set())])
async def test_the_stages_of_a_council_are_its_rounds(env: WorkflowEnvironment, through: int, own: set[str]) -> None:
    """Opinions are round 1, the review round 2, the synthesis round 3; the nonces are those of the old one."""
    inp = council_input(branch=branch_of("council", through, {"chair": OTHER}))
    result, models = await holding.hold(env, CouncilWorkflow.run, inp, agreeable)

    assert own == {call.stage for call in models.calls if call.shared_with is None}
    assert (through < 3) == any(call.model == OTHER for call in models.calls)
    assert all(f"{n:010x}" in models.prompts("review")[f"p{n}"] for n in (1, 2, 3, 4))
    assert (OLD, through) == (result.branch.of, result.branch.through_round)


async def test_shared_answers_use_nothing_of_a_budget(env: WorkflowEnvironment) -> None:
    """The cap of a branch counts its own calls, 15 tokens each: the review of four and the synthesis."""
    inp = council_input(branch=branch_of("council", 1, {"chair": OTHER}), cap=SpendingCap(tokens=10**6))
    result, models = await holding.hold(env, CouncilWorkflow.run, inp, agreeable)
    own = [call for call in models.calls if call.shared_with is None]

    assert result.budget is not None
    assert (5, 5 * 15) == (len(own), result.budget.used_tokens)


async def test_a_seat_changes_also_where_the_review_is_left_out(env: WorkflowEnvironment) -> None:
    """A round that is skipped is a round: what changes after the opinions holds for the chair."""
    inp = council_input(final_only=True, branch=branch_of("council", 1, {"chair": OTHER}))
    _, models = await holding.hold(env, CouncilWorkflow.run, inp, agreeable)

    assert [OTHER] == [call.model for call in models.calls if call.stage == "synthesis"]


async def test_what_comes_after_the_rounds_is_the_branch_own(env: WorkflowEnvironment) -> None:
    """A branch that shares every round still asks its own curator, the one that was put there."""
    inp = consensus_input(branch=branch_of("consensus", 3, {"curator": OTHER}))
    result, models = await holding.hold(env, ConsensusWorkflow.run, inp, converging(3))
    (own,) = [call for call in models.calls if call.shared_with is None]

    assert ("curator", OTHER) == (own.stage, own.model)
    assert (18, 1) == (result.spent.shared_calls, result.spent.calls)


async def test_a_lost_call_is_lost_without_requesting(env: WorkflowEnvironment) -> None:
    """What was lost in a shared round is lost in the same words; no ledger gets a second line for it."""
    inp = consensus_input(branch=branch_of("consensus", 1, lost=[lost_as("r01-refiner", "refiner")]))
    models, ledger = ScriptedModels(converging(2)), FakeLedger()
    async with staff(env, models, ledger):
        handle = await holding.start(env, ConsensusWorkflow.run, inp)
        result = await handle.result()
        heritage = await handle.query(ConsensusWorkflow.branch_state)
        await holding.replay(env, handle)

    assert "r01-refiner" not in {call.call_id for call in models.calls}
    assert ["refused then"] == [call.message for call in result.failed]
    assert () == ledger.entries[0].lost
    assert ["r01-refiner"] == [reply.call_id for reply in heritage.lost]


async def test_a_missing_answer_ends_the_branch(env: WorkflowEnvironment) -> None:
    """Also a resilient deliberation ends: with one voice less a shared round would be another one."""
    inp = consensus_input(branch=branch_of("consensus", 1))
    failed, models = await holding.fail(env, ConsensusWorkflow.run, inp, no_answer)

    assert ("journal.not_shared", "there is no answer") == (failed.type, failed.message)
    assert not [call for call in models.calls if call.shared_with is None]


BROKEN_OFF: dict[str, tuple[Any, Any, Script, str]] = {
    "council": (CouncilWorkflow.run, council_input(), agreeable, "review-p1"),
    "consensus": (ConsensusWorkflow.run, consensus_input(), converging(9), "r02-refiner"),
    "circle": (FireCircleWorkflow.run, circle_of(3), assessing(), "r2-p1"),
    "debate": (DebateWorkflow.run, debate_of("socratic", max_rounds=3), BLOCKING, "r02-p2"),
}
"""By protocol: how it runs, what is asked and said, and the call of the second round that is never answered."""


@pytest.mark.parametrize("protocol", sorted(BROKEN_OFF))
async def test_a_round_that_was_broken_off_cannot_be_shared(env: WorkflowEnvironment, protocol: str) -> None:
    """Only rounds that ran to their end count, while it runs and after a user stopped it."""
    run, inp, script, held = BROKEN_OFF[protocol]
    models = ScriptedModels(script)
    models.hold = {held}
    async with staff(env, models):
        handle = await holding.start(env, run, inp)
        await holding.until_alone(handle, held)
        meanwhile = await handle.query("branch_state", result_type=BranchState)
        await handle.execute_update("stop", StopRequest())
        await asyncio.gather(handle.result(), return_exceptions=True)
        heritage = await handle.query("branch_state", result_type=BranchState)

    assert (1, 1) == (meanwhile.rounds, heritage.rounds)


async def test_the_calls_that_were_lost_are_handed_on(env: WorkflowEnvironment) -> None:
    """A branch learns of every call that no one answered, word for word."""
    script = converging(2, otherwise={"r01-validator": refused_by_provider()})
    models = ScriptedModels(script)
    async with staff(env, models):
        handle = await holding.start(env, ConsensusWorkflow.run, consensus_input())
        await handle.result()
        heritage = await handle.query(ConsensusWorkflow.branch_state)

    assert ["r01-validator"] == [reply.call_id for reply in heritage.lost]
    assert (400, "provider.bad_request") == (heritage.lost[0].status, heritage.lost[0].error_type)


async def test_draws_are_passed_on_unchanged(env: WorkflowEnvironment) -> None:
    """A branch throws no draws of its own, and its result has those that it was given."""
    asked = [
        (CouncilWorkflow.run, council_input(branch=branch_of("council", 1)), agreeable, "council"),
        *((run, ask(branch_of(name, 1)), script, name) for name, (run, ask, script, _) in ROUNDS.items()),
    ]
    for run, inp, script, name in asked:
        async with staff(env, ScriptedModels(script)):
            handle = await holding.start(env, run, inp)
            result = await handle.result()
            heritage = await handle.query("branch_state", result_type=BranchState)

        assert (DRAWS[name], DRAWS[name]) == (heritage.draws, result.draws)


async def test_a_further_call_of_a_shared_round_is_shared_too(env: WorkflowEnvironment) -> None:
    """A turn that was cut in the origin is looked up twice, its longer reply as well, and nothing of it is bought."""

    def cutting(call: ModelCall) -> str | Exception | Failed:
        said = BLOCKING(call)
        return f"{said}{CUT}" if call.call_id == "r01-p1" and isinstance(said, str) else said

    inp = debate_of(branch=branch_of("debate", 1), max_rounds=2)
    result, models = await holding.hold(env, DebateWorkflow.run, inp, cutting)
    shared = [call.call_id for call in models.calls if call.shared_with]

    assert {"r01-p1", "r01-p1-longer", "r01-p2", "r01-p3"} == set(shared)
    assert (4, len(models.calls) - 4) == (result.spent.shared_calls, result.spent.calls)
