"""Record the histories that every later version must replay: ``python -m tests.replay.record [NAME …]``.

A history is recorded once, when its shape is new, and never rewritten: it means a deliberation that may be running
somewhere. Payloads are inline and small, so a file is complete.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from temporalio.client import WorkflowFailureError, WorkflowHandle
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from protocols.consensus.model import SPEAKERS
from protocols.debate.model.history import ReleaseTurn
from protocols.debate.model.io import Approve, InjectEvidence, ResolveEscalation
from protocols.model_call import Failed, ModelCall, ModelId, ParticipantId
from protocols.spending_cap import SpendingCap
from protocols.task_queues import TASK_QUEUE
from protocols.update_requests import AcceptDraft, AddRounds, ReplaceParticipant, StopAfterRound, StopRequest
from runtime.server_flags import program
from tests.fakes.baselines import concluding, mixture_input, sampled_input, vote_input
from tests.fakes.branches import OTHER, branch_of, lost_as
from tests.fakes.circles import POLITE, TEMPORAL, assessing, baseline_of, circle_of
from tests.fakes.consensuses import accepting, consensus_input, converging
from tests.fakes.councils import agreeable, council_input
from tests.fakes.debates import arguing, debate_of, said
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import CUT, Script, ScriptedModels, rate_limited, refused_by_provider
from tests.fakes.short_inputs import short_council
from tests.workflows.conftest import know_columns, staff
from workflows.consensus import ConsensusWorkflow
from workflows.council import CouncilWorkflow

HISTORIES = Path(__file__).parent / "histories"

Handle = WorkflowHandle[Any, Any]

_HIDDEN = {"stackTrace": "", "identity": "recorder"}


@dataclass(frozen=True)
class Scene:
    """One shape of a history: how the models behave, what is asked, what a user does meanwhile."""

    script: Script = agreeable
    changes: dict[str, Any] | None = None
    hold: tuple[str, ...] = ()
    act: Callable[[Handle], Awaitable[object]] | None = None
    ledger: FakeLedger = field(default_factory=FakeLedger)
    """What is recorded, and read by the next run."""
    events: int | None = None
    """After so many events the server suggests to continue in another run; the first two runs are recorded."""


def _losing(call_id: str, error: Callable[[], Exception] = refused_by_provider) -> Script:
    def script(call: ModelCall) -> str | Exception | Failed:
        return error() if call.call_id == call_id else agreeable(call)

    return script


def _limited_once() -> Script:
    seen: set[str] = set()

    def script(call: ModelCall) -> str | Exception | Failed:
        if call.call_id == "opinion-p1" and call.call_id not in seen:
            seen.add(call.call_id)
            return rate_limited(1.5)
        return agreeable(call)

    return script


def _refused_after_paid_attempts() -> Exception:
    """An answer without a word was paid for, and then the provider refused."""
    return refused_by_provider(402, paid={"usage": {"prompt_tokens": 7, "completion_tokens": 900}})


def _broken_off() -> Exception:
    """An answer ended before its first word, and the provider reports nothing of it."""
    return ApplicationError(
        "the answer broke off", {"status": 200, "attempt": 1}, type="provider.broken_off", non_retryable=True
    )


async def _replace(handle: Handle) -> None:
    request = ReplaceParticipant(participant=ParticipantId("p2"), model=ModelId("openrouter:new/model"))
    await handle.execute_update(CouncilWorkflow.replace_participant, request)


async def _stop(handle: Handle) -> None:
    await handle.execute_update("stop", StopRequest(reason="seen enough"))


APART: dict[str, float | Exception | str] = {
    f"r{n}-p{p}": falsehood for n in range(1, 5) for p, falsehood in ((1, 0.1), (2, 0.5), (3, 0.9))
}
FAR_APART: dict[str, float | Exception | str] = {
    f"r{n}-p{p}": 0.0 if p % 2 else 1.0 for n in range(1, 5) for p in range(1, 8)
}


def _circle(*, models: int = 3, **changes: Any) -> Any:
    return circle_of(models, **changes)


def _baseline(*, models: int = 3, **changes: Any) -> Any:
    return baseline_of(models, **changes)


def _debate(*, mode: str = "collaborative", **changes: Any) -> Any:
    return debate_of(mode, **changes)


KINDS: dict[str, tuple[str, Callable[..., Any]]] = {
    "council": ("Council", council_input),
    "consensus": ("Consensus", consensus_input),
    "circle": ("FireCircle", _circle),
    "baseline": ("FireCircleBaseline", _baseline),
    "debate": ("Debate", _debate),
    "samples": ("Vote", sampled_input),
    "vote": ("Vote", vote_input),
    "mixture": ("Mixture", mixture_input),
    "short": ("Council", short_council),
}
"""The first word of a scene's name to the workflow and to what makes its input."""


