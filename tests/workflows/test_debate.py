"""The debate's schedule with scripted debaters: seed 003, section by section."""

import json
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from protocols.debate.model.io import DebateResult
from protocols.debate.modes import MODES
from protocols.model_call import ModelCall, ParticipantId
from tests.fakes.debates import arguing, debate_of, said
from tests.fakes.models import Script, ScriptedModels, refused_by_provider
from tests.workflows import holding
from workflows.debate import DebateWorkflow

Changes = dict[str, Any]

SURE: Changes = {"confidence": 0.95, "vote": "ACCEPT"}


async def hold(
    env: WorkflowEnvironment, script: Script, mode: str = "collaborative", **changes: Any
) -> tuple[DebateResult, ScriptedModels]:
    """Run a debate to its end."""
    result, models = await holding.hold(env, DebateWorkflow.run, debate_of(mode, **changes), script)
    return result, models


async def fail(
    env: WorkflowEnvironment, script: Script, mode: str = "collaborative", **changes: Any
) -> tuple[ApplicationError, DebateResult]:
    """Run a debate that must fail; why, and what exists all the same."""
    error, _ = await holding.fail(env, DebateWorkflow.run, debate_of(mode, **changes), script)
    return error, DebateResult.model_validate(error.details[0])


def lost(*calls: str) -> dict[str, str | Exception | Changes]:
    """These calls are lost."""
    return {call: refused_by_provider() for call in calls}


def fact(number: int, **fields: Any) -> Changes:
    """A turn with a fact of its own, so that no one takes the debate for stagnant."""
    return {
        "claims": [
            {"text": f"Measurement number {number} was taken in town {number}", "label": "FACT", "citations": [1]}
        ],
        "references": [{"number": 1, "text": f"Survey number {number}"}],
        **fields,
    }


def lively(**fields: Any) -> Script:
    """Debaters that bring a new fact in every turn and are sure enough, but not too sure."""
    seen: list[str] = []

    def script(call: ModelCall) -> Any:
        if call.read_as.reader != "debate.turn":
            return arguing()(call)
        seen.append(call.call_id)
        return said(**fact(len(seen), **fields))

    return script


def restless(votes: str = "BLOCKER") -> Script:
    """Debaters that never agree and never be unchanged."""
    seen: list[str] = []

    def script(call: ModelCall) -> Any:
        if call.read_as.reader != "debate.turn":
            return arguing()(call)
        seen.append(call.call_id)
        return said(**fact(len(seen), vote=votes, confidence=0.5 + 0.2 * (call.round % 2)))

    return script


def messages(models: ScriptedModels, call_id: str) -> str:
    """Everything that was sent with one call."""
    (call,) = [call for call in models.calls if call.call_id == call_id]
    return "\n".join(message.content for message in call.messages)


def shown_to(models: ScriptedModels, call_id: str) -> str:
    """The user message of one call."""
    (call,) = [call for call in models.calls if call.call_id == call_id]
    return call.messages[-1].content


