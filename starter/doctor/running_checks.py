"""The health of running deliberations: incompatible code, failing workflow tasks, and retried, slow or paused calls."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from google.protobuf.timestamp_pb2 import Timestamp
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import Client, WorkflowExecutionDescription

from parley.pending_calls import AWAY, LEDGER, NO_LEDGER, NO_PLACE, find_outages, pause_of, pending_calls
from parley.replay_check import MOST, RUNNING, replay_running
from parley.task_failures import find_task_failure, is_task_failing
from protocols.model_call import FrozenModel
from runtime.code_version import code_version
from runtime.errors import PayloadError

_AT_ONCE = 10
_SHOWN = 5
_MANY_ATTEMPTS = 3
"""A second attempt is everyday: a worker was replaced, a provider had a bad moment."""
_LONG = timedelta(minutes=5)
"""Longer than an attempt may take by default, with what it may wait for."""
_LONGEST_MESSAGE = 160
_WAITS = PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED


class Check(FrozenModel):
    """One thing that was looked at."""

    name: str
    ok: bool
    found: str
    is_checked: bool = True
    """Whether it could be looked at as a whole; otherwise ``ok`` only says that nothing wrong was seen."""
    remedy: str = ""
    """What a user can do about it; empty when there is nothing to do."""


async def describe_running(client: Client) -> tuple[WorkflowExecutionDescription, ...]:
    """Return the server's descriptions of the newest ``MOST`` runs."""
    places = asyncio.Semaphore(_AT_ONCE)

    async def described(run_id: str, workflow_id: str) -> WorkflowExecutionDescription:
        async with places:
            return await client.get_workflow_handle(workflow_id, run_id=run_id).describe()

    found = [described(e.run_id, e.id) async for e in client.list_workflows(RUNNING, limit=MOST)]
    return tuple(await asyncio.gather(*found))


async def check_code(client: Client) -> Check:
    """Replay what runs and was last continued by other code, with the code of this process."""
    replays = [replay async for replay in replay_running(client, only_other_code=True)]
    broken = [replay for replay in replays if not replay.ok]
    if not broken:
        count = f"; {len(replays)} started by other code can continue" if replays else ""
        return Check(name="code", ok=True, found=f"{code_version()}{count}")
    first = broken[0]
    ids = _listed([replay.deliberation_id for replay in broken])
    found = (
        f"{code_version()} cannot continue {len(broken)} of {len(replays)} started by other code: {ids}: {first.error}"
    )
    return Check(name="code", ok=False, found=found, remedy=first.remedy)


async def check_tasks(client: Client, running: Sequence[WorkflowExecutionDescription]) -> Check:
    """Look for runs whose workflow tasks fail, and say why."""
    stuck: list[str] = []
    for described in running:
        if not is_task_failing(described):
            continue
        handle = client.get_workflow_handle(described.id, run_id=described.run_id)
        failure = await find_task_failure(handle, described.data_converter)
        if failure is not None:
            stuck.append(f"{described.id}: {failure.explanation}")
    if not stuck:
        return Check(name="stuck deliberations", ok=True, found="none")
    advice = "Look at the worker's log too. They continue once the cause is corrected."
    return Check(name="stuck deliberations", ok=False, found=_listed(stuck, "; "), remedy=advice)


async def check_providers(running: Sequence[WorkflowExecutionDescription], now: datetime) -> Check:
    """Look for providers that are away, over all runs together."""
    try:
        calls = [call for described in running for call in (await pending_calls(described)).values()]
    except PayloadError as error:
        return Check(name="providers' answers", ok=False, found=f"heartbeats cannot be read: {error}")
    outages = find_outages(calls, now)
    if not outages:
        return Check(name="providers' answers", ok=True, found="no call waits for a provider that is away")
    advice = "Calls wait for a provider for as long as their patience (--patience). Is base_url right?"
    if all(one.provider == LEDGER for one in outages):
        advice = "They continue once the database can be used; is PARLEY_DATABASE_URL right?"
    return Check(name="providers' answers", ok=False, found=_listed([str(o) for o in outages], "; "), remedy=advice)


def check_calls(running: Sequence[WorkflowExecutionDescription], now: datetime) -> Check:
    """Return calls with repeated attempts, or under way for long."""
    slow = sorted(call for described in running for call in slow_calls(described, now))
    if not slow:
        return Check(name="calls", ok=True, found="none retries, hangs for long or is paused")
    advice = "They are tried until they succeed or their patience has run out. To ask another model: parley replace."
    return Check(name="calls", ok=False, found=_listed([line for _, line in slow], "; "), remedy=advice)


def slow_calls(described: WorkflowExecutionDescription, now: datetime) -> tuple[tuple[datetime, str], ...]:
    """Return the retried, slow and paused calls of one run, each as a line, and when it was asked for first."""
    return tuple(
        (_time(activity.scheduled_time), f"{described.id} {_line(activity)}")
        for activity in described.raw_description.pending_activities
        if activity.paused
        or (activity.attempt >= _MANY_ATTEMPTS and not _waits_for_provider(activity))
        or _is_long(activity, now)
    )


def _line(activity: PendingActivityInfo) -> str:
    model = f" ({activity.priority.fairness_key})" if activity.priority.fairness_key else ""
    started = f"attempt {activity.attempt} since {_time(activity.scheduled_time):%H:%M:%S} UTC"
    next_try = f"tried again at {_time(activity.next_attempt_schedule_time):%H:%M:%S} UTC"
    error = " ".join(activity.last_failure.message.split())[:_LONGEST_MESSAGE]
    state = (next_try if activity.state == _WAITS else "under way") + (f": {error}" if error else "")
    return f"{activity.activity_id}{model}, {started}, {pause_of(activity) or state}"


def _waits_for_provider(activity: PendingActivityInfo) -> bool:
    """Return whether its provider or the ledger is away (see ``check_providers``), or it waits for a place."""
    return activity.last_failure.application_failure_info.type in {*AWAY, *NO_LEDGER, NO_PLACE}


def _is_long(activity: PendingActivityInfo, now: datetime) -> bool:
    is_started = activity.state == PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
    return is_started and now - _time(activity.last_started_time) > _LONG


def _time(stamp: Timestamp) -> datetime:
    return stamp.ToDatetime(tzinfo=UTC)


def _listed(found: Sequence[str], between: str = ", ") -> str:
    more = len(found) - _SHOWN
    return between.join(found[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
