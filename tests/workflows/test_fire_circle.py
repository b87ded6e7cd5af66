"""The fire circle's schedule with scripted models: seeds 000 and 001, section by section."""

import asyncio
from typing import Any

import pytest
from temporalio.client import WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from protocols.fire_circle.io import FireCircleResult
from protocols.model_call import ModelId, ParticipantId
from protocols.update_requests import ReplaceParticipant
from tests.fakes.circles import POLITE, TEMPORAL, assessing, circle_of
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import Script, ScriptedModels, refused_by_provider
from tests.workflows import holding
from tests.workflows.conftest import staff
from workflows.fire_circle import FireCircleWorkflow

UNREADABLE = "I would rather not say."
SPREAD = {f"r{n}-p{p}": falsehood for n in range(1, 5) for p, falsehood in ((1, 0.1), (2, 0.5), (3, 0.9))}
"""Three models that never agree."""


async def hold(
    env: WorkflowEnvironment, script: Script, models: int = 3, **changes: Any
) -> tuple[FireCircleResult, ScriptedModels]:
    """Run a circle to its end."""
    return await holding.hold(env, FireCircleWorkflow.run, circle_of(models, **changes), script)


async def fail(
    env: WorkflowEnvironment, script: Script, models: int = 3, **changes: Any
) -> tuple[ApplicationError, FireCircleResult]:
    """Run a circle that must fail; why, and what exists all the same."""
    error, _ = await holding.fail(env, FireCircleWorkflow.run, circle_of(models, **changes), script)
    return error, FireCircleResult.model_validate(error.details[0])


def lost(*calls: str) -> dict[str, Exception]:
    """These calls are lost."""
    return {call: refused_by_provider() for call in calls}


def ids(models: ScriptedModels, round_number: int) -> set[str]:
    """Who was asked in a round."""
    return {call.participant for call in models.calls if call.round == round_number}


class TestDialogue:
    """Section 3: blind baseline, discussion, refinement."""

    async def test_three_rounds_of_all_models(self, env: WorkflowEnvironment) -> None:
        """Every model is asked in each of three rounds: nine calls, and the result has every round."""
        result, models = await hold(env, assessing(SPREAD))

        assert [{"p1", "p2", "p3"}] * 3 == [ids(models, n) for n in (1, 2, 3)]
        assert (9, "round_limit", [1, 2, 3]) == (
            result.spent.calls,
            result.stop_reason,
            [held.round_number for held in result.dialogue_history],
        )

    async def test_round_1_is_blind(self, env: WorkflowEnvironment) -> None:
        """The baseline prompt holds no observer's guidance and nothing that a peer said."""
        _, models = await hold(env, assessing(SPREAD))
        baseline = models.prompts("round_1")

        assert all(
            text.startswith("Does this prompt layer contain a reciprocity violation?") for text in baseline.values()
        )
        assert not any("neutral observer" in text or "EVALUATIONS" in text for text in baseline.values())

    async def test_round_2_shows_round_1(self, env: WorkflowEnvironment) -> None:
        """Every model sees what all said in round 1, and the pattern-seeking prompt."""
        _, models = await hold(env, assessing(SPREAD))
        discussion = models.prompts("round_2")

        assert all("F=0.10" in text and "F=0.90" in text for text in discussion.values())
        assert "Focus on PATTERN RECOGNITION" in discussion["p1"]

    async def test_round_3_shows_patterns_and_the_chair(self, env: WorkflowEnvironment) -> None:
        """The refinement holds the patterns of round 2 and the empty chair's evaluation."""
        _, models = await hold(env, assessing(SPREAD, patterns={"r2-p1": [TEMPORAL], "r2-p2": ["the chair's pattern"]}))
        refinement = models.prompts("round_3")["p1"]

        assert TEMPORAL in refinement
        assert "the chair's pattern" in refinement
        assert "ROUND 2 PATTERN OBSERVATIONS" in refinement

    async def test_nobody_sees_the_round_that_is_being_held(self, env: WorkflowEnvironment) -> None:
        """What a model states in round 2 is in no one's prompt of round 2."""
        _, models = await hold(env, assessing(SPREAD, patterns={"r2-p1": ["a pattern only p1 names"]}))

        assert not any("only p1 names" in text for text in models.prompts("round_2").values())

    async def test_the_turn_is_reported_when_there_is_a_session(self, env: WorkflowEnvironment) -> None:
        """With session memory every prompt says the turn, and the result returns the memory updated."""
        session = {"turn": 3, "trust": [0.5, 0.1], "balance": 0.2}
        result, models = await hold(env, assessing(SPREAD), session=session)

        assert all("Turn 3 of the conversation" in call.messages[0].content for call in models.calls)
        assert result.session is not None
        assert (4, 3) == (result.session.turn, len(result.session.trust))


