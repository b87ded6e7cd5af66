"""Queries and updates of running deliberations, under their wire names.

Every protocol has ``STATE``, ``TRANSCRIPT`` and the updates ``replace_participant`` and ``stop``. The queries that only
some have are in ``consensus_display`` and ``debate_rpc``, with the models that those import. An unknown query or update
is reported in the user's words, not in the SDK's.
"""

import asyncio
import re
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar
from uuid import uuid4

from pydantic import ValidationError
from temporalio.client import (
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
    WorkflowHandle,
    WorkflowQueryFailedError,
    WorkflowUpdateFailedError,
)
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from parley.errors import (
    NoSuchQueryError,
    ReplayBrokenError,
    RequestError,
    StuckError,
    TemporalAwayError,
    UnknownDeliberationError,
    UpdateRefusedError,
)
from parley.specs import PROTOCOLS
from parley.task_failures import REPLAY_SIGN, find_task_failure
from protocols.constraints import problem, quoted
from protocols.model_call import FrozenModel
from protocols.progress import Progress
from protocols.starting import EARLIER_TURNS, IS_BEING_PREPARED
from protocols.transcript import ARE_LOADING, Transcript
from runtime.errors import missing_namespace
from workflows import search_attributes
from workflows.type_names import PARTS

Handle = WorkflowHandle[Any, Any]
Answer = TypeVar("Answer")
Request = TypeVar("Request", bound=FrozenModel)

_PAUSE = 0.2
_AWAY = {RPCStatusCode.UNAVAILABLE, RPCStatusCode.UNKNOWN, RPCStatusCode.INTERNAL}
"""What is left of a call that could not be delivered, however often it was tried."""
_TASK_FAILED = "Workflow Task in failed state"
"""The server's words when an update meets a run whose workflow task fails."""
_ANSWER_SECONDS = 5.0
"""After which a query or an update that is not answered is looked into."""
_STUCK = re.compile(rf"{re.escape(REPLAY_SIGN)}|encrypted under the key")
"""What a query is answered by code that does not fit the history, and by a worker without a key of its payloads."""
_UNHEARD_OF = "expected but not found"
"""The SDK's words when a workflow has no query or update of that name."""


@dataclass(frozen=True)
class Query(Generic[Answer]):
    """A question to the workflow, and the type of its answer."""

    name: str
    answer: type[Answer]


STATE = Query("state", Progress)
TRANSCRIPT = Query("transcript", Transcript)


async def ask(handle: Handle, query: Query[Answer], *arguments: object, within: timedelta | None = None) -> Answer:
    """Ask a deliberation; a worker answers, so there must be one.

    Raises:
        UnknownDeliberationError: the server has no deliberation with this id.
        NoSuchQueryError: its protocol does not know the query.
        StuckError: no worker that answers can continue it.
        RequestError: it ended before it could answer.
        RPCError: no answer, or not ``within`` the time.
    """
    is_over = False
    while True:
        try:
            asked = handle.query(query.name, args=arguments, result_type=query.answer, rpc_timeout=within)
            return await _while_it_can_go_on(handle, asked, within)
        except WorkflowQueryFailedError as error:
            if ARE_LOADING in str(error) or (within is None and IS_BEING_PREPARED in str(error)):
                if is_over:
                    raise RequestError(f"{handle.id} ended before it could answer: parley show {handle.id}") from None
                is_over = (await described(handle)).status is not WorkflowExecutionStatus.RUNNING
                await asyncio.sleep(_PAUSE)
                continue
            if _STUCK.search(str(error)) and (stuck := await _stuck(handle, str(error))):
                raise stuck from None
            if _UNHEARD_OF not in str(error):
                raise
            raise NoSuchQueryError(f"{handle.id}: a {await _protocol(handle)} has no {query.name!r}") from None
        except RPCError as error:
            raise explained(handle.id, error) from error
        except ValidationError:
            await described(handle)  # which refuses what is no deliberation
            raise


def build_request(kind: type[Request], **given: Any) -> Request:
    """Return the request of an update.

    Raises:
        RequestError: a value can never be meant.
    """
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise RequestError(problem(error)) from None


async def bounded(call: Awaitable[Answer], within: timedelta) -> Answer:
    """Wait for ``call``, and not for as long as the client waits for a server that is away.

    Raises:
        RPCError: the server did not answer ``within`` the time.
    """
    try:
        async with asyncio.timeout(within.total_seconds()):
            return await call
    except TimeoutError:
        raise RPCError("nothing answered in time", RPCStatusCode.DEADLINE_EXCEEDED, b"") from None


async def known(call: Awaitable[Answer], within: timedelta) -> Answer | None:
    """Return the answer of ``call``; ``None`` if the server does not have that id.

    Raises:
        RPCError: the call failed, or took longer than ``within``.
        CannotReachTemporalError: the server does not have the namespace.
    """
    try:
        return await bounded(call, within)
    except RPCError as error:
        missing = missing_namespace(error)
        if error.status is RPCStatusCode.NOT_FOUND and missing is None:
            return None
        raise missing or error from None