async def _accept(handle: Handle) -> None:
    await handle.execute_update(ConsensusWorkflow.accept_draft, AcceptDraft(reason="good enough"))


async def _change_everything(handle: Handle) -> None:
    request = ReplaceParticipant(participant=ParticipantId("refiner"), model=ModelId("openrouter:new/model"))
    await handle.execute_update(ConsensusWorkflow.add_rounds, AddRounds(rounds=4))
    await handle.execute_update(ConsensusWorkflow.stop_after_round, StopAfterRound(reason="seen enough"))
    await handle.execute_update(ConsensusWorkflow.replace_participant, request)


def _cut_once() -> Script:
    def script(call: ModelCall) -> str | Exception | Failed:
        said = converging(1)(call)
        return f"{said}{CUT}" if call.call_id == "r01-refiner" else said

    return script


def _not_shared(call: ModelCall) -> str | Exception | Failed:
    gone = ApplicationError("there is no answer", type="journal.not_shared", non_retryable=True)
    return gone if call.shared_with and call.call_id == "r01-refiner" else converging(2)(call)


def _losing_turns(*call_ids: str) -> Script:
    def script(call: ModelCall) -> str | Exception | Failed:
        return refused_by_provider() if call.call_id in call_ids else accepting(call)

    return script


def _debating(**changes: Any) -> Script:
    """Debaters that bring something new in every turn and never agree, but for ``changes`` by call id."""

    def script(call: ModelCall) -> str | Exception | Failed:
        number = 10 * call.round + int(call.participant[1:] or 0) if call.participant[1:].isdigit() else 0
        new = {"text": f"Measurement {number} was taken in town {number}", "label": "FACT", "citations": [1]}
        told = {"claims": [new], "vote": "BLOCKER", "confidence": 0.5 + 0.2 * (call.round % 2)}
        return arguing({call_id.replace("_", "-"): said for call_id, said in changes.items()}, **told)(call)

    return script


async def _resolve(handle: Handle) -> None:
    while await handle.query("waiting") is None:  # noqa: ASYNC110 - a query sets no event
        await asyncio.sleep(0.05)
    await handle.execute_update("resolve_escalation", ResolveEscalation(decision="accept", note="I see."))


async def _approve(handle: Handle) -> None:
    while await handle.query("waiting") is None:  # noqa: ASYNC110 - a query sets no event
        await asyncio.sleep(0.05)
    await handle.execute_update("approve", Approve(note="Go."))


async def _release(handle: Handle) -> None:
    while await handle.query("waiting") is None:  # noqa: ASYNC110 - a query sets no event
        await asyncio.sleep(0.05)
    await handle.execute_update("release_turn", ReleaseTurn(agent=ParticipantId("p2"), note="It quotes a law."))


async def _change_the_debate(handle: Handle) -> None:
    fact = InjectEvidence(fact="Traffic fell by 11 percent.", source="City count of 2024", supports=("C1",))
    request = ReplaceParticipant(participant=ParticipantId("p2"), model=ModelId("openrouter:new/model"))
    await handle.execute_update("inject_evidence", fact)
    await handle.execute_update("add_rounds", AddRounds(rounds=1, focus="What of the elderly?"))
    await handle.execute_update("replace_participant", request)


_READING_LATE = FakeLedger()
_READING_LATE.recalls_nothing = True


async def _cancel_while_it_loads(handle: Handle) -> None:
    while (await handle.describe()).run_id == handle.first_execution_run_id:  # noqa: ASYNC110 - no event reports it
        await asyncio.sleep(0.05)
    await handle.query("state")
    await handle.cancel()
    await handle.query("state")
    _READING_LATE.recalls_nothing = False


SURE = arguing(vote="ACCEPT", confidence=0.95)
"""Debaters that agree at once: groupthink fires, and the objection round fails."""
POINTED = said(position="Ban fentanyl precursors.")
"""A turn for which words call the evaluator."""
UNSAFE = json.dumps({"clean": False, "withhold": ["p1", "p2", "p3"], "reason": "a plan to harm"})


