"""What a user changes in a debate that runs, and what is refused with a reason."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from temporalio.client import WorkflowHandle, WorkflowUpdateFailedError
from temporalio.testing import WorkflowEnvironment

from protocols.debate.model.history import ReleaseTurn
from protocols.debate.model.io import Approve, DebateResult, InjectEvidence, ResolveEscalation, Waiting
from protocols.debate.model.state import DebateState, Evidence
from protocols.debate.model.turn import AgentResponse
from protocols.model_call import ModelCall, ModelId, ParticipantId
from protocols.progress import Progress
from protocols.transcript import Transcript
from protocols.update_requests import AddRounds, ReplaceParticipant, StopRequest
from tests.fakes.debates import arguing, debate_of
from tests.fakes.models import Script, ScriptedModels, refused_by_provider
from tests.workflows import holding
from tests.workflows.conftest import staff
from tests.workflows.test_debate import SURE, lively, restless, shown_to
from workflows.debate import DebateWorkflow

Handle = WorkflowHandle[Any, Any]


@asynccontextmanager
async def held(
    env: WorkflowEnvironment, script: Script, at: str = "", mode: str = "collaborative", **changes: Any
) -> AsyncIterator[tuple[Handle, ScriptedModels]]:
    """A debate that is unchanged at the call ``at``, or runs until it waits for a user."""
    models = ScriptedModels(script)
    models.hold = {at}
    async with staff(env, models):
        handle = await holding.start(env, DebateWorkflow.run, debate_of(mode, **changes))
        if at:
            await holding.until_alone(handle, at)
        yield handle, models


async def waits(handle: Handle) -> Waiting:
    """What it waits for, once it does."""
    while (waiting := await handle.query(DebateWorkflow.waiting)) is None:  # noqa: ASYNC110 - a query sets no event
        await asyncio.sleep(0.05)
    return Waiting.model_validate(waiting)


async def refusal(handle: Handle, update: str, request: Any) -> str:
    """Why the update is refused."""
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await handle.execute_update(update, request)
    return str(refused.value.cause)


class TestEscalation:
    """Decision 3: a user decides after an objection round that failed."""

    @pytest.mark.parametrize(
        ("decision", "reached"), [("accept", True), ("reject", False)], ids=["accepted", "rejected"]
    )
    async def test_a_person_concludes(self, env: WorkflowEnvironment, decision: Any, reached: bool) -> None:
        """Accepted it counts as agreed, rejected it does not; either way it is synthesised and not flagged."""
        async with held(env, arguing(**SURE)) as (handle, _):
            waiting = await waits(handle)
            await handle.execute_update("resolve_escalation", ResolveEscalation(decision=decision, note="I see."))
            result: DebateResult = await handle.result()
            await holding.replay(env, handle)

        assert ("escalation", f"{decision}ed") == (waiting.for_what, result.stop_reason)
        assert (reached, False, [(decision, "I see.")]) == (
            result.consensus_reached,
            result.is_flagged,
            [(one.decision, one.note) for one in result.escalations],
        )

    async def test_a_person_has_it_go_on(self, env: WorkflowEnvironment) -> None:
        """Continued, another round runs, and the note binds everyone as decision D1."""
        async with held(env, arguing(**SURE)) as (handle, models):
            await waits(handle)
            note = "Assume that buses stay."
            await handle.execute_update("resolve_escalation", ResolveEscalation(decision="continue", note=note))
            result: DebateResult = await handle.result()

        assert [("D1", note)] == [(one.id, one.text) for one in result.state.decisions]
        assert note in shown_to(models, "r03-p1")
        assert len(result.rounds) >= 3

    async def test_going_on_gives_a_round_beyond_the_limit(self, env: WorkflowEnvironment) -> None:
        """Where every round ran already, to continue raises the limit by one (point 31)."""
        async with held(env, arguing(**SURE), max_rounds=1) as (handle, models):
            await waits(handle)
            await handle.execute_update("resolve_escalation", ResolveEscalation(decision="continue"))
            result: DebateResult = await handle.result()

        assert ["ordinary", "objection", "ordinary"] == [one.kind for one in result.rounds][:3]
        assert "r03-p1" in [call.call_id for call in models.calls]

    async def test_the_screen_states_what_it_waits_for(self, env: WorkflowEnvironment) -> None:
        """While it waits, stage, phase and one line state so; afterwards they do not."""
        async with held(env, arguing(**SURE)) as (handle, _):
            await waits(handle)
            before = await handle.query(DebateWorkflow.state)
            await handle.execute_update("resolve_escalation", ResolveEscalation(decision="accept"))
            await handle.result()
            after = await handle.query(DebateWorkflow.state)

        assert ("escalation", "ESCALATION", "") == (before.stage, before.phase, after.waits_for)
        assert before.waits_for.startswith("a user's escalation until ")

    async def test_nobody_is_waited_for_otherwise(self, env: WorkflowEnvironment) -> None:
        """An answer that no one waits for is refused, and the debate continues as it was."""
        async with held(env, restless(), at="r01-p2") as (handle, models):
            said = await refusal(handle, "resolve_escalation", ResolveEscalation(decision="accept"))
            opened = await refusal(handle, "approve", Approve())
            models.hold = set()
            result: DebateResult = await handle.result()

        assert "does not wait" in said
        assert "does not wait" in opened
        assert "round_cap" == result.stop_reason


class TestApproval:
    """Decision 6: the gate before the synthesis of a high-stakes debate."""

    async def test_approved(self, env: WorkflowEnvironment) -> None:
        """Opened, the debate is synthesised; before that the synthesiser is not asked."""
        async with held(env, lively(), high_stakes=("agentic",)) as (handle, models):
            waiting = await waits(handle)
            asked_before = [call.call_id for call in models.calls if call.stage == "synthesis"]
            await handle.execute_update("approve", Approve(note="Go."))
            result: DebateResult = await handle.result()
            await holding.replay(env, handle)

        assert ("approval", []) == (waiting.for_what, asked_before)
        assert "agentic execution with real-world effects" in waiting.why
        assert ("consensus", "approved", "Go.") == (
            result.stop_reason,
            result.approval and result.approval.outcome,
            result.approval and result.approval.note,
        )

    async def test_refused(self, env: WorkflowEnvironment) -> None:
        """Shut, there is no verdict and no one is asked any more; every turn is there."""
        async with held(env, lively(), high_stakes=("security",)) as (handle, models):
            await waits(handle)
            await handle.execute_update("approve", Approve(approved=False, note="Not like this."))
            result: DebateResult = await handle.result()

        assert ("not_approved", None, 2) == (result.stop_reason, result.verdict, len(result.rounds))
        assert not [call for call in models.calls if call.stage == "synthesis"]

    async def test_nobody_comes(self, env: WorkflowEnvironment) -> None:
        """A gate that no one opens in time stays shut, and the result is flagged."""
        result, _ = await holding.hold(
            env,
            DebateWorkflow.run,
            debate_of(high_stakes=("safety_critical",), escalation_timeout=600),
            lively(),
        )

        assert ("not_approved", "timed_out", True) == (result.stop_reason, result.approval.outcome, result.is_flagged)


WITHHELD = json.dumps(
    {"clean": False, "withhold": [{"debater": f"p{n}", "rule": "manipulation"} for n in (1, 2, 3)], "reason": "a plan"}
)


def blocked_in(script: Script) -> Script:
    """Debaters of whom no turn of round 1 may be shown."""
    return lambda call: WITHHELD if call.call_id == "r01-evaluator" else script(call)


class TestRelease:
    """A user has a turn shown that the evaluator withheld."""

    async def test_a_blocked_debate_waits_for_it(self, env: WorkflowEnvironment) -> None:
        """One turn is enough to continue: the others see it from the next round, and its claims have ids."""
        request = ReleaseTurn(agent=ParticipantId("p2"), note="It quotes a law.")
        async with held(env, blocked_in(restless()), mode="adversarial", max_rounds=2) as (handle, models):
            waiting = await waits(handle)
            turn: AgentResponse = await handle.execute_update(DebateWorkflow.release_turn, request)
            result: DebateResult = await handle.result()
            await holding.replay(env, handle)

        assert ("release", True) == (waiting.for_what, "no turn of round 1 may be shown: p1 (the safety" in waiting.why)
        assert ("", "manipulation", "released by a person: It quotes a law.") == (
            turn.withheld,
            turn.withheld_for,
            turn.released,
        )
        assert (2, ["p1", "p3"]) == (len(result.rounds), [t.agent for t in result.rounds[0].turns if t.withheld])
        assert turn == result.rounds[0].turns[1]
        assert turn.claims_touched.introduced
        assert ["r02-p1", "r02-p3"] == [
            call.call_id for call in models.calls if "WAS WITHHELD" in call.messages[0].content
        ]

    async def test_while_it_goes_on(self, env: WorkflowEnvironment) -> None:
        """A turn of a round that has ended, and by its round; one that is asked from then on sees it."""
        verdict = json.dumps({"clean": False, "withhold": ["p1"], "reason": "a plan"})
        scripted = restless()

        def script(call: ModelCall) -> Any:
            return verdict if call.call_id == "r01-evaluator" else scripted(call)

        async with held(env, script, at="r02-p2", mode="adversarial", max_rounds=2) as (handle, models):
            before = next(call.messages[-1].content for call in models.calls if call.call_id == "r02-p1")
            await handle.execute_update("release_turn", ReleaseTurn(agent=ParticipantId("p1"), round=1))
            models.hold = set()
            result: DebateResult = await handle.result()
            after = next(call.messages[-1].content for call in models.calls if call.call_id == "r02-p3")

        hidden = "--- p1 (model-1) ---\n[withheld]"
        assert (True, False) == (hidden in before, hidden in after)
        assert not [turn for held_ in result.rounds for turn in held_.turns if turn.withheld]

    async def test_what_makes_no_sense_is_refused(self, env: WorkflowEnvironment) -> None:
        """A turn that is not withheld, and a debate that has ended; nothing changes."""
        async with held(env, restless(), at="r02-p2", max_rounds=2) as (handle, models):
            shown = await refusal(handle, "release_turn", ReleaseTurn(agent=ParticipantId("p1")))
            models.hold = set()
            result: DebateResult = await handle.result()

        assert "no turn of p1 is withheld; withheld are: none" in shown
        assert not [turn for held_ in result.rounds for turn in held_.turns if turn.released]


class TestEvidence:
    """A user adds a fact with its source."""

    async def test_it_gets_an_id_and_is_seen_whole(self, env: WorkflowEnvironment) -> None:
        """It is in the registry and in everyone's next prompt, whole, beside what was given at the start."""
        told = "Traffic fell by 11.8 percent on 14 of 19 streets. " * 9
        fact = InjectEvidence(fact=told, source="City count of 2024", supports=("C1",))
        given: dict[str, Any] = {"material": ({"name": "report.md", "text": "Shops lost 6.3 %."},)}
        async with held(env, restless(), at="r02-p1", **given) as (handle, models):
            added: Evidence = await handle.execute_update(DebateWorkflow.inject_evidence, fact)
            state: DebateState = await handle.query(DebateWorkflow.claims)
            models.hold = set()
            await handle.result()

        assert added in state.evidence
        assert (added.id, "person") == (f"E{len(state.evidence)}", added.added_by)
        assert f"City count of 2024 (supports C1):\n{told.strip()}\n" in shown_to(models, "r03-p2")
        prompts = [shown_to(models, call.call_id) for call in models.calls]
        assert all("[E1] report.md:\nShops lost 6.3 %." in text for text in prompts)

    async def test_unknown_claims_are_refused(self, env: WorkflowEnvironment) -> None:
        """Evidence for a claim that does not exist is refused with the ids there are; nothing is added."""
        async with held(env, restless(), at="r02-p1") as (handle, models):
            fact = InjectEvidence(fact="Traffic fell.", source="Count", supports=("C99",))
            before: DebateState = await handle.query(DebateWorkflow.claims)
            said = await refusal(handle, "inject_evidence", fact)
            after: DebateState = await handle.query(DebateWorkflow.claims)
            models.hold = set()
            await handle.result()

        assert "C99" in said
        assert before == after

    async def test_what_nobody_reads_is_refused(self, env: WorkflowEnvironment) -> None:
        """Evidence that comes while the synthesis is written would be listed, and no model would have seen it."""
        async with held(env, restless(), at="synthesis-synthesiser", max_rounds=1) as (handle, models):
            said = await refusal(handle, "inject_evidence", InjectEvidence(fact="Traffic fell.", source="Count"))
            models.hold = set()
            result: DebateResult = await handle.result()

        assert "the synthesis is being written" in said
        assert "Traffic fell." not in result.model_dump_json()