class TestOrder:
    """Section 3.6: parallel, sequential and team order."""

    @pytest.mark.parametrize("mode", [name for name, mode in MODES.items() if mode.order == "parallel"])
    async def test_parallel_rounds_show_only_earlier_rounds(self, env: WorkflowEnvironment, mode: str) -> None:
        """Everyone gets the same context: nothing of the round itself."""
        _, models = await hold(env, lively(position="Close it now."), mode, max_rounds=1)

        assert not any("Close it now." in shown_to(models, f"r01-p{n}") for n in (1, 2, 3))

    @pytest.mark.parametrize("mode", [name for name, mode in MODES.items() if mode.order == "sequential"])
    async def test_sequential_rounds_show_those_before(self, env: WorkflowEnvironment, mode: str) -> None:
        """The second sees the first of the same round, the third sees both."""
        turns: dict[str, str | Exception | Changes] = {
            f"r01-p{n}": fact(n, position=f"I am speaker {n} here.") for n in (1, 2, 3)
        }
        _, models = await hold(env, arguing(turns), mode, max_rounds=1)
        seen = [[n for n in (1, 2, 3) if f"I am speaker {n} here." in shown_to(models, f"r01-p{m}")] for m in (1, 2, 3)]

        assert [[], [1], [1, 2]] == seen
        assert ["r01-p1", "r01-p2", "r01-p3"] == [c.call_id for c in models.calls if c.read_as.reader == "debate.turn"]

    async def test_blue_sees_red(self, env: WorkflowEnvironment) -> None:
        """Red speaks at once without seeing itself, then blue sees what red said in the same round."""
        turns: dict[str, str | Exception | Changes] = {
            f"r01-p{n}": fact(n, position=f"I am speaker {n} here.") for n in (1, 2, 3, 4)
        }
        _, models = await hold(env, arguing(turns), "red-team-blue-team", debaters=4, max_rounds=1)
        seen = {
            m: [n for n in (1, 2, 3, 4) if f"I am speaker {n} here." in shown_to(models, f"r01-p{m}")]
            for m in (1, 2, 3, 4)
        }

        assert {1: [], 3: [], 2: [1, 3], 4: [1, 3]} == seen


class TestExits:
    """Section 2, P1, in the order of the exits."""

    async def test_consensus(self, env: WorkflowEnvironment) -> None:
        """All hold the motion of round 1 and accept it with enough confidence: the debate ends after round 2."""
        result, models = await hold(env, lively())

        assert ("consensus", 2, True) == (result.stop_reason, len(result.rounds), result.consensus_reached)
        assert ("Close the centre in steps.", 7) == (result.verdict, len(models.calls))
        assert ("Close the centre to cars in steps.", 1) == (
            result.accepted_motion and result.accepted_motion.text,
            result.accepted_motion and result.accepted_motion.round,
        )
        assert "=== THE MOTION" in shown_to(models, "r02-p1")

    async def test_round_cap(self, env: WorkflowEnvironment) -> None:
        """Debaters that neither agree nor stagnate are stopped by the cap: five rounds unless another is given."""
        result, _ = await hold(env, restless())
        shorter, _ = await hold(env, restless(), max_rounds=2)

        assert [("round_cap", 5), ("round_cap", 2)] == [(r.stop_reason, len(r.rounds)) for r in (result, shorter)]


class TestGroupthink:
    """Decision 3: the critical objection round, and the person behind it."""

    async def test_early_convergence_brings_an_objection_round(self, env: WorkflowEnvironment) -> None:
        """All very sure with one source: agreement does not count before an objection round ran."""
        answered: dict[str, str | Exception | Changes] = {
            f"r02-p{n}": fact(n, confidence=0.75, vote="MINOR") for n in (1, 2, 3)
        }
        result, models = await hold(env, arguing(answered, **SURE))

        assert ["ordinary", "objection"] == [held.kind for held in result.rounds]
        assert (("early_convergence",), "consensus") == (result.rounds[0].fired, result.stop_reason)
        assert "CRITICAL OBJECTION" in messages(models, "r02-p1").upper()

    async def test_nobody_comes(self, env: WorkflowEnvironment) -> None:
        """An objection round that fails waits for a user; when none comes in time it concludes flagged."""
        result, _ = await hold(env, arguing(**SURE), escalation_timeout=3600)

        assert ("escalation_timed_out", True, False) == (
            result.stop_reason,
            result.is_flagged,
            result.consensus_reached,
        )
        assert ["timed_out"] == [one.decision for one in result.escalations]
        assert result.verdict == "Close the centre in steps."


