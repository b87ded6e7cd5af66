"""Which providers are away, and since when, as pending calls tell."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.failure.v1 import ApplicationFailureInfo, Failure
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.contrib.pydantic import pydantic_data_converter

from activities import retry_posture
from parley.pending_calls import AWAY, NO_PLACE, Call, Outage, _call, find_outages

NOW = datetime(2026, 5, 1, 14, 10, tzinfo=UTC)
SINCE = datetime(2026, 5, 1, 14, 3, 30, tzinfo=UTC)


def waiting(**changes: Any) -> Call:
    """A call that waits for the lab, tried again in twenty seconds."""
    given = {
        "provider": "lab",
        "waits": True,
        "last_failure": "lab: answered 503: Loading model; away since 14:03 UTC",
        "away_since": SINCE,
        "next_try": NOW + timedelta(seconds=20),
    }
    return Call.model_validate({**given, **changes})


def stamped(moment: datetime) -> Timestamp:
    """A moment as the server writes it."""
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp


async def pending(beat: dict[str, Any] | None, **changes: Any) -> Call:
    """A pending activity of the server, read."""
    info = PendingActivityInfo(
        activity_id="opinion-p1",
        state=PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED,
        attempt=7,
        next_attempt_schedule_time=stamped(NOW),
        **changes,
    )
    if beat is not None:
        info.heartbeat_details.payloads.extend(await pydantic_data_converter.encode([beat]))
    return await _call(info, pydantic_data_converter)


def test_calls_that_wait_for_one_provider_are_one_outage() -> None:
    """The earliest failure is its beginning and the next try of any call is its next try."""
    earlier = waiting(away_since=SINCE - timedelta(minutes=2), next_try=NOW + timedelta(seconds=50))
    other = waiting(provider="other", last_failure="other: the connection failed (ConnectError)")
    found = find_outages([waiting(), other, earlier, Call(provider="lab")], NOW)
    assert [
        "lab away since 14:01 UTC (answered 503: Loading model, next try in 20 s); 2 calls wait for it",
        "other away since 14:03 UTC (the connection failed (ConnectError), next try in 20 s); 1 call waits for it",
    ] == list(map(str, found))


@pytest.mark.parametrize("next_try", [None, NOW - timedelta(hours=1), NOW + timedelta(hours=1), NOW])
def test_a_clock_that_is_wrong_shows_no_wrong_wait(next_try: datetime | None) -> None:
    """While a try is made, and where this machine's clock is not the server's, the next try is now."""
    (outage,) = find_outages([waiting(next_try=next_try)], NOW)
    assert "next try now" in str(outage)


def test_an_old_outage_names_its_day() -> None:
    """What began more than a day ago is reported with its date."""
    (outage,) = find_outages([waiting()], NOW + timedelta(days=2))
    assert "lab away since 2026-05-01 14:03 UTC" in str(outage)


def test_the_newest_failure_is_the_reason() -> None:
    """When a provider fails in another way than before, the later failure is reported."""
    newest = waiting(last_failure="lab: answered 307", failed_at=NOW)
    (outage,) = find_outages([waiting(failed_at=SINCE), newest, waiting()], NOW)
    assert "answered 307" == outage.reason


def test_a_long_reason_is_cut() -> None:
    """The line stays readable whatever a provider states."""
    (outage,) = find_outages([waiting(last_failure="x" * 500)], NOW)
    assert 160 == len(outage.reason)


async def test_a_pending_call_is_read_from_its_heartbeat() -> None:
    """Provider, absence and real attempts come from the heartbeat, the next try from the server."""
    away = {"since": SINCE.isoformat(), "failures": 4}
    tries = {NO_PLACE: 2, "provider.unavailable": 4}
    call = await pending({"provider": "lab", "tries": tries, "away": away}, last_failure=Failure(message="lab: no"))
    assert ("lab", 5, SINCE, NOW) == (call.provider, call.attempt, call.away_since, call.next_try)
    assert "lab: no" == call.last_failure


@pytest.mark.parametrize("number", range(2))
async def test_what_waits_for_the_ledger_is_an_outage(number: int) -> None:
    """A call says so in its heartbeat; another activity fails."""
    reason = "the ledger has no space left (DiskFullError 53100)"
    failed = Failure(message=reason, application_failure_info=ApplicationFailureInfo(type="store.full"))
    beats = {"provider": "lab", "phase": "waiting", "ledger": {"since": SINCE.isoformat(), "reason": reason}}
    (given, changes) = ((beats, {}), (None, {"last_failure": failed, "scheduled_time": stamped(SINCE)}))[number]
    (outage,) = find_outages([await pending(given, **changes)], NOW)
    assert f"the ledger away since 14:03 UTC ({reason}, next try now); 1 call waits for it" == str(outage)


async def test_a_call_that_had_no_place_has_not_failed() -> None:
    """A return to the queue is no failure that a user should read of."""
    info = ApplicationFailureInfo(type=NO_PLACE)
    call = await pending(None, last_failure=Failure(message="lab: all places", application_failure_info=info))
    assert "" == call.last_failure


@pytest.mark.parametrize("away", [None, 7, {"since": "soon"}, {"since": "2026-05-01T14:03:30"}, []])
async def test_a_heartbeat_that_makes_no_sense_states_nothing(away: object) -> None:
    """What another version wrote is passed over."""
    assert (await pending({"away": away, "tries": "many"})).away_since is None


def test_the_type_is_the_workers() -> None:
    """Both sides name the return to the queue, and the failures of a provider that is away, alike."""
    waiting = frozenset(error_type for error_type, row in retry_posture.POSTURES.items() if row.waits)
    assert (retry_posture.NO_PLACE, waiting) == (NO_PLACE, AWAY)


def test_an_outage_is_a_value() -> None:
    """It travels as JSON."""
    outage = Outage(provider="lab", since=SINCE, reason="no")
    assert Outage.model_validate_json(outage.model_dump_json()) == outage


async def test_a_paused_call_waits_for_no_provider() -> None:
    """An operator paused it while its provider was away: the pause is what it waits for, with the reason given."""
    paused = PendingActivityInfo.PauseInfo(manual=PendingActivityInfo.PauseInfo.Manual(reason="look"))
    beat = {"provider": "lab", "away": {"since": SINCE.isoformat()}}
    call = await pending(beat, paused=True, pause_info=paused)
    assert ("paused, see temporal activity unpause: look", ()) == (call.pause, find_outages([call], NOW))