SCENES: dict[str, Scene] = {
    "council-full": Scene(),
    "council-lost-member": Scene(_losing("opinion-p2")),
    "council-paid-refusal": Scene(
        _losing("opinion-p2", _refused_after_paid_attempts), {"cap": SpendingCap(tokens=1_000_000)}
    ),
    "council-broken-off": Scene(_losing("opinion-p2", _broken_off), {"cap": SpendingCap(tokens=1_000_000)}),
    "council-final-only": Scene(changes={"final_only": True}),
    "council-strict-lost": Scene(_losing("review-p3"), changes={"failure_mode": "strict"}),
    "council-chair-fallback": Scene(_losing("synthesis-chair")),
    "council-rate-limited": Scene(_limited_once()),
    "council-replaced": Scene(hold=("opinion-p2",), act=_replace),
    "council-stopped": Scene(hold=("review-p1",), act=_stop),
    "council-cancelled": Scene(hold=("opinion-p4",), act=lambda handle: handle.cancel()),
    "council-calls-cancelled": Scene(hold=("opinion-p3", "opinion-p4"), act=lambda handle: handle.cancel()),
    "consensus-one-round": Scene(accepting),
    "consensus-three-rounds": Scene(converging(3)),
    "consensus-fifty-rounds": Scene(converging(99)),
    "consensus-continued": Scene(converging(4), events=60),
    "consensus-cancelled-while-loading": Scene(
        converging(4), act=_cancel_while_it_loads, ledger=_READING_LATE, events=60
    ),
    "consensus-cut-reply": Scene(_cut_once()),
    "consensus-handed-over": Scene(_losing_turns("r01-generator")),
    "consensus-zombie": Scene(_losing_turns("r01-refiner", "r02-refiner")),
    "consensus-quorum-lost": Scene(_losing_turns(*(f"r0{n}-{who}" for n in (1, 2) for who in SPEAKERS[1:]))),
    "consensus-no-draft": Scene(_losing_turns(*(f"r01-{who}" for who in SPEAKERS))),
    "consensus-strict-lost": Scene(_losing_turns("r01-check-refiner"), changes={"failure_mode": "strict"}),
    "consensus-curator-lost": Scene(_losing_turns("curator")),
    "consensus-options": Scene(
        converging(99), changes={"carry_corrections": True, "majority_after": 3, "deadlock_after": 3, "max_rounds": 3}
    ),
    "consensus-accepted": Scene(converging(99), hold=("r02-generator",), act=_accept),
    "consensus-changed": Scene(converging(99), {"max_rounds": 3}, hold=("r02-refiner",), act=_change_everything),
    "consensus-stopped": Scene(converging(99), hold=("r01-check-refiner",), act=_stop),
    "consensus-cancelled": Scene(converging(99), hold=("r01-validator",), act=lambda handle: handle.cancel()),
    "circle-full": Scene(assessing(APART, patterns={"r2-p1": [TEMPORAL], "r2-p2": [POLITE], "r3-p3": [TEMPORAL]})),
    "circle-excluded": Scene(assessing(APART | {"r1-p3": refused_by_provider()})),
    "circle-zombie-chair": Scene(assessing(APART | {"r2-p2": refused_by_provider()})),
    "circle-early-stop": Scene(assessing()),
    "circle-fourth-round": Scene(assessing(FAR_APART), {"models": 7}),
    "circle-too-small": Scene(assessing(APART | {"r2-p1": refused_by_provider(), "r2-p2": refused_by_provider()})),
    "circle-strict-lost": Scene(assessing(APART | {"r2-p2": refused_by_provider()}), {"failure_mode": "strict"}),
    "circle-classified": Scene(
        assessing(APART, patterns={"r2-p1": [TEMPORAL], "r2-p2": [POLITE]}), {"pattern_classification": "llm"}
    ),
    "circle-classifier-cancelled": Scene(
        assessing(APART | dict.fromkeys(("r3-p1", "r3-p2"), refused_by_provider()), patterns={"r2-p1": [TEMPORAL]}),
        {"pattern_classification": "llm"},
        hold=("classify-2",),
    ),
    "circle-stopped": Scene(assessing(APART), hold=("r2-p1",), act=_stop),
    "circle-cancelled": Scene(assessing(APART), hold=("r2-p1",), act=lambda handle: handle.cancel()),
    "debate-collaborative": Scene(_debating(), {"max_rounds": 2}),
    "debate-adversarial": Scene(_debating(), {"mode": "adversarial", "max_rounds": 2}),
    "debate-socratic": Scene(_debating(), {"mode": "socratic", "max_rounds": 2}),
    "debate-expert-panel": Scene(_debating(), {"mode": "expert-panel", "max_rounds": 2}),
    "debate-devils-advocate": Scene(_debating(), {"mode": "devils-advocate", "max_rounds": 2}),
    "debate-delphi": Scene(_debating(), {"mode": "delphi", "max_rounds": 2}),
    "debate-red-team-blue-team": Scene(
        _debating(), {"mode": "red-team-blue-team", "max_rounds": 2, "debaters": 4, "summaries": "llm"}
    ),
    "debate-objection": Scene(
        arguing({f"r02-p{n}": {"confidence": 0.75, "vote": "MINOR"} for n in (1, 2, 3)}, vote="ACCEPT", confidence=0.95)
    ),
    "debate-escalation-resolved": Scene(SURE, act=_resolve),
    "debate-escalation-timed-out": Scene(SURE, {"escalation_timeout": 1}),
    "debate-approved": Scene(_debating(), {"high_stakes": ("agentic",), "max_rounds": 1}, act=_approve),
    "debate-not-approved": Scene(_debating(), {"high_stakes": ("agentic",), "max_rounds": 1, "escalation_timeout": 1}),
    "debate-safety-block": Scene(_debating(r01_evaluator=UNSAFE), {"mode": "adversarial", "escalation_timeout": 1}),
    "debate-released": Scene(_debating(r01_evaluator=UNSAFE), {"mode": "adversarial", "max_rounds": 2}, act=_release),
    "debate-turn-judged": Scene(_debating(r01_p1=POINTED), {"mode": "socratic", "max_rounds": 1}),
    "debate-lost": Scene(_debating(r01_p2=refused_by_provider()), {"mode": "socratic", "max_rounds": 2}),
    "debate-too-small": Scene(_debating(r01_p1=refused_by_provider(), r01_p2=refused_by_provider())),
    "debate-strict-lost": Scene(_debating(r01_p2=refused_by_provider()), {"failure_mode": "strict"}),
    "debate-fallback": Scene(_debating(synthesis_synthesiser=refused_by_provider()), {"max_rounds": 1}),
    "debate-reask": Scene(
        _debating(r01_p1=said(reasoning="It is so [7].", references=[])), {"reask": True, "max_rounds": 1}
    ),
    "debate-changed": Scene(_debating(), {"max_rounds": 2}, hold=("r02-p2",), act=_change_the_debate),
    "debate-continued": Scene(_debating(), {"max_rounds": 4}, events=40),
    "debate-stopped": Scene(_debating(), {"mode": "socratic"}, hold=("r01-p2",), act=_stop),
    "debate-cancelled": Scene(_debating(), hold=("r01-p2",), act=lambda handle: handle.cancel()),
    "samples-counted": Scene(concluding({"answer-p1-s02": "41"})),
    "samples-tied": Scene(concluding({"answer-p1-s01": "41", "answer-p1-s02": "43"})),
    "samples-one": Scene(concluding(), {"samples": 1}),
    "samples-lost": Scene(concluding({"answer-p1-s02": refused_by_provider()})),
    "samples-strict-lost": Scene(concluding({"answer-p1-s02": refused_by_provider()}), {"failure_mode": "strict"}),
    "samples-stopped": Scene(concluding(), hold=("answer-p1-s02",), act=_stop),
    "samples-cancelled": Scene(concluding(), hold=("answer-p1-s02",), act=lambda handle: handle.cancel()),
    "vote-counted": Scene(concluding({"answer-p2": "41"})),
    "vote-tied": Scene(concluding({"answer-p1": "41", "answer-p2": "43"})),
    "vote-lost": Scene(concluding({"answer-p2": refused_by_provider()})),
    "vote-strict-lost": Scene(concluding({"answer-p2": refused_by_provider()}), {"failure_mode": "strict"}),
    "vote-replaced": Scene(concluding(), hold=("answer-p2",), act=_replace),
    "vote-stopped": Scene(concluding(), hold=("answer-p2",), act=_stop),
    "vote-cancelled": Scene(concluding(), hold=("answer-p2",), act=lambda handle: handle.cancel()),
    "mixture-full": Scene(concluding({"layer-1-p1": "41"})),
    "mixture-one-layer": Scene(concluding(), {"layers": 1}),
    "mixture-lost": Scene(concluding({"layer-1-p2": refused_by_provider()})),
    "mixture-zombie": Scene(
        concluding({f"layer-{n}-p2": refused_by_provider() for n in (1, 2)}, usual="42"), {"layers": 3}
    ),
    "mixture-layer-lost": Scene(
        concluding({f"layer-2-p{n}": refused_by_provider() for n in (1, 2, 3)}, usual="42"), {"layers": 3}
    ),
    "mixture-fallback": Scene(concluding({"aggregation-aggregator": refused_by_provider()})),
    "mixture-strict-lost": Scene(concluding({"layer-2-p2": refused_by_provider()}), {"failure_mode": "strict"}),
    "mixture-replaced": Scene(concluding(), hold=("layer-1-p2",), act=_replace),
    "mixture-stopped": Scene(concluding(), hold=("layer-2-p2",), act=_stop),
    "mixture-cancelled": Scene(concluding(), hold=("layer-2-p2",), act=lambda handle: handle.cancel()),
    "short-council": Scene(),
    "short-refused": Scene(changes={"modles": "a/b"}),
    "short-stopped": Scene(hold=("review-p2",), act=_stop),
    "council-branch": Scene(changes={"branch": branch_of("council", 1, {"chair": OTHER})}),
    "consensus-branch": Scene(
        converging(3),
        {"branch": branch_of("consensus", 2, {"refiner": OTHER}, lost=[lost_as("r01-refiner", "refiner")])},
    ),
    "consensus-branch-continued": Scene(
        converging(4), {"branch": branch_of("consensus", 2, {"refiner": OTHER})}, events=60
    ),
    "consensus-branch-not-shared": Scene(_not_shared, {"branch": branch_of("consensus", 1)}),
    "circle-branch": Scene(assessing(APART), {"branch": branch_of("circle", 1, {"p2": OTHER})}),
    "debate-branch": Scene(_debating(), {"max_rounds": 2, "branch": branch_of("debate", 1, {"p2": OTHER})}),
    "baseline-single": Scene(assessing(), {"models": 1}),
    "baseline-parallel": Scene(assessing(APART)),
    "baseline-not-assessed": Scene(assessing({"r1-p1": refused_by_provider()}), {"models": 1}),
}


