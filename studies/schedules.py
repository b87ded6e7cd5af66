"""Studies repeated on Temporal's schedules.

The content of a schedule was entered in the ledger once, at its creation: a dataset that changes later needs a
schedule of another name. A firing that is due while the one before still runs is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import TypeAdapter, ValidationError
from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionExecutionStartWorkflow,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleHandle,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
    ScheduleState,
)
from temporalio.service import RPCError, RPCStatusCode

from parley.errors import RequestError
from parley.installations import refuse_new_ledger
from parley.start import once_columns_are_known
from parley.watch import QUERY_SECONDS
from parley.workflow_rpc import known
from protocols.study.scheduled import LONGEST_NAME, SCHEDULE_PREFIX, ScheduledInput, ScheduleName, firing_name
from protocols.task_queues import TASK_QUEUE
from runtime.errors import PayloadError
from runtime.installation import refuse_other_keys
from runtime.settings import Settings
from studies.definition.load import LoadedStudy
from studies.runs.start import enter_study
from workflows import search_attributes
from workflows.scheduled_study import ScheduledStudyWorkflow

_MOST_RECENT = 3
_TIMES = "times"
_name: TypeAdapter[str] = TypeAdapter(ScheduleName)


@dataclass(frozen=True)
class ScheduleLine:
    """One schedule, as a list shows it."""

    name: str
    times: str
    """As they were written: one cron expression or several."""
    paused: bool
    note: str
    next_at: datetime | None
    """When it fires next; ``None`` when it does not any more."""
    recent: tuple[str, ...]
    """The studies of the newest firings, the last one last."""


class Schedules:
    """The schedules of one installation."""

    def __init__(self, client: Client, settings: Settings) -> None:
        self._client = client
        self._settings = settings

    async def create(self, study: LoadedStudy, cron: Sequence[str], timezone: str | None) -> ScheduleLine:
        """Add a schedule that runs ``study`` at the times of ``cron``, in ``timezone`` (UTC by default).

        Raises:
            RequestError: the name is too long or taken, or the server cannot read the times.
        """
        name = checked_name(study.study.name)
        await refuse_other_keys(self._client)
        await refuse_new_ledger(self._client, study.settings)
        inp = ScheduledInput(pattern=name, title=study.study.title or name, rehearsal=study.is_rehearsal)
        spec = ScheduleSpec(cron_expressions=list(cron), time_zone_name=timezone)
        try:
            handle = await once_columns_are_known(self._client, lambda: self._created(inp, spec))
        except ScheduleAlreadyRunningError:
            raise RequestError(
                f"there is a schedule {name!r} already; remove it first: parley schedule delete {name}"
            ) from None
        except RPCError as error:
            if error.status is not RPCStatusCode.INVALID_ARGUMENT:
                raise
            raise RequestError(f"the times {', '.join(cron)!r} cannot be used: {error.message}") from None
        try:
            await enter_study(study.settings, study)  # not before: times that the server refuses would leave it behind
        except BaseException:
            await handle.delete()
            raise
        return await self._line(handle)

    async def lines(self) -> tuple[ScheduleLine, ...]:
        """Return all schedules, by name."""
        listed = await self._client.list_schedules()
        names = sorted([entry.id async for entry in listed if entry.id.startswith(SCHEDULE_PREFIX)])
        found = [await known(self._line(self._client.get_schedule_handle(name)), QUERY_SECONDS) for name in names]
        return tuple(filter(None, found))  # one may be removed meanwhile

    async def pause(self, name: str, note: str) -> ScheduleLine:
        """Pause the schedule until it is resumed."""
        handle = await self._known(name)
        await handle.pause(note=note or "paused by a user")
        return await self._line(handle)

    async def resume(self, name: str) -> ScheduleLine:
        """Resume the schedule."""
        handle = await self._known(name)
        await handle.unpause(note="resumed by a user")
        return await self._line(handle)

    async def trigger(self, name: str) -> ScheduleLine:
        """Start a firing now, beside the scheduled times.

        Raises:
            RequestError: there is no such schedule, or a firing of it still runs.
        """
        handle = await self._known(name)
        if running := (await handle.describe()).info.running_actions:
            firings = [one.workflow_id for one in running if isinstance(one, ScheduleActionExecutionStartWorkflow)]
            raise RequestError(
                f"a firing of {name!r} still runs ({', '.join(firings)}), and the next one waits for its end; "
                "see how far its study is: parley batch list"
            )
        await handle.trigger()
        return await self._line(handle)

    async def delete(self, name: str) -> None:
        """Remove it; its started studies continue."""
        await (await self._known(name)).delete()

    async def _created(self, inp: ScheduledInput, spec: ScheduleSpec) -> ScheduleHandle:
        return await self._client.create_schedule(
            f"{SCHEDULE_PREFIX}{inp.pattern}",
            Schedule(
                action=ScheduleActionStartWorkflow(
                    ScheduledStudyWorkflow.run,
                    inp,
                    id=f"{inp.pattern}/firing",
                    task_queue=TASK_QUEUE,
                    static_summary=f"Firing of the schedule {inp.pattern}",
                    typed_search_attributes=search_attributes.columns_of(
                        {
                            search_attributes.PROTOCOL: "schedule",
                            search_attributes.TITLE: inp.title,
                            search_attributes.REHEARSAL: inp.rehearsal,
                        }
                    ),
                ),
                spec=spec,
                policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=timedelta(hours=12)),
                state=ScheduleState(note=inp.title),
            ),
            memo={_TIMES: ", ".join(spec.cron_expressions)},
        )

    async def _known(self, name: str) -> ScheduleHandle:
        handle = self._client.get_schedule_handle(f"{SCHEDULE_PREFIX}{name}")
        # Its memo is not read: a schedule whose key is lost can still be deleted.
        if await known(handle.describe(), QUERY_SECONDS) is None:
            raise RequestError(f"there is no schedule {name!r}; parley schedule list shows those there are")
        return handle

    async def _line(self, handle: ScheduleHandle) -> ScheduleLine:
        description = await handle.describe()
        recent = [result.action for result in description.info.recent_actions[-_MOST_RECENT:]]
        ids = [action.workflow_id for action in recent if isinstance(action, ScheduleActionExecutionStartWorkflow)]
        name = handle.id.removeprefix(SCHEDULE_PREFIX)
        try:
            times = str((await description.memo()).get(_TIMES, ""))
        except PayloadError:
            times = "cannot be read without their key"
        return ScheduleLine(
            name=name,
            times=times,
            paused=description.schedule.state.paused,
            note=description.schedule.state.note or "",
            next_at=next(iter(description.info.next_action_times), None),
            recent=tuple(firing_name(name, workflow_id) or workflow_id for workflow_id in ids),
        )


def checked_name(name: str) -> str:
    """Return ``name``, if a schedule may have it.

    Raises:
        RequestError: it is too long for those of its firings to be names.
    """
    try:
        return _name.validate_python(name)
    except ValidationError:
        raise RequestError(
            f"{name!r} cannot be a schedule's name: at most {LONGEST_NAME} of a-z, 0-9 and -, because each firing has "
            "the date and time behind it; give another one"
        ) from None
