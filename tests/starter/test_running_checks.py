"""Calls that retry or hang, and code that cannot continue what runs."""

import asyncio
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from temporalio import workflow
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import WorkflowExecutionDescription
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Worker

from activities.retry_posture import NO_PLACE
from parley.client import Parley
from parley.errors import UnknownDeliberationError
from parley.replay_check import Replay, replay_running
from protocols.task_queues import TASK_QUEUE
from runtime.code_version import code_version
from starter.doctor.running_checks import check_calls, check_code, check_providers, slow_calls

NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
SCHEDULED = PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED
STARTED = PendingActivityState.PENDING_ACTIVITY_STATE_STARTED


def call(state: PendingActivityState.ValueType, attempt: int, minutes: float, error: str = "") -> PendingActivityInfo:
    """A call whose present attempt began, or whose next one begins, so many minutes ago."""
    found = PendingActivityInfo(activity_id="opinion-p1", state=state, attempt=attempt)
    found.priority.fairness_key = "lab/a-model"
    found.last_failure.message = error
    found.scheduled_time.FromDatetime(NOW - timedelta(hours=1))
    found.last_started_time.FromDatetime(NOW - timedelta(minutes=minutes))
    found.next_attempt_schedule_time.FromDatetime(NOW + timedelta(seconds=20))
    return found


def running(*pending: PendingActivityInfo) -> WorkflowExecutionDescription:
    """The server's description of a run with those calls."""
    raw = SimpleNamespace(pending_activities=pending)
    described = SimpleNamespace(id="sky", raw_description=raw, data_converter=pydantic_data_converter)
    return cast("WorkflowExecutionDescription", described)


@pytest.mark.parametrize(
    ("pending", "is_slow"),
    [
        (call(STARTED, 1, 2), False),
        (call(SCHEDULED, 2, 2), False),
        (call(STARTED, 1, 6), True),
        (call(SCHEDULED, 3, 0), True),
    ],
    ids=["under way", "second try", "under way for long", "third try"],
)
def test_a_call_is_slow_by_its_tries_or_its_time(pending: PendingActivityInfo, is_slow: bool) -> None:
    """A second try is everyday; a third, or an attempt that is longer than any may be, is worth a line."""
    assert is_slow is bool(slow_calls(running(pending), NOW))


def test_a_call_that_waits_its_turn_is_not_slow() -> None:
    """A call that a worker puts back because its provider has its share of places has not failed, however often."""
    waiting = call(SCHEDULED, 40, 0, "no place")
    waiting.last_failure.application_failure_info.type = NO_PLACE
    assert not slow_calls(running(waiting), NOW)


def test_a_slow_call_is_reported_whole() -> None:
    """Which model, which attempt, since when, what the last error was, and when the next try is."""
    found = check_calls([running(call(SCHEDULED, 7, 0, "503:\n away"))], NOW)
    assert not found.ok
    assert found.found == (
        "sky opinion-p1 (lab/a-model), attempt 7 since 11:00:00 UTC, tried again at 12:00:20 UTC: 503: away"
    )


@pytest.mark.parametrize("failure", ["provider.unavailable", "store.full", "store.busy"])
def test_a_call_that_waits_for_its_provider_is_reported_with_the_provider(failure: str) -> None:
    """What waits for a provider or a ledger that is away is one line for that, not one for each call."""
    waiting = call(SCHEDULED, 7, 0, "it says no")
    waiting.last_failure.application_failure_info.type = failure
    assert check_calls([running(waiting)], NOW).ok


@pytest.mark.parametrize(("failure", "advised"), [("provider.unavailable", "base_url"), ("store.full", "DATABASE_URL")])
async def test_the_advice_fits_what_is_away(failure: str, advised: str) -> None:
    """Of a ledger that cannot be used the database's address is to be looked at, and no provider's."""
    waiting = call(SCHEDULED, 7, 0, "it says no")
    waiting.last_failure.application_failure_info.type = failure
    beat = {"provider": "lab", "away": {"since": NOW.isoformat()}}
    waiting.heartbeat_details.payloads.extend(await pydantic_data_converter.encode([beat]))
    found = await check_providers([running(waiting)], NOW)
    assert (found.ok, advised in found.remedy) == (False, True)


def test_a_paused_call_is_reported_with_what_continues_it() -> None:
    """Nothing continues a call that an operator paused but the command that is named, so one attempt is enough."""
    paused = call(SCHEDULED, 2, 0, "cancelled by the pause")
    paused.paused, paused.pause_info.manual.reason = True, "look"
    found = check_calls([running(paused)], NOW)
    assert (found.ok, "since 11:00:00 UTC, paused, see temporal activity unpause: look" in found.found) == (False, True)


def test_calls_that_go_on_are_no_matter() -> None:
    """Without slow calls the check is in order."""
    assert check_calls([running(call(STARTED, 1, 1))], NOW).ok


@pytest.mark.parametrize(
    ("error", "begins"),
    [
        ("[TMPRL1100] Nondeterminism error: x", "Put the old code back"),
        ("Workflow class Counsel is not registered on this worker", "Put the old code back"),
        ("the text sha256:00 is not in blobs", "See that this process has the home"),
    ],
)
def test_the_remedy_fits_the_cause(error: str, begins: str) -> None:
    """Old code helps where the code is the cause; a text or a key that is missing here is looked for here."""
    assert Replay(deliberation_id="sky", last_code="", error=error).remedy.startswith(begins)


@workflow.defn(name="Council", sandboxed=False)
class OtherCouncil:
    """A council by other code: its first step is a timer."""

    @workflow.run
    async def run(self, inp: Any) -> None:
        """Wait."""
        await workflow.sleep(3600)


async def test_what_other_code_began_is_found_by_a_replay(parley: Parley) -> None:
    """A run whose history this code would not have made is named with the reason, before any worker takes it."""
    other = Worker(
        parley.client,
        task_queue=TASK_QUEUE,
        workflows=[OtherCouncil],
        build_id="0.0.1-gabcdef0-000000000000",
    )
    async with other:
        begun = await parley.start_council("Why?", models=["a", "b"], chair="a", rehearse=True, id="by-other-code")
        async for event in begun.handle.fetch_history_events(wait_new_event=True):
            if event.HasField("timer_started_event_attributes"):
                break
    try:
        async with asyncio.timeout(20):
            while (found := await check_code(parley.client)).ok:  # noqa: ASYNC110 - listed a moment later
                await asyncio.sleep(0.05)
        replays = [r async for r in replay_running(parley.client, ["by-other-code"])]
    finally:
        await begun.handle.terminate()

    assert not found.ok
    assert f"{code_version()} cannot continue 1 of" in found.found
    assert "by-other-code" in found.found
    assert "git checkout abcdef0" in found.remedy
    assert [("by-other-code", "0.0.1-gabcdef0-000000000000")] == [(r.deliberation_id, r.last_code) for r in replays]
    assert "[TMPRL1100]" in replays[0].error


async def test_an_id_that_the_server_has_not_is_refused(parley: Parley) -> None:
    """An unknown id is named with the command that lists the known ones."""
    with pytest.raises(UnknownDeliberationError, match=r"knows no deliberation 'nobody'.*parley list"):
        [found async for found in replay_running(parley.client, ["nobody"])]
