"""Starting a deliberation under an id that is used once.

With the id of a running deliberation, the same request attaches to it. With the id of an ended one, it is refused,
unless a fresh one is requested: that never attaches, and uses no earlier answers.
"""

import asyncio
from collections.abc import Awaitable, Callable
from secrets import token_hex
from typing import Any, TypeVar

from temporalio.client import Client, WorkflowHandle
from temporalio.common import Priority, WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from parley import visibility, workflow_rpc
from parley.errors import ColumnsUnknownError, IdUsedError
from parley.specs.protocol_spec import ProtocolSpec, Result
from protocols.branch import derived_draws
from protocols.deliberation import DeliberationInput
from protocols.task_queues import TASK_QUEUE
from runtime.installation import refuse_other_keys

INTERACTIVE = Priority(priority_key=2)
"""Before studies, which have 4 by default."""

# A server reads its list of columns once a minute, so those that were just registered may be unknown to it.
_COLUMNS_SECONDS = 90.0
_PAUSE = 0.25

Started = TypeVar("Started")


async def start(
    client: Client, deliberation_id: str, spec: ProtocolSpec[Any, Result, Any], inp: DeliberationInput, *, fresh: bool
) -> WorkflowHandle[Any, Result]:
    """Start a deliberation, or attach to the same one that runs already.

    Raises:
        IdUsedError: the id was used before, or is used by another one now.
        ColumnsUnknownError: the server does not know the list columns, though they were waited for.
        TemporalAwayError: the server was away for longer than a minute.
        PayloadError: the workers encrypt under a key that is not here.
        RPCError: the server refuses.
    """
    try:
        await refuse_other_keys(client)
        handle = await once_columns_are_known(client, lambda: _started(client, deliberation_id, spec, inp, fresh=fresh))
    except WorkflowAlreadyStartedError:
        raise IdUsedError(_already(deliberation_id, inp, fresh=fresh)) from None
    except RPCError as error:
        raise workflow_rpc.away(error) or error from error
    await _refuse_another(handle, inp)
    return handle


async def once_columns_are_known(client: Client, begin: Callable[[], Awaitable[Started]]) -> Started:
    """Return the result of ``begin`` as soon as the server has registered the search attributes.

    Raises:
        ColumnsUnknownError: it does not know them, though they were waited for.
    """
    try:
        async with asyncio.timeout(_COLUMNS_SECONDS):
            while True:
                try:
                    return await begin()
                except RPCError as error:
                    if error.status is not RPCStatusCode.INVALID_ARGUMENT or "no mapping defined" not in error.message:
                        raise
                await asyncio.sleep(_PAUSE)
    except TimeoutError:
        raise ColumnsUnknownError(
            f"the server does not know Parley's list columns in the namespace {client.namespace!r}. A worker registers "
            "them when it starts, if it is allowed to; `parley doctor` names those that are missing."
        ) from None


async def _started(
    client: Client, deliberation_id: str, spec: ProtocolSpec[Any, Result, Any], inp: DeliberationInput, *, fresh: bool
) -> WorkflowHandle[Any, Result]:
    reuse, conflict = WorkflowIDReusePolicy.REJECT_DUPLICATE, WorkflowIDConflictPolicy.USE_EXISTING
    # Drawn here, so that a reset to the first step, too, asks what was asked and finds the answers.
    drawn = inp if inp.given_draws else inp.model_copy(update={"draws": derived_draws(token_hex(8), inp.panel)})
    if fresh:
        reuse, conflict = WorkflowIDReusePolicy.ALLOW_DUPLICATE, WorkflowIDConflictPolicy.FAIL
    return await client.start_workflow(
        spec.workflow_type,
        drawn,
        result_type=spec.result,
        id=deliberation_id,
        task_queue=TASK_QUEUE,
        id_reuse_policy=reuse,
        id_conflict_policy=conflict,
        search_attributes=visibility.initial_attributes(spec.name, inp),
        static_summary=visibility.summary(spec, inp),
        static_details=visibility.details(spec, inp),
        memo=visibility.memo(inp),
        priority=INTERACTIVE,
    )


def _already(deliberation_id: str, inp: DeliberationInput, *, fresh: bool) -> str:
    if fresh:
        return (
            f"a deliberation runs under the id {deliberation_id!r} now. Wait for it (parley watch {deliberation_id}), "
            f"cancel it (parley cancel {deliberation_id}), or choose another id."
        )
    again = "" if inp.branch else "To run it again, and pay for it again, add --fresh (fresh=True). "
    return (
        f"an ended deliberation has the id {deliberation_id!r}. Read it with: parley show {deliberation_id}. "
        f"{again}Or choose another id."
    )


async def _refuse_another(handle: WorkflowHandle[Any, Any], inp: DeliberationInput) -> None:
    """Refuse to attach to a deliberation on another question."""
    there = await (await handle.describe()).memo_value("input", default=None)
    if there != visibility.memo(inp)["input"]:
        raise IdUsedError(
            f"the deliberation that runs under the id {handle.id!r} was asked something else or in another way. "
            "Choose another id."
        )
