"""Starting a workflow with what another Temporal client sends: a short object, or something that cannot be used."""

import asyncio
import uuid
from types import SimpleNamespace
from typing import Any, cast

import pytest
from temporalio import workflow
from temporalio.api.common.v1 import Payload
from temporalio.api.enums.v1 import EventType
from temporalio.client import (
    Client,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowQueryFailedError,
    WorkflowUpdateFailedError,
)
from temporalio.common import RawValue, SearchAttributePair, TypedSearchAttributes
from temporalio.converter import DataConverter
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from ledger.identity import request_of
from parley import workflow_rpc
from protocols.council.model import CouncilResult
from protocols.progress import Progress
from protocols.starting import INVALID, IS_BEING_PREPARED, CompletedInput, StartRequest
from protocols.task_queues import TASK_QUEUE
from protocols.update_requests import AddRounds, StopRequest
from runtime.encryption import ENCODING
from runtime.payloads import ParleyPayloadConverter
from tests.fakes.consensuses import converging
from tests.fakes.councils import agreeable, council_input
from tests.fakes.models import ScriptedModels
from tests.fakes.parents import CHILD, ParentWorkflow
from tests.fakes.server import local_server
from tests.fakes.short_inputs import FakeCompletion, short_council, short_inputs
from tests.workflows.conftest import staff
from tests.workflows.holding import replay, reset, until_alone
from workflows import search_attributes
from workflows.short_start import first_run_id
from workflows.unknown_type import UNKNOWN

Handle = WorkflowHandle[Any, Any]


def raw(data: bytes, encoding: bytes = b"json/plain") -> RawValue:
    """Return an argument as it travels."""
    return RawValue(Payload(metadata={"encoding": encoding}, data=data))


async def start(env: WorkflowEnvironment, workflow: str, *arguments: object, client: Client | None = None) -> Handle:
    """Start the workflow type ``workflow`` as another client would."""
    workflow_id = f"by-hand-{uuid.uuid4().hex[:8]}"
    handle: Handle = await (client or env.client).start_workflow(
        workflow, args=arguments, id=workflow_id, task_queue=TASK_QUEUE, result_type=CouncilResult
    )
    return handle


async def until_a_task_failed(handle: Handle) -> None:
    """Wait until the run's workflow task was tried in vain."""
    while True:
        history = await handle.fetch_history()
        if EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED in [event.event_type for event in history.events]:
            return
        await asyncio.sleep(0.05)


async def refusal(env: WorkflowEnvironment, workflow: str, *arguments: object) -> ApplicationError:
    """Start a workflow that fails at once, replay it, and return why it failed."""
    async with staff(env, ScriptedModels(agreeable)):
        handle = await start(env, workflow, *arguments)
        with pytest.raises(WorkflowFailureError) as failed:
            await handle.result()
        if workflow in {"Council", "Shard"}:
            await replay(env, handle)
    cause = failed.value.cause
    assert isinstance(cause, ApplicationError)
    assert cause.non_retryable
    return cause


async def test_a_short_object_holds_a_whole_council(env: WorkflowEnvironment) -> None:
    """The question alone is enough; what is missing is filled in, and the history replays."""
    models = ScriptedModels(agreeable)
    async with staff(env, models):
        handle = await start(env, "Council", short_council())
        result: CouncilResult = await handle.result()
        await replay(env, handle)

    assert ("verdict", "Why is the sky blue?") == (result.stop_reason, result.question)
    assert {"rehearsal:a/b", "rehearsal:c/d", "rehearsal:e/f"} == {call.model for call in models.calls}


async def test_a_short_object_is_listed_like_a_deliberation_of_our_own_client(env: WorkflowEnvironment) -> None:
    """The list columns and the print of the input are beside the run, as if a command had started it."""
    async with staff(env, ScriptedModels(agreeable)):
        handle = await start(env, "Council", short_council(title="Sky"))
        await handle.result()
        described = await handle.describe()
    shown = described.typed_search_attributes

    assert ("council", "Sky", 3, True) == (
        shown.get(search_attributes.PROTOCOL),
        shown.get(search_attributes.TITLE),
        shown.get(search_attributes.PARTICIPANTS),
        shown.get(search_attributes.REHEARSAL),
    )
    assert len(await described.memo_value("input")) == 16


async def test_columns_of_an_ended_run_are_not_taken_over(env: WorkflowEnvironment) -> None:
    """The Web UI starts a run "like this one" with the columns in which that one ended; a new run begins without."""
    models = ScriptedModels(agreeable)
    models.hold = {"opinion-p1"}
    ended = TypedSearchAttributes(
        [
            SearchAttributePair(search_attributes.STOP_REASON, "verdict"),
            SearchAttributePair(search_attributes.TITLE, "another"),
        ]
    )
    async with staff(env, models):
        handle: Handle = await env.client.start_workflow(
            "Council", short_council(), id="like-this-one", task_queue=TASK_QUEUE, search_attributes=ended
        )
        await until_alone(handle, "opinion-p1")
        shown = (await handle.describe()).typed_search_attributes
        models.hold.clear()
        await handle.result()

    assert (None, "Why is the sky blue?") == (
        shown.get(search_attributes.STOP_REASON),
        shown.get(search_attributes.TITLE),
    )


