"""A fire circle's replies that are refused, unreadable or about patterns, with scripted models."""

import asyncio
from contextlib import nullcontext
from typing import Any

import pytest
from temporalio import activity
from temporalio.client import WorkflowFailureError, WorkflowUpdateFailedError
from temporalio.testing import WorkflowEnvironment

from protocols.fire_circle import classification, findings
from protocols.fire_circle.io import FireCircleResult
from protocols.model_call import Failed, ModelCall, Reply
from protocols.progress import Progress
from protocols.update_requests import StopRequest
from tests.fakes.circles import POLITE, TEMPORAL, Falsehoods, assessing, circle_of
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import Script, ScriptedModels, refused_by_provider
from tests.workflows import holding
from tests.workflows.conftest import staff
from workflows.fire_circle import FireCircleWorkflow

UNREADABLE = "I would rather not say."
SPREAD: dict[str, float | Exception | str] = {
    f"r{n}-p{p}": falsehood for n in range(1, 5) for p, falsehood in ((1, 0.1), (2, 0.5), (3, 0.9))
}
"""Three models that never agree."""


async def hold(env: WorkflowEnvironment, script: Script, **changes: Any) -> tuple[FireCircleResult, ScriptedModels]:
    """Run a circle of three to its end."""
    return await holding.hold(env, FireCircleWorkflow.run, circle_of(3, **changes), script)


def refusing(falsehoods: Falsehoods, stage: str) -> Script:
    """All assess as the test asks, and refuse in one stage."""

    def script(call: Any) -> Any:
        if call.stage != stage:
            return assessing(falsehoods)(call)
        return Failed(
            kind="refused",
            call_id=call.call_id,
            participant=call.participant,
            model=call.model,
            error_type="reply.refused",
            message="the model refused in words",
            attempts=1,
        )

    return script


class UnendingClassifier(ScriptedModels):
    """Models whose classifier never answers, and keeps how its call ended."""

    def __init__(self, script: Script) -> None:
        super().__init__(script)
        self.ends: list[bool] = []
        """Of each call of the classifier that has ended, whether it learned that it was cancelled."""
        self.lingers = False
        """Whether a cancelled call does not end yet."""

    @activity.defn(name="call_model")
    async def call_model(self, call: ModelCall) -> Reply:
        """Answer one call, unless it is the classifier's."""
        if call.stage != "classification":
            return await super().call_model(call)
        self.calls.append(call)
        try:
            while True:
                await asyncio.sleep(1)
                activity.heartbeat()
        finally:
            while self.lingers:  # noqa: ASYNC110 - an activity sees no event of the test
                await asyncio.sleep(0.05)
            why = activity.cancellation_details()
            self.ends.append(why is not None and why.cancel_requested)