async def change(handle: Handle, update: str, request: FrozenModel, answer: type[Answer]) -> Answer:
    """Send an update to a running deliberation and return its answer, mostly the progress.

    Raises:
        UpdateRefusedError: it makes no sense now, or its protocol has no such change; says why.
        UnknownDeliberationError: the server has no deliberation with this id.
        StuckError: no worker that answers can continue it, so it cannot be changed either.
    """
    while True:
        sent: Awaitable[Answer] = handle.execute_update(update, request, id=uuid4().hex, result_type=answer)
        try:
            return await _while_it_can_go_on(handle, sent)
        except StuckError as error:
            kept = "The server may keep this change, and it may then be carried out"
            raise type(error)(f"{error}. {kept}") from error
        except WorkflowUpdateFailedError as error:
            if IS_BEING_PREPARED in (said := _reason(error.cause)) and EARLIER_TURNS not in said:
                await asyncio.sleep(_PAUSE)
                continue
            if _UNHEARD_OF in said:
                said = f"{handle.id}: a {await _protocol(handle)} has no such change ({update})"
            raise UpdateRefusedError(said) from error
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND and ("completed" in error.message or "closing" in error.message):
                raise UpdateRefusedError(f"{handle.id} has ended already") from error
            raise explained(handle.id, error) from error


async def _while_it_can_go_on(handle: Handle, call: Awaitable[Answer], within: timedelta | None = None) -> Answer:
    """Wait for the query or update ``call``, ``within`` the time or until no worker can continue the deliberation."""
    waiting = asyncio.ensure_future(call if within is None else bounded(call, within))
    try:
        while not (await asyncio.wait({waiting}, timeout=_ANSWER_SECONDS if within is None else None))[0]:
            if stuck := await _stuck(handle):
                raise stuck
        return waiting.result()
    except RPCError as error:
        if _TASK_FAILED in error.message and (stuck := await _stuck(handle)):
            raise stuck from error
        raise
    finally:
        waiting.cancel()


async def _stuck(handle: Handle, query_error: str = "") -> StuckError | None:
    """Return the error of a deliberation without a worker for its next step."""
    described = await handle.describe()
    failure = await find_task_failure(handle, described.data_converter, query_error)
    kind = ReplayBrokenError if failure and failure.breaks_replay else StuckError
    return kind(f"{handle.id}: {failure.explanation}") if failure else None


def _reason(cause: BaseException) -> str:
    """Return the workflow's reason for a refusal, without an exception's name."""
    return cause.message if isinstance(cause, ApplicationError) else str(cause)


async def described(handle: Handle) -> WorkflowExecutionDescription:
    """Return the server's description of a deliberation; needs no worker.

    Raises:
        UnknownDeliberationError: the server has no deliberation with this id.
        RequestError: the id is that of a study, of a part of one, or of another workflow.
    """
    try:
        found = await handle.describe()
    except RPCError as error:
        raise explained(handle.id, error) from error
    if found.workflow_type in PROTOCOLS.workflow_types:
        return found
    study, _, part = handle.id.partition("/")
    kind, remedy = f"a workflow of the type {found.workflow_type}", "parley list shows the deliberations"
    if found.workflow_type in {"Batch", *PARTS}:
        kind = f"a part of the study {study}" if part else "a study"
        remedy = f"parley batch status {study} shows it, and parley batch pause, budget and cancel change it"
    elif found.workflow_type == "ScheduledStudy":
        kind, remedy = "a firing of a schedule", "parley batch list shows the study that it starts"
    raise RequestError(f"{handle.id} is {kind} and no deliberation; {remedy}")


async def has_been_reset(handle: Handle) -> bool:
    """Return whether another run has taken the place of one that was terminated; a new start has another first run."""
    now = await described(handle)
    first = now.raw_description.workflow_execution_info.first_run_id
    return now.status is not WorkflowExecutionStatus.TERMINATED and handle.first_execution_run_id in {first, None}


def explained(deliberation_id: str, error: RPCError) -> Exception:
    """Return ``error`` as a message about the id or an absent server, if it is one."""
    if error.status is RPCStatusCode.NOT_FOUND:
        said = f"Temporal knows no deliberation {quoted(deliberation_id)}. The ids are listed by: parley list"
        return missing_namespace(error) or UnknownDeliberationError(said)
    return away(error) or error


def away(error: RPCError) -> TemporalAwayError | None:
    """Return what to raise when the server was away for longer than the client waits; ``None`` for other errors."""
    if error.status not in _AWAY:
        return None
    return TemporalAwayError(
        f"Temporal has not answered for a minute ({error.message}). See that the server runs (parley up, parley "
        "doctor) and try again; running deliberations continue then."
    )


async def _protocol(handle: Handle) -> str:
    found = await described(handle)
    return found.typed_search_attributes.get(search_attributes.PROTOCOL) or found.workflow_type.lower()