class TestRounds:
    """More rounds than were asked for."""

    async def test_a_round_more(self, env: WorkflowEnvironment) -> None:
        """Another round runs, with its own focus question, before the cap ends it."""
        async with held(env, restless(), at="r02-p1", max_rounds=2) as (handle, models):
            progress: Progress = await handle.execute_update(
                DebateWorkflow.add_rounds, AddRounds(rounds=1, focus="What of the elderly?")
            )
            models.hold = set()
            result: DebateResult = await handle.result()

        assert (3, 3, "round_cap") == (progress.rounds, len(result.rounds), result.stop_reason)
        assert "What of the elderly?" in "".join(
            message.content for call in models.calls if call.call_id == "r03-p1" for message in call.messages
        )

    async def test_more_than_fifty_are_refused(self, env: WorkflowEnvironment) -> None:
        """There are fifty rounds at most; the refusal says how many may still be asked for."""
        async with held(env, restless(), at="r01-p1", max_rounds=2) as (handle, models):
            said = await refusal(handle, "add_rounds", AddRounds(rounds=49))
            models.hold = set()
            await handle.result()

        assert "48 or fewer" in said

    async def test_none_is_added_after_the_last(self, env: WorkflowEnvironment) -> None:
        """Once the debate is being concluded no round follows, and the screen shows no other limit."""
        async with held(env, lively(), high_stakes=("agentic",)) as (handle, _):
            await waits(handle)
            before: Progress = await handle.query("state", result_type=Progress)
            said = await refusal(handle, "add_rounds", AddRounds(rounds=2))
            after: Progress = await handle.query("state", result_type=Progress)
            await handle.execute_update("approve", Approve())
            await handle.result()

        assert "the rounds are over" in said
        assert before == after