class TestFailureModes:
    """STRICT and RESILIENT; parity and labels stay."""

    async def test_a_lost_debater_keeps_its_turns(self, env: WorkflowEnvironment) -> None:
        """Lost in round 2, it is not asked again, and what it said in round 1 is."""
        scripted = restless()

        def script(call: ModelCall) -> Any:
            return refused_by_provider() if call.call_id == "r02-p2" else scripted(call)

        result, models = await hold(env, script, max_rounds=3)
        by_round = [[turn.agent for turn in held.turns] for held in result.rounds]

        assert [["p1", "p2", "p3"], ["p1", "p3"], ["p1", "p3"]] == by_round
        assert (True, ["p2"]) == (result.degraded.is_degraded, [lost.participant for lost in result.failed])
        assert not any(call.call_id.startswith("r03-p2") for call in models.calls)

    async def test_labels_stay(self, env: WorkflowEnvironment) -> None:
        """In delphi a lost debater leaves the others under the labels they had, round by round."""
        scripted = restless()

        def script(call: ModelCall) -> Any:
            return refused_by_provider() if call.call_id == "r02-p2" else scripted(call)

        result, models = await hold(env, script, "delphi", debaters=4, max_rounds=3)
        named = {seat: label for label, seat in result.labels.items()}

        assert ["Expert A", "Expert B", "Expert C", "Expert D"] == sorted(result.labels)
        assert all(named[ParticipantId(seat)] in shown_to(models, "r03-p1") for seat in ("p3", "p4"))
        assert "lab/model" not in shown_to(models, "r03-p1")
        assert "model-3" not in shown_to(models, "r03-p1")

    async def test_below_two_it_ends_partial(self, env: WorkflowEnvironment) -> None:
        """With one debater left there is no debate: it fails, and the error has every turn."""
        error, result = await fail(env, arguing(lost("r01-p1", "r01-p2")))

        assert ("debate.debate_too_small", "debate_too_small", True, None) == (
            error.type,
            result.stop_reason,
            result.partial,
            result.verdict,
        )
        assert ["p3"] == [turn.agent for turn in result.rounds[0].turns]

    async def test_strict_ends_at_the_first_loss(self, env: WorkflowEnvironment) -> None:
        """In a sequential round no one is asked any more after a debater was lost."""
        error, models = await holding.fail(
            env, DebateWorkflow.run, debate_of("socratic", failure_mode="strict"), arguing(lost("r01-p2"))
        )

        assert "debate.participant_lost" == error.type
        assert ["r01-p1", "r01-p2"] == [call.call_id for call in models.calls]

    async def test_a_synthesiser_has_fallbacks(self, env: WorkflowEnvironment) -> None:
        """A synthesiser that is lost is followed by its fallback, and by the rule when that is lost too."""
        one, _ = await hold(env, lively_but(lost("synthesis-synthesiser")))
        both, _ = await hold(env, lively_but(lost("synthesis-synthesiser", "synthesis-synthesiser-2")))

        assert ("fallback", "rule") == (written_by(one), written_by(both))
        assert both.verdict


def lively_but(changes: dict[str, Any], **fields: Any) -> Script:
    """Lively debaters, but for some calls."""
    scripted = lively(**fields)

    def script(call: ModelCall) -> Any:
        return changes.get(call.call_id) or scripted(call)

    return script


def written_by(result: DebateResult) -> str | None:
    """Who closed it."""
    return result.synthesis.written_by if result.synthesis else None


