"""The consensus's schedule with scripted models: seed 004, part by part."""

import asyncio
import json
import statistics
import sys
import threading
from itertools import pairwise
from types import FrameType
from typing import Any

import pytest
from temporalio.client import WorkflowHandle
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from protocols.consensus.model import SPEAKERS, ConsensusResult, SyncEvent, VisualState
from protocols.model_call import Failed, ModelCall
from tests.fakes.consensuses import QUESTION, accepting, consensus_input, converging, shown_draft
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import CUT, Script, ScriptedModels, refused_by_provider
from tests.workflows import holding
from tests.workflows.conftest import staff
from workflows.consensus import ConsensusWorkflow

Handle = WorkflowHandle[ConsensusWorkflow, ConsensusResult]

NEVER = 99
"""A round in which no one would accept any more."""


async def hold(env: WorkflowEnvironment, script: Script, **changes: Any) -> tuple[ConsensusResult, ScriptedModels]:
    """Hold a consensus to its end."""
    return await holding.hold(env, ConsensusWorkflow.run, consensus_input(**changes), script)


async def fail(env: WorkflowEnvironment, script: Script, **changes: Any) -> tuple[ApplicationError, ScriptedModels]:
    """Hold a consensus that must fail."""
    return await holding.fail(env, ConsensusWorkflow.run, consensus_input(**changes), script)


async def moments(env: WorkflowEnvironment, script: Script, **changes: Any) -> tuple[SyncEvent, ...]:
    """Hold a consensus to its end and return its recorded moments."""
    async with staff(env, ScriptedModels(script)):
        handle = await holding.start(env, ConsensusWorkflow.run, consensus_input(**changes))
        await handle.result()
        return await handle.query(ConsensusWorkflow.events, 0)


def losing(*calls: str, then: Script | None = None) -> Script:
    """A script in which the calls of these ids are lost."""

    def script(call: ModelCall) -> str | Exception | Failed:
        return refused_by_provider() if call.call_id in calls else (then or accepting)(call)

    return script


