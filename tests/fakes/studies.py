"""Studies to try things with: a ledger of instances, and deliberations of one call a seat at a price that is given."""

import asyncio
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any, cast

from pydantic import Field
from temporalio import activity, workflow
from temporalio.client import WorkflowHandle
from temporalio.exceptions import ActivityError, ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Replayer, Worker

from activities.studies import StudyActivities
from protocols.flaws import Degraded, degraded_of
from protocols.model_call import (
    Answered,
    CallTimeouts,
    Cost,
    Failed,
    FrozenModel,
    LostCall,
    Message,
    ModelCall,
    ModelId,
    ReaderRef,
    Reply,
    Spending,
    Usage,
    lost_call,
)
from protocols.panel import Panel
from protocols.spending import add_spending
from protocols.study.messages import ShardSignals
from protocols.study.model import Amount, BatchInput, BatchState, Instance, Instances, InstancesRequest, MissingInstance
from protocols.study.outages import CallSurvey, SurveyRequest
from protocols.task_queues import LEDGER_QUEUE, TASK_QUEUE
from runtime.plugin import Messages
from tests.fakes.sandbox import prepared_once
from workflows.activity_calls import call_model
from workflows.batch import BatchWorkflow
from workflows.budget import BudgetWorkflow
from workflows.shard import ShardWorkflow

ESTIMATE = Amount(usd=1.0, tokens=15)
"""What every instance is estimated at, and what a deliberation of one seat takes when nothing else is reported."""

Script = Callable[[str, ModelCall], float | Exception]
"""From a deliberation's id and one of its calls to what the answer costs in dollars, or to how the call fails."""

_THROTTLE = timedelta(milliseconds=100)
_FIRST_LOOK, _LATER_LOOKS = 0.05, 0.4
"""Seconds between two looks at a batch."""


class FakeAsked(FrozenModel):
    """The argument of a fake council."""

    title: str
    panel: Panel
    prompts: dict[str, str] = Field(default_factory=lambda: {"protocol": "council"})


class FakeResult(FrozenModel):
    """What every protocol's result has, and a field of its own."""

    verdict: str | None
    stop_reason: str
    spent: Spending
    failed: tuple[LostCall, ...]
    degraded: Degraded


@workflow.defn(name="Council")
class FakeCouncil:
    """Each seat is asked once, for real; one answer makes a verdict."""

    @workflow.run
    async def run(self, asked: FakeAsked) -> FakeResult:
        """Hold it."""
        try:
            replies = await asyncio.gather(
                *(call_model(_call(seat.id, seat.model), {}) for seat in asked.panel.participants)
            )
        except (ActivityError, asyncio.CancelledError):
            await asyncio.shield(_note_cancelled())
            raise
        answered = [reply for reply in replies if isinstance(reply, Answered)]
        failed = tuple(lost_call(reply, "opinion") for reply in replies if isinstance(reply, Failed))
        result = FakeResult(
            verdict=answered[0].text if answered else None,
            stop_reason="verdict" if answered else "failed",
            spent=add_spending(replies),
            failed=failed,
            degraded=degraded_of((), failed),
        )
        if not answered:
            raise ApplicationError("nobody answered", result, type="council.failed", non_retryable=True)
        return result


async def _note_cancelled() -> None:
    await workflow.execute_activity("note_cancelled", start_to_close_timeout=timedelta(seconds=30))


def _call(seat: Any, model: ModelId) -> ModelCall:
    return ModelCall(
        call_id=f"opinion-{seat}",
        participant=seat,
        model=model,
        stage="opinion",
        messages=(Message(role="user", content="Why?"),),
        patience=CallTimeouts(attempts=2000),
        read_as=ReaderRef(reader="none"),
    )