async def record(env: WorkflowEnvironment, name: str, scene: Scene) -> None:
    """Play one scene and write its history; of a scene in several runs, those of the first two."""
    models = ScriptedModels(scene.script)
    models.hold = set(scene.hold)
    async with staff(env, models, scene.ledger):
        handle = await _started(env, name, scene)
        if scene.act is not None:
            while models.hold and not {c.call_id for c in models.calls} & models.hold:  # noqa: ASYNC110 - a list sets no event
                await asyncio.sleep(0.05)
            await scene.act(handle)
        try:
            await handle.result()
        except WorkflowFailureError as error:
            print(f"{name}: ended with {error.cause}")
        runs = [run async for run in env.client.list_workflows(f"WorkflowId = '{name}'")]
        for number, run in enumerate(sorted(runs, key=lambda run: run.start_time)[:2], start=1):
            suffix = f"-{number}" if len(runs) > 1 else ""
            await _write(env.client.get_workflow_handle(name, run_id=run.run_id), f"{name}{suffix}")


async def _started(env: WorkflowEnvironment, name: str, scene: Scene) -> Handle:
    workflow, ask = KINDS[name.partition("-")[0]]
    handle: Handle = await env.client.start_workflow(
        workflow, ask(**(scene.changes or {})), id=name, task_queue=TASK_QUEUE
    )
    return handle