class TestTheFlow:
    """The Flow: setup, iterative loop, check, transitions, curator."""

    async def test_consensus_in_one_round(self, env: WorkflowEnvironment) -> None:
        """When all accept in the first check the curator polishes the draft: seven calls in the seed's order."""
        result, models = await hold(env, converging(1))

        ids = [call.call_id for call in models.calls]
        assert ["r01-generator", "r01-refiner", "r01-validator"] == ids[:3]
        assert {f"r01-check-{name}" for name in SPEAKERS} == set(ids[3:6])
        assert (["curator"], "consensus", True) == (ids[6:], result.stop_reason, result.consensus_achieved)
        assert "Draft of round 1 by validator. Polished." == result.verdict

    async def test_everybody_gets_the_question_and_only_the_latest_draft(self, env: WorkflowEnvironment) -> None:
        """Response passing: generator of round 2 sees the validator's draft, and no one sees anything older."""
        _, models = await hold(env, converging(2))
        shown = {call.call_id: shown_draft(call) for call in models.calls if call.stage != "consensus_check"}

        assert {
            "r01-generator": None,
            "r01-refiner": "Draft of round 1 by generator.",
            "r01-validator": "Draft of round 1 by refiner.",
            "r02-generator": "Draft of round 1 by validator.",
            "r02-refiner": "Draft of round 2 by generator.",
            "r02-validator": "Draft of round 2 by refiner.",
            "curator": "Draft of round 2 by validator.",
        } == shown
        assert all(QUESTION in call.messages[0].content for call in models.calls)
        assert {1} == {call.messages[0].content.count("Draft of round") for call in models.calls if shown_draft(call)}

    async def test_the_check_judges_the_validators_draft(self, env: WorkflowEnvironment) -> None:
        """All three are asked about the draft as the validator left it."""
        _, models = await hold(env, converging(1))
        shown = [shown_draft(call) for call in models.calls if call.stage == "consensus_check"]

        assert ["Draft of round 1 by validator."] * 3 == shown

    async def test_any_correction_goes_on(self, env: WorkflowEnvironment) -> None:
        """If any model provides corrections the next round follows; what it wrote in the check is no draft."""
        late = {"r01-check-refiner": "The response is wrong: it leaves out the costs."}
        result, models = await hold(env, converging(1, otherwise=late))

        assert [2, 3] == [round_.accepts for round_ in result.rounds]
        assert "Draft of round 1 by validator." == shown_draft(next(c for c in models.calls if c.round == 2))
        assert ["The response is wrong: it leaves out the costs."] == [
            turn.text for turn in result.checks if turn.text != "ACCEPT"
        ]

    @pytest.mark.parametrize("rounds", [1, 3])
    async def test_the_limit_can_be_lower(self, env: WorkflowEnvironment, rounds: int) -> None:
        """A lower limit ends it after so many rounds."""
        result, models = await hold(env, converging(NEVER), max_rounds=rounds)

        assert (6 * rounds, "round_limit") == (len(models.calls), result.stop_reason)

    @pytest.mark.long
    async def test_a_late_round_is_no_more_work_than_an_early_one(self, env: WorkflowEnvironment) -> None:
        """The functions that a round calls in worker and workflow do not become more with the rounds before it."""
        called = 0
        at_start: dict[int, int] = {}

        def count(_frame: FrameType, event: str, _arg: object) -> None:
            nonlocal called
            called += event == "call"

        def script(call: ModelCall) -> str | Exception | Failed:
            at_start.setdefault(call.round, called)
            return "I cannot accept this: the year is wrong." if call.stage == "consensus_check" else accepting(call)

        threading.setprofile(count)
        sys.setprofile(count)
        try:
            result, _ = await hold(env, script, max_rounds=20, deadlock_after=None)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        work = [after - before for before, after in pairwise(at_start.values())]

        assert 20 == len(result.rounds)
        assert min(work[1:6]) > 1000
        assert statistics.median(work[-5:]) <= 1.1 * statistics.median(work[1:6])

    async def test_the_conversation_is_the_seeds(self, env: WorkflowEnvironment) -> None:
        """Data structure: messages with speaker, content, round and opinion; rounds, tokens and cost in total."""
        result, _ = await hold(env, converging(2))
        told = result.conversation

        assert [(name, n) for n in (1, 2) for name in SPEAKERS] == [(m.speaker, m.round) for m in told.messages]
        assert ["YES"] * 3 + ["NO"] * 3 == [m.consensus_opinion for m in told.messages]
        assert (2, True, 195, 0.013) == (
            told.rounds_completed,
            told.consensus_achieved,
            told.total_tokens,
            told.total_cost,
        )

    async def test_the_line_of_a_call_names_its_seat_once(self, env: WorkflowEnvironment) -> None:
        """Round, stage, seat and model are in the timeline; a seat that its stage is named after is there once."""
        async with staff(env, ScriptedModels(converging(1))):
            handle = await holding.start(env, ConsensusWorkflow.run, consensus_input())
            await handle.result()
            history = await handle.fetch_history()
        scheduled = [one for one in history.events if one.HasField("activity_task_scheduled_event_attributes")]
        lines = [json.loads(one.user_metadata.summary.data).split(" · ")[:-1] for one in scheduled]

        assert [["R1", name] for name in SPEAKERS] == lines[:3]
        assert [["R1", "consensus_check", name] for name in SPEAKERS] == lines[3:6]

    async def test_nothing_limits_how_long_a_model_may_take(self, env: WorkflowEnvironment) -> None:
        """No timeouts: an attempt may take a year; the heartbeat shows whether its worker lives."""
        async with staff(env, ScriptedModels(converging(1))):
            handle = await holding.start(env, ConsensusWorkflow.run, consensus_input())
            await handle.result()
            history = await handle.fetch_history()
        asked = [
            event.activity_task_scheduled_event_attributes
            for event in history.events
            if event.HasField("activity_task_scheduled_event_attributes")
        ]
        calls = [one for one in asked if one.activity_type.name == "call_model"]

        assert {365 * 86_400} == {one.start_to_close_timeout.ToTimedelta().total_seconds() for one in calls}
        assert {10.0} == {one.heartbeat_timeout.ToTimedelta().total_seconds() for one in calls}