class TestSeats:
    """Another model behind a seat."""

    async def test_a_lost_debater_comes_back_with_another_model(self, env: WorkflowEnvironment) -> None:
        """A lost seat is asked again in the next round when a user puts another model there."""
        scripted = restless()

        def script(call: Any) -> Any:
            return refused_by_provider() if call.call_id == "r01-p2" else scripted(call)

        async with held(env, script, at="r02-p1", max_rounds=3) as (handle, models):
            request = ReplaceParticipant(participant=ParticipantId("p2"), model=ModelId("openrouter:new/model"))
            await handle.execute_update("replace_participant", request)
            models.hold = set()
            result: DebateResult = await handle.result()

        assert "openrouter:new/model" in [call.model for call in models.calls if call.call_id == "r03-p2"]
        assert ["p1", "p2", "p3"] == [turn.agent for turn in result.rounds[2].turns]

    async def test_the_evaluator_may_be_a_debater_too(self, env: WorkflowEnvironment) -> None:
        """A seat beside the table may hold a model that debates: it has no vote there."""
        async with held(env, restless(), at="r01-p1", max_rounds=1) as (handle, models):
            request = ReplaceParticipant(
                participant=ParticipantId("evaluator"), model=ModelId("openrouter:lab/model-1")
            )
            await handle.execute_update("replace_participant", request)
            models.hold = set()
            result: DebateResult = await handle.result()

        assert "round_cap" == result.stop_reason


