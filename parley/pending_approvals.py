"""Deliberations that wait for a user, with the commands for their answers.

The list has all of them, because every wait is a stage there: the approvals of a debate, and a higher budget. The
reason and the deadline come from a worker; without one, the rest is shown.
"""

import asyncio
from collections.abc import Sequence

from temporalio.client import WorkflowQueryFailedError, WorkflowQueryRejectedError
from temporalio.service import RPCError

from parley import workflow_rpc
from parley.approval_commands import answer, stage_answer
from parley.control import Steering
from parley.debate_rpc import WAITING
from parley.errors import StuckError, TemporalAwayError, UnknownDeliberationError
from parley.listing import Listed
from parley.watch import QUERY_SECONDS
from protocols.debate.model.io import Waiting
from protocols.model_call import FrozenModel
from protocols.progress import BUDGET, Progress
from runtime.errors import PayloadError

FILTER = "ExecutionStatus = 'Running' AND Stage IN ('escalation', 'approval', 'release', 'budget')"
"""In Temporal's list filter language."""


class PendingApproval(FrozenModel):
    """A deliberation that waits for a user."""

    id: str
    title: str
    waits_for: str
    """``escalation``: a decision after a failed objection round. ``approval``: the gate before the synthesis.
    ``release``: no turn of the last round may be shown. ``budget``: the next calls may cost more than is left."""
    rehearsal: bool = False
    waiting: Waiting | None = None
    """Of a debate; ``None`` when no worker answers."""
    why: str = ""
    """Of a budget: which calls do not fit. Of one that is stuck or not readable: the cause. Else blank."""
    command: str
    """What answers it."""


async def standstills(steering: Steering, lines: Sequence[Listed]) -> tuple[PendingApproval, ...]:
    """Return those of ``lines`` that still wait, in their order."""
    found = await asyncio.gather(*(_pending_approval(steering, line) for line in lines))
    return tuple(one for one in found if one is not None)


async def _pending_approval(steering: Steering, line: Listed) -> PendingApproval | None:
    """Return the approval, or ``None`` if a worker reports its end; the list lags by a moment."""
    handle, stage = steering.deliberation(line.id).handle, line.stage or ""
    try:
        if stage == BUDGET:
            return _budget(line, await workflow_rpc.ask(handle, workflow_rpc.STATE, within=QUERY_SECONDS))
        waiting = await workflow_rpc.ask(handle, WAITING, within=QUERY_SECONDS)
    except UnknownDeliberationError:
        return None
    except (StuckError, PayloadError) as error:
        why = str(error).removeprefix(f"{handle.id}: ")
        return _waits(line, stage, None).model_copy(update={"why": why})
    except (RPCError, TemporalAwayError, WorkflowQueryFailedError, WorkflowQueryRejectedError):
        return _waits(line, stage, None)
    return None if waiting is None else _waits(line, waiting.for_what, waiting)


def _budget(line: Listed, progress: Progress) -> PendingApproval | None:
    """Return the wait for a higher budget; ``None`` once it has ended."""
    if progress.budget is None or progress.budget.needed is None:
        return None
    found = _waits(line, BUDGET, None)
    return found.model_copy(update={"why": progress.waits_for, "command": answer(progress, line.id)})


def _waits(line: Listed, stage: str, waiting: Waiting | None) -> PendingApproval:
    return PendingApproval(
        id=line.id,
        title=line.title or "",
        waits_for=stage,
        rehearsal=line.rehearsal,
        waiting=waiting,
        command=stage_answer(stage, line.id),
    )