class TestCutReplies:
    """Token limits: a reply cut off by its length is asked for once more with room for twice as much."""

    async def test_a_reply_cut_twice_is_recorded_and_replaces_no_draft(self, env: WorkflowEnvironment) -> None:
        """What is cut off twice is in the conversation, and the draft stays whole."""
        result, models = await hold(env, cutting("r01-validator", "r01-validator-longer"))
        first_check = next(call for call in models.calls if call.stage == "consensus_check")

        assert "Draft of round 1 by refiner." == shown_draft(first_check)
        assert "Draft of round 1 by validator." == result.conversation.messages[2].content

    async def test_a_first_answer_cut_twice_is_better_than_none(self, env: WorkflowEnvironment) -> None:
        """Where there is no draft yet, half an answer is the draft; a whole text in its place makes up for it."""
        result, models = await hold(env, cutting("r01-generator", "r01-generator-longer"))
        refiner = next(call for call in models.calls if call.stage == "refiner")

        assert "Draft of round 1 by generator." == shown_draft(refiner)
        assert (False, {"cut": 1, "asked_again": 1}) == (result.partial, result.degraded.counts)

    @pytest.mark.parametrize("stage", ["generator", "curator"])
    async def test_a_verdict_that_comes_from_a_cut_text_is_partial(self, env: WorkflowEnvironment, stage: str) -> None:
        """All accept a first answer that was cut twice, or the curator is cut twice: partial, with its flaw."""

        def script(call: ModelCall) -> str | Exception | Failed:
            said = accepting(call)
            return f"{said}{CUT}" if call.stage == stage else said

        result, _ = await hold(env, script)

        assert ("consensus", True) == (result.stop_reason, result.partial)
        assert {"cut": 1, "asked_again": 1} == result.degraded.counts


def cutting(*calls: str) -> Script:
    """Consensus in round 1, the replies to these calls being cut off by their length."""

    def script(call: ModelCall) -> str | Exception | Failed:
        said = converging(1)(call)
        return f"{said}{CUT}" if call.call_id in calls and isinstance(said, str) else said

    return script


class TestOptions:
    """The named options, each off by default."""

    async def test_corrections_are_not_passed_on(self, env: WorkflowEnvironment) -> None:
        """The seed passes only the draft on."""
        _, models = await hold(env, converging(2))

        assert not [call for call in models.calls if "A correction of round 1" in call.messages[0].content]

    async def test_corrections_can_be_offered_to_the_next_generator(self, env: WorkflowEnvironment) -> None:
        """``carry_corrections`` shows them to the generator of the next round, and to no one else."""
        _, models = await hold(env, converging(2), carry_corrections=True)
        shown = {c.call_id: c.messages[0].content.count("A correction of round 1") for c in models.calls}

        assert 3 == shown.pop("r02-generator")
        assert {0} == set(shown.values())


