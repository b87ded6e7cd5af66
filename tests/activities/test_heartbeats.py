"""The pace of heartbeats: often while a worker has few calls, and in time for its server however many it has."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from activities.attempts import CallAttempts
from activities.heartbeats import HeartbeatPace, heartbeating
from activities.lost_workers import AttemptAsCaller
from activities.providers.errors import UnavailableError
from activities.providers.progress import CallProgress
from tests.fakes.calls import model_call
from tests.fakes.last_attempt import environment_after


@pytest.mark.parametrize(
    ("calls", "timeout", "seconds"),
    [(1, 10, 1), (100, 10, 1), (200, 10, 2), (400, 10, 3), (4000, 10, 3), (400, 600, 4), (1, 2, 0.6), (400, 1, 0.3)],
)
def test_many_calls_report_less_often_and_in_time(calls: int, timeout: float, seconds: float) -> None:
    """All calls together report a hundred times a second; each at least three times within its timeout."""
    pace = HeartbeatPace()
    pace.calls = calls
    assert pace.pause(timeout) == pytest.approx(seconds)


async def test_calls_are_counted_while_they_report() -> None:
    """A call counts from its beginning to its end, also when it fails."""
    environment, pace, seen = ActivityEnvironment(), HeartbeatPace(), list[int]()

    async def fail() -> None:
        attempts = CallAttempts(environment.info)
        async with (
            heartbeating(model_call(), CallProgress(), attempts, pace),
            heartbeating(model_call(), CallProgress(), attempts, pace),
        ):
            seen.append(pace.calls)
            raise UnavailableError("away", provider="lab")

    with pytest.raises(UnavailableError):
        await environment.run(fail)
    assert (seen, pace.calls) == ([2], 0)


async def test_a_call_reports_first_after_half_as_much_again_of_its_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is answered within a second and a half costs no heartbeat; a longer one reports every second then."""
    environment, pauses, loop = ActivityEnvironment(), list[float](), asyncio.get_running_loop()
    later = loop.call_later

    def soon(delay: float, *given: Any) -> asyncio.TimerHandle:
        pauses.append(delay)
        return later(0, *given)

    async def call() -> None:
        async with heartbeating(model_call(), CallProgress(), CallAttempts(environment.info), HeartbeatPace()):
            while len(pauses) < 3:  # noqa: ASYNC110 - nothing tells of a heartbeat
                await asyncio.sleep(0)

    monkeypatch.setattr(loop, "call_later", soon)
    await environment.run(call)
    assert [1.5, 1, 1] == pauses[:3]


async def test_a_wait_for_the_ledger_is_reported_while_it_lasts() -> None:
    """The next attempt reports the same beginning with its own reason, and none once the ledger can be used."""
    info = ActivityEnvironment().info
    first = CallAttempts(info)
    first.wait("locked")
    begun = first.details["ledger"]
    second = CallAttempts(replace(info, attempt=2, heartbeat_details=[first.details]))
    second.wait("no space left")
    assert ({**begun, "reason": "no space left"}, "locked") == (second.details["ledger"], begun["reason"])
    second.wait("")
    assert "ledger" not in second.details


@pytest.mark.parametrize(("is_paid", "silent"), [(False, 0), (True, 1)])
def test_an_attempt_that_ends_while_it_waits_for_the_ledger_has_lost_no_worker(*, is_paid: bool, silent: int) -> None:
    """However many there are: it asked no model, unless its answer waited; the one after them counts as lost."""
    info = ActivityEnvironment().info
    details: list[object] = []
    for number in range(1, 9):
        attempts = CallAttempts(replace(info, attempt=number, heartbeat_details=details))
        attempts.wait("locked", is_paid=is_paid and number == 8)
        details = [attempts.details]
    after = [CallAttempts(replace(info, attempt=number, heartbeat_details=details)) for number in (9, 10)]
    assert [silent, silent + 1] == [one.silent for one in after]


async def test_an_attempt_reports_for_itself_in_the_task_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it reads a stored answer an attempt reports as itself, also in the task of an earlier one."""
    monkeypatch.setattr("activities.lost_workers._SENT_AFTER", 0)
    reported: list[str] = []
    earlier, later = ActivityEnvironment(), environment_after()
    earlier.on_heartbeat = lambda *_: reported.append("earlier")
    later.on_heartbeat = lambda *_: reported.append("later")

    async def join() -> AttemptAsCaller:
        return AttemptAsCaller(replace(later.info, attempt=100), model_call())

    caller = await later.run(join)
    await earlier.run(caller.find)
    assert ["later"] == reported