async def test_each_run_of_an_id_requests_anew_and_a_reset_does_not(env: WorkflowEnvironment) -> None:
    """The salt of a run follows from its first run id, which a reset keeps."""
    completion = FakeCompletion()
    async with staff(env, ScriptedModels(agreeable), completion=completion):
        handles = [await start(env, "Council", short_council()) for _ in range(2)]
        for handle in handles:
            await handle.result()
    expected = [str(handle.first_execution_run_id)[-8:] for handle in handles]

    assert sorted(expected) == sorted(request.salt for request in completion.requests)


async def test_runs_that_begin_in_one_minute_request_anew() -> None:
    """A server's run ids begin with the time, so that those of one minute begin alike; each asks for itself."""
    completion = FakeCompletion()
    async with local_server() as local, staff(local, ScriptedModels(agreeable), completion=completion):
        for _ in range(2):
            handle: Handle = await local.client.start_workflow(
                "Council", short_council(), id="again", task_queue=TASK_QUEUE
            )
            await handle.result()

    assert 2 == len({request.salt for request in completion.requests})


async def test_the_calls_of_a_run_that_is_reset_to_its_first_step_stay_the_same() -> None:
    """Its random draws follow from its first run id, so the answers that were paid for are found."""
    models = ScriptedModels(agreeable)
    async with local_server() as local, staff(local, models, completion=FakeCompletion()):
        handle = await start(local, "Council", short_council())
        await handle.result()
        before = len(models.calls)
        await (await reset(local, handle.id, step=0)).result()
    asked = [request_of(call) for call in models.calls]

    assert sorted(asked[:before]) == sorted(asked[before:])


async def test_each_run_of_a_cron_schedule_requests_anew(env: WorkflowEnvironment) -> None:
    """Temporal gives all runs of a cron schedule one first run id; each asks its models for itself."""
    completion = FakeCompletion()
    async with staff(env, ScriptedModels(agreeable), completion=completion):
        handle = await env.client.start_workflow(
            "Council", short_council(), id="each-minute", task_queue=TASK_QUEUE, cron_schedule="* * * * *"
        )
        while len(completion.requests) < 2:
            await env.sleep(30)
        await handle.terminate()

    assert 2 == len({request.salt for request in completion.requests})


@pytest.mark.parametrize(("schedule", "expected"), [(None, "first"), ("* * * * *", "own")])
def test_a_run_of_a_cron_schedule_is_a_first_run(schedule: str | None, expected: str) -> None:
    """Its turns are saved as its own; a run that is reset or continued has those of its first run."""
    info = SimpleNamespace(cron_schedule=schedule, run_id="own", first_execution_run_id="first")

    assert expected == first_run_id(cast(workflow.Info, info))


async def test_a_whole_argument_needs_no_completion(env: WorkflowEnvironment) -> None:
    """What Parley's own client sends begins at once, without an activity before the first call."""
    completion = FakeCompletion()
    async with staff(env, ScriptedModels(agreeable), completion=completion):
        result: CouncilResult = await (await start(env, "Council", council_input())).result()

    assert ("verdict", []) == (result.stop_reason, completion.requests)


NOT_AN_OBJECT = "which is not an object. Give it one JSON object"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "takes one argument and was given 0"),
        ((raw(b"{}"), raw(b"{}")), "takes one argument and was given 2"),
        ((raw(b'"Why?"'),), f'is "Why?", {NOT_AN_OBJECT}'),
        ((raw(b"[1]"),), f"is [1], {NOT_AN_OBJECT}"),
        ((raw(b"null"),), f"is null, {NOT_AN_OBJECT}"),
        ((None,), "has the encoding 'binary/null', and json/plain is needed"),
        ((raw(b"Why?", b"binary/plain"),), "has the encoding 'binary/plain', and json/plain is needed"),
        ((raw(b"Why?", b"binary/unheard-of"),), "has the encoding 'binary/unheard-of'"),
        ((raw(b"{"),), "is not JSON"),
        ((raw(b'{"question": "\xff"}'),), "is not JSON"),
        ((raw(b"[" * 100_000),), "is not JSON"),
        ((raw(b'{"question": "Why?", "samples": 1e400}'),), "given.samples.float is 'inf': write a finite number"),
        (({"question": "Why?", "budget_usd": float("nan")},), "given.budget_usd.float is 'nan': write a finite number"),
        (({"question": " "},), "nothing is asked"),
        (({"question": "Why?", "modles": ["a/b"]},), "Did you mean 'models'?"),
        (({"question": "Why?", "models": ["nobody:a"]},), "names an unknown provider"),
        (({"question": "Why?", "models": ["a/b"], "chair": "a/b"},), "set OPENROUTER_API_KEY"),
        (({**council_input().model_dump(mode="json"), "title": ""},), "title is ''"),
    ],
)
async def test_what_cannot_be_used_fails_the_run_at_once(
    env: WorkflowEnvironment, arguments: tuple[object, ...], said: str
) -> None:
    """No workflow task is tried again for ever: the run fails with one sentence that names what is wrong."""
    failure = await refusal(env, "Council", *arguments)

    assert INVALID == failure.type
    assert said in failure.message