class TestLostModels:
    """STRICT and RESILIENT."""

    @pytest.mark.parametrize("call", ["r01-refiner", "r01-check-validator"])
    async def test_strict_fails(self, env: WorkflowEnvironment, call: str) -> None:
        """One lost call ends a strict consensus, and the failure carries what exists."""
        error, _ = await fail(env, losing(call), failure_mode="strict")
        result = ConsensusResult.model_validate(error.details[0])

        assert ("consensus.participant_lost", None, True) == (error.type, result.verdict, result.partial)

    @pytest.mark.parametrize("speaker", ["refiner", "validator"])
    async def test_a_lost_turn_passes_the_draft_on_and_cannot_accept(
        self, env: WorkflowEnvironment, speaker: str
    ) -> None:
        """The draft stays, the speaker is not asked in that round's check, and so there is no consensus in it."""
        result, models = await hold(env, losing(f"r01-{speaker}"))

        assert f"r01-check-{speaker}" not in {call.call_id for call in models.calls}
        assert [2, 3] == [round_.accepts for round_ in result.rounds]
        assert ("The first draft.", {"lost": 1}) == (result.draft, result.degraded.counts)

    async def test_two_losses_in_a_row_make_a_zombie(self, env: WorkflowEnvironment) -> None:
        """A zombie is asked no more and has no vote; the two that are left agree."""
        result, models = await hold(env, losing("r01-refiner", "r02-refiner"))
        asked = [call.call_id for call in models.calls if call.participant == "refiner"]

        assert ["r01-refiner", "r02-refiner"] == asked
        assert (("refiner",), "consensus", {"generator": "NO", "validator": "NO"}) == (
            result.zombies,
            result.stop_reason,
            result.rounds[-1].opinions,
        )

    async def test_fewer_than_two_are_no_quorum(self, env: WorkflowEnvironment) -> None:
        """With one speaker left it ends with the last draft, partial, without consensus."""
        lost = [f"r0{n}-{name}" for n in (1, 2) for name in ("refiner", "validator")]
        result, _ = await hold(env, losing(*lost))

        assert ("quorum_lost", "The first draft.", False, True) == (
            result.stop_reason,
            result.verdict,
            result.consensus_achieved,
            result.partial,
        )

    async def test_without_a_draft_it_fails(self, env: WorkflowEnvironment) -> None:
        """When none of the three answers the question there is nothing to agree on."""
        error, models = await fail(env, losing("r01-generator", "r01-refiner", "r01-validator"))

        assert ("consensus.no_draft", 3) == (error.type, len({call.call_id for call in models.calls}))

    async def test_a_lost_curator_leaves_the_draft(self, env: WorkflowEnvironment) -> None:
        """RESILIENT: the draft that all accepted is as it is, and the result says who wrote it."""
        result, _ = await hold(env, losing("curator"))

        assert ("The first draft.", "draft", "consensus", "degraded: 1 lost") == (
            result.verdict,
            result.written_by,
            result.stop_reason,
            result.degraded.line,
        )

    async def test_a_lost_curator_fails_in_strict(self, env: WorkflowEnvironment) -> None:
        """STRICT: without its curator a consensus fails; the draft travels along."""
        error, _ = await fail(env, losing("curator"), failure_mode="strict")

        assert "consensus.curator_lost" == error.type
        assert "The first draft." == ConsensusResult.model_validate(error.details[0]).draft


class TestTheLedger:
    """What is recorded when it ends."""

    async def test_the_result_is_recorded_once_with_what_was_lost(self, env: WorkflowEnvironment) -> None:
        """The entry names protocol, verdict, reason and the calls that no one answered."""
        ledger = FakeLedger()
        async with staff(env, ScriptedModels(losing("r01-check-refiner")), ledger):
            handle = await holding.start(env, ConsensusWorkflow.run, consensus_input())
            await handle.result()
        (entry,) = ledger.entries

        assert ("consensus", "consensus", {"lost": 1}) == (entry.protocol, entry.stop_reason, entry.flaws)
        assert (entry.degraded, entry.partial) == (True, False)
        assert ["r01-check-refiner"] == [lost.identity.call_id for lost in entry.lost]