async def _write(handle: Handle, name: str) -> None:
    history = await handle.fetch_history()
    told = json.dumps(anonymous(json.loads(history.to_json())), indent=1, ensure_ascii=False)
    (HISTORIES / f"{name}.json").write_text(told + "\n")
    print(f"{name}: {len(history.events)} events")


def anonymous(value: Any) -> Any:
    """The same history without what only shows on which machine it was recorded."""
    if isinstance(value, dict):
        return {key: _HIDDEN.get(key, anonymous(inner)) for key, inner in value.items()}
    return [anonymous(inner) for inner in value] if isinstance(value, list) else value


def recorded(name: str) -> bool:
    """Whether a scene has its history, or its first two."""
    return (HISTORIES / f"{name}.json").exists() or (HISTORIES / f"{name}-2.json").exists()


async def main(names: list[str]) -> None:
    """Record the scenes named, or those that have no history yet."""
    for name in names or [name for name in SCENES if not recorded(name)]:
        scene = SCENES[name]
        suggestion = ["--dynamic-config-value", f"limit.historyCount.suggestContinueAsNew={scene.events}"]
        async with await WorkflowEnvironment.start_local(
            data_converter=pydantic_data_converter,
            dev_server_existing_path=str(program()),
            dev_server_extra_args=suggestion if scene.events else [],
        ) as env:
            await know_columns(env)
            await record(env, name, scene)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