async def test_a_part_of_a_batch_is_not_started_alone(env: WorkflowEnvironment) -> None:
    """A shard that a user starts says what to start in its place."""
    failure = await refusal(env, "Shard", {"study": "colours"})

    assert "start Batch instead" in failure.message


@pytest.mark.parametrize(
    ("given", "meant"),
    [("council", "Council"), ("CouncilWorkflow", "Council"), ("fire-circle", "FireCircle"), ("councl", "Council")],
)
async def test_an_unknown_type_is_answered_with_those_there_are(
    env: WorkflowEnvironment, given: str, meant: str
) -> None:
    """A misspelt workflow type fails at once, names the one that was meant and lists the others."""
    failure = await refusal(env, given, {"question": "Why?"})

    assert UNKNOWN == failure.type
    assert f"Did you mean {meant!r}?" in failure.message
    assert "Vote" in failure.message


async def test_queries_and_updates_wait_until_the_input_is_complete(env: WorkflowEnvironment) -> None:
    """A run whose input is being completed says so, and refuses what makes no sense yet; nothing changes."""
    is_asked, goes_on = asyncio.Event(), asyncio.Event()
    inputs = short_inputs()

    async def complete(request: StartRequest) -> CompletedInput:
        is_asked.set()
        await goes_on.wait()
        return await inputs.complete(request)

    async with staff(env, ScriptedModels(agreeable), completion=FakeCompletion(complete)):
        handle = await start(env, "Council", short_council())
        await is_asked.wait()
        with pytest.raises(WorkflowQueryFailedError, match=IS_BEING_PREPARED):
            await handle.query("state")
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update("stop", StopRequest(reason="too early"))
        goes_on.set()
        result: CouncilResult = await handle.result()

    assert IS_BEING_PREPARED in str(refused.value.cause)
    assert "verdict" == result.stop_reason


async def test_commands_wait_until_the_input_is_complete(env: WorkflowEnvironment) -> None:
    """What a user asks or changes in the first moment is answered as soon as there is something to answer."""
    is_asked, goes_on = asyncio.Event(), asyncio.Event()
    inputs, models = short_inputs(), ScriptedModels(converging(1))
    models.hold = {"r01-generator"}

    async def complete(request: StartRequest) -> CompletedInput:
        is_asked.set()
        await goes_on.wait()
        return await inputs.complete(request)

    async with staff(env, models, completion=FakeCompletion(complete)):
        handle: Handle = await env.client.start_workflow(
            "Consensus", {"question": "Why?", "rehearse": True, "max_rounds": 2}, id="early", task_queue=TASK_QUEUE
        )
        await is_asked.wait()
        asked = asyncio.create_task(workflow_rpc.ask(handle, workflow_rpc.STATE))
        changed = asyncio.create_task(workflow_rpc.change(handle, "add_rounds", AddRounds(rounds=4), Progress))
        await asyncio.sleep(0)
        goes_on.set()
        progress, raised = await asked, await changed
        models.hold.clear()
        await handle.result()

    assert ("consensus", "Why?", 6) == (progress.protocol, progress.title, raised.rounds)


async def test_a_whole_input_of_another_version_waits_for_its_worker(env: WorkflowEnvironment) -> None:
    """What another workflow sent is no person's mistake: the task is tried again, and the child does not fail."""
    broken = {**council_input().model_dump(mode="json"), "failure_mode": "of a later version"}
    parents = Worker(
        env.client, task_queue="parents", workflows=[ParentWorkflow], workflow_runner=UnsandboxedWorkflowRunner()
    )
    async with staff(env, ScriptedModels(agreeable)), parents:
        await env.client.execute_workflow("Parent", broken, id="a-parent", task_queue="parents")
        handle: Handle = env.client.get_workflow_handle(CHILD)
        await until_a_task_failed(handle)
        described = await handle.describe()
        await handle.terminate("seen enough")

    assert described.status is WorkflowExecutionStatus.RUNNING


async def test_an_encrypted_argument_waits_for_a_worker_with_the_key(env: WorkflowEnvironment) -> None:
    """A key that is missing is put right by an operator, so the task is tried again and the run does not fail."""
    client = Client(
        env.client.service_client, data_converter=DataConverter(payload_converter_class=ParleyPayloadConverter)
    )
    async with staff(WorkflowEnvironment.from_client(client), ScriptedModels(agreeable)):
        handle = await start(env, "Council", raw(b"?", ENCODING), client=client)
        await until_a_task_failed(handle)
        described = await handle.describe()
        await handle.terminate("seen enough")

    assert described.status is WorkflowExecutionStatus.RUNNING