class TestVisualFeedback:
    """Visual Synchronization Requirements: the five points, the rules, and what not to do."""

    async def test_the_five_points_in_order(self, env: WorkflowEnvironment) -> None:
        """Starts before completions, the round's end after the validator, then a new round or the consensus."""
        points = [event.point for event in await moments(env, converging(2))]
        turn = ["model_started", "model_completed"]
        round_ = ["round_started", *turn * 3, "round_completed"]

        assert [*round_, *round_, "consensus_achieved", *turn] == points

    async def test_events_are_numbered_and_never_go_back_in_time(self, env: WorkflowEnvironment) -> None:
        """1, 2, 3 … without a gap, each at or after the one before."""
        told = await moments(env, converging(2))

        assert list(range(1, len(told) + 1)) == [event.number for event in told]
        assert sorted(event.at for event in told) == [event.at for event in told]

    async def test_a_bar_runs_when_its_model_starts_and_is_full_when_it_completes(
        self, env: WorkflowEnvironment
    ) -> None:
        """Progress bars never get out of sync with what is being done."""
        told = await moments(env, converging(2))
        bars = [
            (event.point, event.state.stages[event.state.current_stage])
            for event in told
            if event.point in {"model_started", "model_completed"}
        ]

        assert {("model_started", "running", 0), ("model_completed", "completed", 100)} == {
            (point, bar.status, bar.progress) for point, bar in bars
        }

    async def test_only_one_bar_runs_at_a_time(self, env: WorkflowEnvironment) -> None:
        """Generator, refiner and validator follow each other; the one before is complete when the next one starts."""
        told = await moments(env, converging(2))
        started = [event.state for event in told if event.point == "model_started"]

        assert {1} == {sum(bar.status == "running" for bar in state.stages.values()) for state in started}

    async def test_bars_reset_with_every_round(self, env: WorkflowEnvironment) -> None:
        """Don't forget to reset progress bars between rounds: all are ready at 0 when a round starts."""
        starts = [event.state for event in await moments(env, converging(3)) if event.point == "round_started"]

        assert 3 == len(starts)
        assert {("ready", 0)} == {(bar.status, bar.progress) for state in starts for bar in state.stages.values()}

    async def test_the_curator_is_ready_until_consensus(self, env: WorkflowEnvironment) -> None:
        """Don't show the curator until consensus is really achieved."""
        told = await moments(env, converging(2))
        achieved = next(event.number for event in told if event.point == "consensus_achieved")

        assert {"ready"} == {e.state.stages["curator"].status for e in told if e.number <= achieved}
        assert "curator" in {e.state.current_stage for e in told if e.number > achieved}

    async def test_the_curator_never_appears_without_consensus(self, env: WorkflowEnvironment) -> None:
        """At the round limit there is no curator on any screen."""
        told = await moments(env, converging(NEVER), max_rounds=3)

        assert {"ready"} == {event.state.stages["curator"].status for event in told}

    async def test_the_round_counter_is_never_lost(self, env: WorkflowEnvironment) -> None:
        """Don't lose track of which round we're on: it counts 1, 2, 3 and every event of a round says its number."""
        told = await moments(env, converging(3))

        assert [1, 2, 3] == [event.state.current_round for event in told if event.point == "round_started"]
        assert sorted(e.state.current_round for e in told) == [e.state.current_round for e in told]

    async def test_tokens_and_cost_accumulate(self, env: WorkflowEnvironment) -> None:
        """Token/cost updates accumulate across all rounds and never go back."""
        told = await moments(env, converging(2))
        tokens = [event.state.total_tokens for event in told]

        assert (sorted(tokens), 195) == (tokens, tokens[-1])
        assert 0.013 == told[-1].state.total_cost

    async def test_opinions_are_reported_after_each_round(self, env: WorkflowEnvironment) -> None:
        """They are unknown while the check begins and known when the next round starts."""
        told = await moments(env, converging(2))
        opinions = {(e.point, e.state.current_round): set(e.state.consensus_opinions.values()) for e in told}

        assert ({None}, {"YES"}) == (opinions["round_completed", 1], opinions["round_started", 2])
        assert {"NO"} == opinions["consensus_achieved", 2]

    async def test_a_start_is_reported_before_the_answer(self, env: WorkflowEnvironment) -> None:
        """Model starts: the screen changes immediately, while the model has not answered yet."""
        models = ScriptedModels(converging(1))
        models.hold = {"r01-refiner"}
        async with staff(env, models):
            handle = await holding.start(env, ConsensusWorkflow.run, consensus_input())
            while "r01-refiner" not in {call.call_id for call in models.calls}:  # noqa: ASYNC110 - a list sets no event
                await asyncio.sleep(0.02)
            state: VisualState = await handle.query(ConsensusWorkflow.visual_state)
            models.hold.clear()
            await handle.result()

        assert ("refiner", 0, "REFINE") == (state.current_stage, state.stage_progress, state.phase)
        assert ["completed", "running", "ready", "ready"] == [bar.status for bar in state.stages.values()]