class TestClassification:
    """Section 6.3: the types that a model gives to patterns."""

    async def test_a_cheap_model_may_classify(self, env: WorkflowEnvironment) -> None:
        """Opt-in: one call for each round with new texts, with all of them in it, decides their types."""
        patterns = {"r2-p1": ["something odd", "something else"], "r2-p3": ["something odd"], "r3-p1": ["a third"]}
        result, models = await hold(env, assessing(SPREAD, patterns=patterns), pattern_classification="llm")

        asked = [(call.call_id, call.read_as.needs) for call in models.calls if call.stage == "classification"]
        assert [("classify-2", {"count": 2}), ("classify-3", {"count": 1})] == asked
        assert [("temporal_inconsistency", "model")] == [(p.pattern_type, p.classified_by) for p in result.patterns]
        assert not result.degraded.is_degraded

    async def test_a_late_classifier_is_asked_about_the_last_round_too(self, env: WorkflowEnvironment) -> None:
        """What the last round named while a call was under way is asked for after that call."""
        patterns = {"r2-p1": ["something odd"], "r3-p1": ["a third"]}
        models = ScriptedModels(assessing(SPREAD, patterns=patterns))
        models.hold = {"classify-2"}
        async with staff(env, models):
            handle = await holding.start(env, FireCircleWorkflow.run, circle_of(3, pattern_classification="llm"))
            while (await handle.query("state", result_type=Progress)).phase != "CLASSIFICATION":  # noqa: ASYNC110 - the server has no event
                await asyncio.sleep(0.05)
            models.hold.clear()
            await handle.result()
            await holding.replay(env, handle)

        asked = [call.call_id for call in models.calls if call.stage == "classification"]
        assert ["classify-2", "classify-3"] == asked

    async def test_a_lost_classifier_leaves_the_keywords_word(self, env: WorkflowEnvironment) -> None:
        """Its failure fails nothing: the type that the keywords gave is and is stated; it is asked no more."""
        patterns = {"r2-p1": [TEMPORAL], "r2-p3": [TEMPORAL], "r3-p1": [POLITE]}

        def script(call: Any) -> Any:
            usual = assessing(SPREAD, patterns=patterns)
            return refused_by_provider() if call.stage == "classification" else usual(call)

        result, models = await hold(env, script, pattern_classification="llm")

        assert ["classify-2"] == [call.call_id for call in models.calls if call.stage == "classification"]
        assert [("temporal_inconsistency", "keywords")] == [(p.pattern_type, p.classified_by) for p in result.patterns]
        assert (False, {"lost": 1}) == (result.partial, dict(result.degraded.counts))
        assert "The classifier named no type of 1 of 1 patterns" in findings.summary(result)

    async def test_a_verdict_waits_for_no_dead_classifier(
        self, env: WorkflowEnvironment, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Twenty-four patterns behind a classifier that never answers: given up after one wait, types by keywords."""
        monkeypatch.setattr(classification, "CLASSIFIED_WITHIN", 0.2)
        texts = {f"r2-p{n}": [f"odd thing number {n}{letter}" for letter in "abcdefgh"] for n in (1, 2, 3)}
        models = ScriptedModels(assessing(SPREAD, patterns=texts))
        models.hold = {"classify-2"}
        async with staff(env, models):
            handle = await holding.start(env, FireCircleWorkflow.run, circle_of(3, pattern_classification="llm"))
            result = await handle.result()

        assert ("round_limit", 1) == (result.stop_reason, len([c for c in models.calls if c.stage == "classification"]))
        assert [("lost", "classification")] == [(flaw.kind, flaw.stage) for flaw in result.degraded.flaws]

    async def test_a_classifier_is_not_waited_for_where_there_is_no_verdict(self, env: WorkflowEnvironment) -> None:
        """A circle that becomes too small in round 3 fails at once."""
        falsehoods: Falsehoods = SPREAD | dict.fromkeys(("r3-p1", "r3-p2"), refused_by_provider())
        models = ScriptedModels(assessing(falsehoods, patterns={"r2-p1": [TEMPORAL]}))
        models.hold = {"classify-2"}
        async with staff(env, models):
            handle = await holding.start(env, FireCircleWorkflow.run, circle_of(3, pattern_classification="llm"))
            with pytest.raises(WorkflowFailureError):
                await handle.result()

    @pytest.mark.parametrize("lost", [("r3-p1", "r3-p2"), ()])
    async def test_a_circle_ends_after_its_classifier(
        self, env: WorkflowEnvironment, monkeypatch: pytest.MonkeyPatch, lost: tuple[str, ...]
    ) -> None:
        """A call given up, with a verdict or without, ends before its run and counts once."""
        monkeypatch.setattr(classification, "CLASSIFIED_WITHIN", 0.05)
        falsehoods: Falsehoods = SPREAD | dict.fromkeys(lost, refused_by_provider())
        models = UnendingClassifier(assessing(falsehoods, patterns={"r2-p1": [TEMPORAL]}))
        ledger = FakeLedger()
        async with staff(env, models, ledger):
            handle = await holding.start(env, FireCircleWorkflow.run, circle_of(3, pattern_classification="llm"))
            with pytest.raises(WorkflowFailureError) if lost else nullcontext():
                await handle.result()
            ends = list(models.ends)
            await holding.replay(env, handle)

        assert [True] == ends
        assert len(lost) or 1 == len(ledger.entries[0].lost)

    async def test_nothing_is_changed_while_an_ended_circle_waits_for_its_classifier(
        self, env: WorkflowEnvironment
    ) -> None:
        """How it ends is decided, so a stop would be accepted and have no effect."""
        falsehoods: Falsehoods = SPREAD | dict.fromkeys(("r3-p1", "r3-p2"), refused_by_provider())
        models = UnendingClassifier(assessing(falsehoods, patterns={"r2-p1": [TEMPORAL]}))
        models.lingers = True
        async with staff(env, models):
            handle = await holding.start(env, FireCircleWorkflow.run, circle_of(3, pattern_classification="llm"))
            while (await handle.query("state", result_type=Progress)).stop_reason is None:  # noqa: ASYNC110 - the server has no event
                await asyncio.sleep(0.05)
            with pytest.raises(WorkflowUpdateFailedError) as refused:
                await handle.execute_update("stop", StopRequest(reason="seen enough"))
            models.lingers = False
            with pytest.raises(WorkflowFailureError):
                await handle.result()

        assert "has ended already" in str(refused.value.cause)


class TestReplies:
    """Replies that are refused or cannot be read."""

    async def test_an_unreadable_reply_is_asked_for_once_more(self, env: WorkflowEnvironment) -> None:
        """The second reply counts, and the result says that there was one."""
        result, models = await hold(env, assessing({**SPREAD, "r1-p1": UNREADABLE, "r1-p1-again": 0.3}))

        assert 0.3 == result.dialogue_history[0].evaluations[0].falsehood
        assert ["r1-p1-again"] == [call.call_id for call in models.calls if call.call_id.endswith("-again")]
        assert {"asked_again": 1} == dict(result.degraded.counts)

    async def test_when_all_refuse_round_two_the_baseline_is_the_finding(self, env: WorkflowEnvironment) -> None:
        """No dialogue took place, no model is a zombie, and the verdict says both."""
        result, models = await hold(env, refusing(SPREAD, "round_2"))

        assert ("round_unread", True, 6) == (result.stop_reason, result.partial, len(models.calls))
        assert "F 0.90 (maker/m3, round 1); baseline only" in (result.verdict or "")
        assert ["p1", "p2", "p3"] == [one.participant for one in result.refusals]
        assert all(one.is_active for one in result.movements)