class TestEnds:
    """A user ends it."""

    async def test_stopped_in_a_sequential_round(self, env: WorkflowEnvironment) -> None:
        """The turns are in the round that was broken off, nothing more is asked, and a rule writes the close."""
        async with held(env, restless(), at="r01-p2", mode="socratic") as (handle, models):
            await handle.execute_update("stop", StopRequest(reason="seen enough"))
            result: DebateResult = await handle.result()
            await holding.replay(env, handle)

        assert ("stopped", "seen enough", True) == (result.stop_reason, result.remark, result.partial)
        assert (["p1"], "rule") == (
            [turn.agent for turn in result.rounds[0].turns],
            result.synthesis and result.synthesis.written_by,
        )
        assert ["r01-p1", "r01-p2"] == [call.call_id for call in models.calls]

    async def test_stopped_while_it_waits(self, env: WorkflowEnvironment) -> None:
        """A user may also end it where it waits for one."""
        async with held(env, arguing(**SURE)) as (handle, _):
            await waits(handle)
            await handle.execute_update("stop", StopRequest(reason="never mind"))
            result: DebateResult = await handle.result()
            waiting = await handle.query(DebateWorkflow.waiting)

        assert ("stopped", None) == (result.stop_reason, waiting)

    async def test_nothing_changes_after_the_end(self, env: WorkflowEnvironment) -> None:
        """The transcript has every turn in order, and the synthesis last."""
        async with held(env, lively()) as (handle, _):
            await handle.result()
            said: Transcript = await handle.query(DebateWorkflow.transcript)

        assert [*["turns"] * 6, "synthesis"] == [turn.stage for turn in said.turns]