class TestEmptyChair:
    """Section 4: rotation, its own prompt, failures."""

    async def test_the_chair_rotates(self, env: WorkflowEnvironment) -> None:
        """With A, B, C: no one in round 1, B in round 2, C in round 3."""
        result, models = await hold(env, assessing(SPREAD))

        assert [None, "p2", "p3"] == [held.empty_chair for held in result.dialogue_history]
        assert ["p2"] == [who for who, text in models.prompts("round_2").items() if "SPECIAL ROLE" in text]

    async def test_a_round_keeps_a_prompt_that_was_sent(self, env: WorkflowEnvironment) -> None:
        """It is that of the first model without the chair, word for word, also when the first model has it (2.3)."""
        result, models = await hold(env, assessing(SPREAD), 2)

        assert [None, "p2", "p1"] == [held.empty_chair for held in result.dialogue_history]
        sent = [models.prompts(f"round_{n}")[seat] for n, seat in ((1, "p1"), (2, "p1"), (3, "p2"))]
        assert sent == [held.prompt_used for held in result.dialogue_history]

    async def test_the_chair_can_be_left_out(self, env: WorkflowEnvironment) -> None:
        """Without rotation no one gets the chair's prompt."""
        result, models = await hold(env, assessing(SPREAD), empty_chair_rotation=False)

        assert [None] * 3 == [held.empty_chair for held in result.dialogue_history]
        assert not any("SPECIAL ROLE" in call.messages[0].content for call in models.calls)

    async def test_a_lost_chair_leaves_its_round_without_one(self, env: WorkflowEnvironment) -> None:
        """RESILIENT: the round has no chair, and the loss is noted with the round and the chair."""
        result, _ = await hold(env, assessing({**SPREAD, **lost("r2-p2")}))

        assert [None, None, "p3"] == [held.empty_chair for held in result.dialogue_history]
        assert ("maker/m2_round_2 (empty chair)",) == result.failed_models


class TestIntegration:
    """Section 9.2: a small and a medium circle, whole."""

    async def test_a_small_circle_of_two_models_and_two_rounds(self, env: WorkflowEnvironment) -> None:
        """It completes with a valid consensus, and the chair's own pattern gives it an influence above 0."""
        patterns = {"r2-p1": [TEMPORAL], "r2-p2": [POLITE]}
        result, models = await hold(env, assessing(SPREAD, patterns=patterns), 2, max_rounds=2)

        assert (4, 2, None) == (len(models.calls), len(result.dialogue_history), result.dialogue_history[0].empty_chair)
        assert result.consensus is not None
        assert 0.5 == result.consensus.highest.falsehood
        assert result.empty_chair_influence > 0.0

    async def test_a_medium_circle_of_three_models_and_three_rounds(self, env: WorkflowEnvironment) -> None:
        """At least one pattern, the dialogue's context in its form, and max F as the consensus."""
        patterns = {"r2-p1": [TEMPORAL], "r3-p3": [TEMPORAL]}
        result, models = await hold(env, assessing(SPREAD, patterns=patterns))

        assert 1 <= len(result.patterns)
        assert "You (round 1): T=0.90 I=0.20 F=0.10\n<answer name=" in models.prompts("round_2")["p1"]
        assert result.consensus is not None
        assert 0.9 == result.consensus.highest.falsehood