class TestSafety:
    """Decision 2: three tiers."""

    async def test_a_sensitive_mode_calls_the_evaluator(self, env: WorkflowEnvironment) -> None:
        """Adversarial debates are judged from round 1, and after two clean rounds no more."""
        result, models = await hold(env, restless(), "adversarial", max_rounds=4)
        judged = [call.round for call in models.calls if call.stage == "safety"]

        assert ([1, 2], ("mode",)) == (judged, result.safety_triggers)

    async def test_the_evaluator_withholds_a_turn(self, env: WorkflowEnvironment) -> None:
        """What it names is not shown to peers in the next round and stays in the record."""
        turns: dict[str, str | Exception | Changes] = {
            "r01-p2": fact(7, position="Here is how to harm them.", vote="BLOCKER"),
            "r01-evaluator": json.dumps({"clean": False, "withhold": ["p2"], "reason": "a plan to harm"}),
        }
        scripted = restless()

        def script(call: ModelCall) -> Any:
            told = turns.get(call.call_id)
            return said(**told) if isinstance(told, dict) else told or scripted(call)

        result, models = await hold(env, script, "adversarial", max_rounds=2)
        (turn,) = [turn for turn in result.rounds[0].turns if turn.agent == "p2"]

        assert ("a plan to harm" in turn.withheld, "Here is how to harm them.") == (True, turn.said.position)
        assert "Here is how to harm them." not in shown_to(models, "r02-p1")

    async def test_nothing_may_be_shown(self, env: WorkflowEnvironment) -> None:
        """A round of which no turn may be shown waits for a user; when none comes it fails with what exists."""
        verdict = json.dumps({"clean": False, "withhold": ["p1", "p2", "p3"], "reason": "a plan to harm"})
        error, result = await fail(env, arguing({"r01-evaluator": verdict}), "adversarial", escalation_timeout=60)

        assert ("debate.safety_blocked", True) == (error.type, result.is_flagged)
        assert (None, 1) == (result.verdict, len(result.rounds))

    async def test_words_call_the_evaluator_for_one_turn(self, env: WorkflowEnvironment) -> None:
        """At the end of a parallel round it judges the turn that words point to; when it is clean nothing follows."""
        alarming = fact(7, position="Ban fentanyl precursors.")
        result, models = await hold(env, lively_but({"r01-p2": said(**alarming)}), max_rounds=1)
        asked = shown_to(models, "r01-evaluator")

        assert (True, False) == ("Ban fentanyl precursors." in asked, "Close the centre" in asked)
        assert ((), ["p2"]) == (result.safety_triggers, [*result.rounds[0].safety.judgements[0].agents])
        assert not any(turn.withheld for turn in result.rounds[0].turns)

    @pytest.mark.parametrize(("mode", "debaters"), [("socratic", 3), ("red-team-blue-team", 4)])
    async def test_words_call_it_before_others_see_the_turn(
        self, env: WorkflowEnvironment, mode: str, debaters: int
    ) -> None:
        """In order, and between the teams: the next debater is not shown what the evaluator withholds."""
        verdict = json.dumps(
            {"clean": False, "withhold": [{"debater": "p1", "rule": "exploit_steps"}], "reason": "how"}
        )
        changes = {"r01-p1": said(**fact(7, position="This bomb is built so.")), "r01-evaluator": verdict}
        result, models = await hold(env, lively_but(changes), mode, max_rounds=1, debaters=debaters)

        assert ("exploit_steps", "[withheld]") == (
            result.rounds[0].turns[0].withheld_for,
            _withheld_to(models, "r01-p2"),
        )
        assert "This bomb is built so." not in shown_to(models, "r01-p2")
        assert ["r01-p1", "r01-evaluator", "r01-p2"] == _order(models, "r01-p1", "r01-evaluator", "r01-p2")

    async def test_a_withheld_debater_is_reported_and_speaks_again(self, env: WorkflowEnvironment) -> None:
        """It reads the kind of rule before its next turn, and the evaluator judges whole rounds from then on."""
        verdict = json.dumps({"clean": False, "withhold": [{"debater": "p2", "rule": "manipulation"}], "reason": "so"})
        changes = {"r01-p2": said(**fact(7, position="Blackmail him.")), "r01-evaluator": verdict}
        result, models = await hold(env, lively_but(changes, vote="BLOCKER"), max_rounds=2)

        assert ["r02-p2"] == [call.call_id for call in models.calls if "WAS WITHHELD" in call.messages[0].content]
        assert ([False, True], ("intent",)) == (
            [held.safety.is_active for held in result.rounds],
            result.safety_triggers,
        )

    @pytest.mark.parametrize(
        ("answers", "outcome"),
        [
            (['{"clean": false, "withhold": ["gpt-9"]}', '{"clean": false, "withhold": ["p2"]}'], ["", "other", ""]),
            (['{"clean": false, "withhold": ["gpt-9"]}'] * 2, ["", "unjudged", ""]),
            (["It depends.", "It depends."], ["", "unjudged", ""]),
            (["It depends.", '{"clean": true, "withhold": []}'], ["", "", ""]),
        ],
        ids=["named at last", "never named", "never read", "cleared at last"],
    )
    async def test_a_doubtful_verdict_is_asked_for_once_more(
        self, env: WorkflowEnvironment, answers: list[str], outcome: list[str]
    ) -> None:
        """Then it fails closed: what words point to is withheld, and nothing else."""
        changes = {"r01-p2": said(**fact(7, position="Ban fentanyl.")), "r01-evaluator": answers[0]}
        changes |= {"r01-evaluator-again": answers[1]}
        result, models = await hold(env, lively_but(changes), "adversarial", max_rounds=1)

        assert outcome == [turn.withheld_for or "" for turn in result.rounds[0].turns]
        assert 1 == sum(call.call_id == "r01-evaluator-again" for call in models.calls)

    async def test_a_lost_evaluator_fails_closed(self, env: WorkflowEnvironment) -> None:
        """What words point to is withheld and can be released, the others are shown, and the loss is a flaw."""
        scripted = lively_but({"r01-p2": said(**fact(7, position="Ban fentanyl."))})

        def script(call: ModelCall) -> Any:
            return refused_by_provider() if call.stage == "safety" else scripted(call)

        result, _ = await hold(env, script, max_rounds=1)
        assert ["", "unjudged", ""] == [turn.withheld_for or "" for turn in result.rounds[0].turns]
        assert [("safety", "evaluator")] == [(flaw.stage, flaw.participant) for flaw in result.degraded.flaws]
        assert (True, ("intent",)) == (result.is_flagged, result.safety_triggers)