class FakeStudy:
    """The ledger of one study with ``seats`` models in each of its councils, and the models behind them."""

    def __init__(
        self,
        script: Script = lambda _id, _call: 1.0,
        *,
        seats: int = 1,
        providers: Sequence[str] = ("openrouter",),
    ) -> None:
        self.name = f"study-{uuid.uuid4().hex[:8]}"
        self.script = script
        self.lost: list[MissingInstance] = []
        self.cancelled: list[str] = []
        self.calls: Counter[str] = Counter()
        """By deliberation: how often one of its models was asked."""
        self.at_once = self.most_at_once = 0
        self.is_holding = False
        """Models think until this has ended, or they are cancelled."""
        self.counts_tokens = True
        """Whether an answer has a count of its tokens."""
        self.charged: dict[int, Amount] = {}
        """By number, what an instance was charged by the ledger."""
        self.pages: list[tuple[int, ...]] = []
        self.holds_pages = False
        """No page is given until this has ended."""
        self.waits_for_page = False
        """Whether one was asked for meanwhile."""
        self.most = 1_000_000
        """How many instances the ledger has."""
        self.surveys: list[SurveyRequest] = []
        self.look: Callable[[SurveyRequest], CallSurvey] = lambda _: CallSurvey()
        """What a look at the running deliberations finds."""
        models = tuple(f"{providers[n % len(providers)]}:some/model-{n}" for n in range(seats))
        self._panel = Panel.of(models, "openrouter:some/chair")

    @property
    def begun(self) -> int:
        """How many deliberations asked a model."""
        return len(self.calls)

    def batch(self, end: int, **changes: Any) -> BatchInput:
        """The argument of a batch that holds the instances up to ``end``."""
        return BatchInput.model_validate({"study": self.name, "title": "A study", "end": end, **changes})

    def id_of(self, number: int) -> str:
        """The id of the deliberation of an instance."""
        return f"{self.name}/r{number}.council"

    @activity.defn(name="load_instances")
    async def load_instances(self, request: InstancesRequest) -> Instances:
        """The instances of those numbers."""
        while self.holds_pages:
            self.waits_for_page = True
            await asyncio.sleep(0.05)
        if max(request.numbers) >= self.most:
            raise ApplicationError(f"the ledger has no instance {max(request.numbers)}", non_retryable=True)
        self.pages.append(request.numbers)
        asked = FakeAsked(title="why", panel=self._panel).model_dump(mode="json")
        return Instances(
            instances=tuple(
                Instance(
                    number=number,
                    deliberation_id=self.id_of(number),
                    workflow="Council",
                    title="why",
                    arm="council",
                    estimate=ESTIMATE,
                    input=asked,
                    charged=self.charged.get(number, Amount()),
                )
                for number in request.numbers
            )
        )

    @activity.defn(name="record_missing_instance")
    async def record_missing_instance(self, entry: MissingInstance) -> None:
        """Keep the entry."""
        self.lost.append(entry)

    @activity.defn(name="signal_shards")
    async def signal_shards(self, signals: ShardSignals) -> None:
        """Send them, as a worker does."""
        await StudyActivities.signal_shards(cast("StudyActivities", self), signals)

    @activity.defn(name="survey_calls")
    async def survey_calls(self, request: SurveyRequest) -> CallSurvey:
        """Find what the test arranged."""
        self.surveys.append(request)
        return self.look(request)

    @activity.defn(name="note_cancelled")
    async def note_cancelled(self) -> None:
        """A deliberation recorded that it was cancelled."""
        self.cancelled.append(activity.info().workflow_id or "")

    @activity.defn(name="call_model")
    async def call_model(self, call: ModelCall) -> Reply:
        """Answer one call as the script says."""
        deliberation_id = activity.info().workflow_id or ""
        self.calls[deliberation_id] += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            while self.is_holding:
                activity.heartbeat()
                await asyncio.sleep(0.2)
        finally:
            self.at_once -= 1
        said = self.script(deliberation_id, call)
        if isinstance(said, Exception):
            raise said
        return Answered(
            call_id=call.call_id,
            participant=call.participant,
            model=call.model,
            text="Because.",
            usage=Usage(prompt_tokens=10, completion_tokens=5) if self.counts_tokens else Usage(),
            cost=Cost(usd=said, source="provider"),
            provider="scripted",
        )

    @asynccontextmanager
    async def staff(self, env: WorkflowEnvironment, *, cached: int = 1000) -> AsyncIterator[None]:
        """Workers for the study's schedules and for its models."""
        schedules = Worker(
            env.client,
            task_queue=TASK_QUEUE,
            workflows=[BatchWorkflow, ShardWorkflow, BudgetWorkflow, FakeCouncil],
            activities=[self.call_model, self.note_cancelled],
            workflow_runner=prepared_once("tests"),
            interceptors=[Messages()],
            max_cached_workflows=cached,
            max_concurrent_activities=1500,
            max_heartbeat_throttle_interval=_THROTTLE,
            default_heartbeat_throttle_interval=_THROTTLE,
            workflow_failure_exception_types=[AssertionError, KeyError, TypeError, AttributeError],
        )
        ledger = Worker(
            env.client,
            task_queue=LEDGER_QUEUE,
            activities=[self.load_instances, self.record_missing_instance, self.survey_calls, self.signal_shards],
        )
        async with schedules, ledger:
            try:
                yield
            finally:
                self.is_holding = False  # after a test that failed, a waiting call would keep its worker for ever

    async def start(self, env: WorkflowEnvironment, inp: BatchInput) -> WorkflowHandle[Any, Any]:
        """Start a batch under the study's name."""
        handle: WorkflowHandle[Any, Any] = await env.client.start_workflow(
            BatchWorkflow.run, inp, id=self.name, task_queue=TASK_QUEUE
        )
        return handle


async def until(
    handle: WorkflowHandle[Any, Any], is_so: Callable[[BatchState], bool], seconds: float = 60
) -> BatchState:
    """The state of a batch as soon as ``is_so``.

    Raises:
        TimeoutError: it did not become so.
    """
    async with asyncio.timeout(seconds):
        state: BatchState = await handle.query("state", result_type=BatchState)
        pause = _FIRST_LOOK
        while not is_so(state):
            await asyncio.sleep(pause)  # each look is a task of the worker: longer and longer, a budget reports rarely
            pause = min(2 * pause, _LATER_LOOKS)
            state = await handle.query("state", result_type=BatchState)
    return state


async def replay(env: WorkflowEnvironment, *ids: str) -> dict[str, int]:
    """Replay the histories of the newest runs under ``ids``; how many events each has."""
    replayer = Replayer(
        workflows=[BatchWorkflow, ShardWorkflow, BudgetWorkflow, FakeCouncil],
        data_converter=env.client.data_converter,
        workflow_runner=prepared_once("tests"),
    )
    events: dict[str, int] = {}
    for workflow_id in ids:
        history = await env.client.get_workflow_handle(workflow_id).fetch_history()
        await replayer.replay_workflow(history)
        events[workflow_id] = len(history.events)
    return events


def server_time() -> datetime:
    """Return when the server began the activity that asks, by its clock, which leaps where no one works."""
    return activity.info().started_time


def refused(error_type: str, status: int | None = None) -> ApplicationError:
    """A final failure of a call, as an activity raises it."""
    return ApplicationError(f"the provider says {status}", {"status": status}, type=error_type, non_retryable=True)


async def details_of(env: WorkflowEnvironment, workflow_id: str) -> str:
    """What the Web UI shows of a workflow beside its history."""
    metadata: Any = await env.client.get_workflow_handle(workflow_id).query("__temporal_workflow_metadata")
    return str(metadata.current_details if hasattr(metadata, "current_details") else metadata["currentDetails"])
