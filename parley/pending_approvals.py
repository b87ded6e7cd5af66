"""Debates that wait for approval, with the commands for their answers.

The list has all waiting debates, because every approval is a stage. The reason and the deadline come from a worker;
without one, the rest is shown.
"""

import asyncio
from collections.abc import Mapping, Sequence

from temporalio.client import WorkflowQueryFailedError, WorkflowQueryRejectedError
from temporalio.service import RPCError

from parley import workflow_rpc
from parley.control import Steering
from parley.errors import ReplayBrokenError, TemporalAwayError, UnknownDeliberationError
from parley.listing import Listed
from parley.watch import QUERY_SECONDS
from protocols.debate.model.io import Waiting
from protocols.model_call import FrozenModel

FILTER = "ExecutionStatus = 'Running' AND Protocol = 'debate' AND Stage IN ('escalation', 'approval', 'release')"
"""In Temporal's list filter language."""

_ANSWERS: Mapping[str, str] = {
    "escalation": "parley accept|continue|reject {id}",
    "approval": "parley accept|reject {id}",
    "release": "parley release {id} p1|p2|…",
}
"""By the stage that waits: the command that answers."""


class PendingApproval(FrozenModel):
    """A debate that waits for a user."""

    id: str
    title: str
    waits_for: str
    """``escalation``: a decision after a failed objection round. ``approval``: the gate before the synthesis.
    ``release``: no turn of the last round may be shown."""
    rehearsal: bool = False
    waiting: Waiting | None = None
    """``None`` when no worker answers."""
    command: str
    """What answers it."""


def answer(stage: str, deliberation_id: str) -> str:
    """Return the command that answers a debate in ``stage``; blank if none waits for approval."""
    return _ANSWERS.get(stage, "").format(id=deliberation_id)


async def standstills(steering: Steering, lines: Sequence[Listed]) -> tuple[PendingApproval, ...]:
    """Return those of ``lines`` that still wait, in their order."""
    found = await asyncio.gather(*(_pending_approval(steering, line) for line in lines))
    return tuple(one for one in found if one is not None)


async def _pending_approval(steering: Steering, line: Listed) -> PendingApproval | None:
    """Return the approval, or ``None`` if a worker reports its end; the list lags by a moment."""
    handle, stage = steering.deliberation(line.id).handle, line.stage or ""
    try:
        waiting = await workflow_rpc.ask(handle, workflow_rpc.WAITING, within=QUERY_SECONDS)
    except UnknownDeliberationError:
        return None
    except (ReplayBrokenError, RPCError, TemporalAwayError, WorkflowQueryFailedError, WorkflowQueryRejectedError):
        return _waits(line, stage, None)
    return None if waiting is None else _waits(line, waiting.for_what, waiting)


def _waits(line: Listed, stage: str, waiting: Waiting | None) -> PendingApproval:
    return PendingApproval(
        id=line.id,
        title=line.title or "",
        waits_for=stage,
        rehearsal=line.rehearsal,
        waiting=waiting,
        command=answer(stage, line.id),
    )