def _order(models: ScriptedModels, *call_ids: str) -> list[str]:
    """These calls in the order in which they were made."""
    return [call.call_id for call in models.calls if call.call_id in call_ids]


def _withheld_to(models: ScriptedModels, call_id: str) -> str:
    """What is in place of a turn that this call is not shown."""
    return "[withheld]" if "--- p1 (model-1) ---\n[withheld]" in shown_to(models, call_id) else ""


class TestRequests:
    """What is asked of a debate that is not the usual thing."""

    async def test_a_turn_is_asked_for_once_more(self, env: WorkflowEnvironment) -> None:
        """With ``reask`` a turn whose citations break the format is asked for again, once, and the second counts."""
        wrong = fact(1, reasoning="It is so [7].", references=[], claims=[{"text": "It is so", "label": "FACT"}])
        result, models = await hold(env, lively_but({"r01-p1": said(**wrong)}), reask=True, max_rounds=1)
        again = [call.call_id for call in models.calls if call.call_id.endswith("-again")]

        assert ["r01-p1-again"] == again
        assert () == result.rounds[0].turns[0].violations

    async def test_a_summariser_writes_the_line(self, env: WorkflowEnvironment) -> None:
        """Opted in, a model states in one line what a round changed; a lost one leaves the rule's line."""
        told, _ = await hold(env, lively(), summaries="llm")
        plain, _ = await hold(env, lively_but(lost("r01-summariser")), summaries="llm")

        assert "They moved closer." == told.rounds[0].summary.summary.overall.one_liner
        assert plain.rounds[0].summary.summary.overall.one_liner not in {"", "They moved closer."}


class TestBudgets:
    """Section 7.5 on the way to the models."""

    async def test_long_turns_stay_within_the_budget(
        self, env: WorkflowEnvironment, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Eight rounds of very long turns: no context above 10,000 tokens, and every round says what it took."""
        scripted = restless()

        def script(call: ModelCall) -> Any:
            told = scripted(call)
            if call.read_as.reader != "debate.turn":
                return told
            return json.dumps({**json.loads(str(told)), "reasoning": "It follows from what was measured. " * 600})

        result, _ = await hold(env, script, "socratic", max_rounds=8)
        with capsys.disabled():
            for held in result.rounds:
                print(f"round {held.number}: {held.context.model_dump()}")

        assert (8, True) == (len(result.rounds), all(0 < held.context.total <= 10_000 for held in result.rounds))