class TestFailures:
    """Section 5: exclusion, zombies, the minimum viable circle."""

    async def test_lost_in_round_1_is_excluded(self, env: WorkflowEnvironment) -> None:
        """Who gave no baseline takes no part in the dialogue."""
        result, models = await hold(env, assessing({**SPREAD, **lost("r1-p3")}))

        assert {"p1", "p2"} == ids(models, 2)
        assert (("maker/m3_round_1",), True) == (result.failed_models, result.partial)

    async def test_lost_later_is_a_zombie(self, env: WorkflowEnvironment) -> None:
        """Its words stay in the history, its voice does not count in the consensus."""
        result, models = await hold(env, assessing({**SPREAD, **lost("r2-p3")}))

        assert {"p1", "p2"} == ids(models, 3)
        assert 3 == len(result.dialogue_history[0].evaluations)
        assert result.consensus is not None
        assert ("p2", 0.5) == (result.consensus.highest.participant, result.consensus.highest.falsehood)

    async def test_two_models_are_the_least(self, env: WorkflowEnvironment) -> None:
        """With fewer than two active models it fails, and what was found so far is attached."""
        error, result = await fail(env, assessing({**SPREAD, **lost("r2-p1", "r2-p2")}))

        assert ("fire-circle.circle_too_small", None) == (error.type, result.verdict)
        assert (2, 3) == (len(result.dialogue_history), len(result.dialogue_history[0].evaluations))

    @pytest.mark.parametrize("call", ["r2-p1", "r3-p3"])
    async def test_strict_fails_on_any_error(self, env: WorkflowEnvironment, call: str) -> None:
        """One lost model in any round ends a strict circle."""
        error, _ = await fail(env, assessing({**SPREAD, **lost(call)}), failure_mode="strict")

        assert "fire-circle.participant_lost" == error.type


class TestConvergence:
    """Sections 2.3 and 3.4: early stop and a fourth round."""

    async def test_agreement_in_the_baseline_is_no_dialogue(self, env: WorkflowEnvironment) -> None:
        """All agree from the start: round 2 runs all the same, and then it stops."""
        result, models = await hold(env, assessing(usual=0.5))

        assert ("converged", 6, 2) == (result.stop_reason, len(models.calls), len(result.dialogue_history))

    async def test_a_large_circle_that_disagrees_gets_a_fourth_round(self, env: WorkflowEnvironment) -> None:
        """Seven models whose third round spreads wider than 0.3 hold a fourth."""
        apart = {f"r{n}-p{p}": 0.0 if p % 2 else 1.0 for n in range(1, 5) for p in range(1, 8)}
        result, _ = await hold(env, assessing(apart), models=7)

        assert [1, 2, 3, 4] == [held.round_number for held in result.dialogue_history]


class TestChanges:
    """What a user may change, and what is recorded."""

    async def test_the_result_is_recorded_once(self, env: WorkflowEnvironment) -> None:
        """The ledger gets the circle with its patterns when it ends."""
        ledger = FakeLedger()
        async with staff(
            env, ScriptedModels(assessing(SPREAD, patterns={"r2-p1": [TEMPORAL], "r2-p3": [TEMPORAL]})), ledger
        ):
            handle = await holding.start(env, FireCircleWorkflow.run, circle_of(3))
            await handle.result()
        (entry,) = ledger.entries

        assert ("fire-circle", "round_limit") == (entry.protocol, entry.stop_reason)
        assert 1 == len(FireCircleResult.model_validate(entry.result).patterns)

    async def test_who_was_lost_is_not_replaced(self, env: WorkflowEnvironment) -> None:
        """An excluded seat stays empty; the refusal says so."""
        models = ScriptedModels(assessing({**SPREAD, **lost("r1-p3")}))
        models.hold = {"r2-p1"}
        async with staff(env, models):
            handle = await holding.start(env, FireCircleWorkflow.run, circle_of(3))
            await running(handle, 1)
            request = ReplaceParticipant(participant=ParticipantId("p3"), model=ModelId("openrouter:new/model"))
            with pytest.raises(WorkflowUpdateFailedError) as refused:
                await handle.execute_update(FireCircleWorkflow.replace_participant, request)
            models.hold.clear()
            await handle.result()

        assert "'p3' was lost and is not asked any more" in str(refused.value.cause)


async def running(handle: holding.Handle, seats: int) -> None:
    """Wait until so many seats of round 2 are being asked and every other one has answered."""
    while True:
        progress = await handle.query(FireCircleWorkflow.state)
        statuses = [seat.status for seat in progress.seats]
        if progress.stage == "round_2" and statuses.count("running") == seats and "ready" not in statuses:
            return
        await asyncio.sleep(0.02)
