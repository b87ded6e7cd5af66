"""An installation's mark in the note of an idle schedule, for accounts without write access to the namespace data.

Creating a schedule is atomic, so of two first workers one leaves its note and the other finds it. The schedule is
paused and has no times; it is among the namespace's schedules, where its note names the owner of the namespace.
"""

from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleSpec,
    ScheduleState,
)
from temporalio.service import RPCError, RPCStatusCode

SCHEDULE_ID = "parley-installation"

_UNREADABLE = {RPCStatusCode.NOT_FOUND, RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNIMPLEMENTED}


async def read_mark(client: Client) -> str | None:
    """Return the note that an installation left; ``None`` when there is none or this account may not see it."""
    try:
        described = await client.get_schedule_handle(SCHEDULE_ID).describe()
    except RPCError as error:
        if error.status not in _UNREADABLE:
            raise
        return None
    return described.schedule.state.note


async def write_mark(client: Client, note: str) -> None:
    """Leave ``note``, unless an installation has left one before.

    Raises:
        RPCError: the server does not allow it.
    """
    never = ScheduleActionStartWorkflow("ParleyInstallation", id=SCHEDULE_ID, task_queue=SCHEDULE_ID)
    schedule = Schedule(action=never, spec=ScheduleSpec(), state=ScheduleState(paused=True, note=note))
    try:
        await client.create_schedule(SCHEDULE_ID, schedule)
    except ScheduleAlreadyRunningError:
        return
