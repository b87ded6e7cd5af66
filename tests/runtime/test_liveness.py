"""The pipe on which a worker shows that it lives."""

import asyncio
import os
import threading
from collections.abc import Callable

import pytest

from runtime.liveness import LivenessPipe, LivenessReports


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty signs of life a second."""
    monkeypatch.setattr("runtime.liveness.INTERVAL_SECONDS", 0.02)


async def until(is_so: Callable[[], bool]) -> None:
    """Wait for what the pipe brings."""
    while not is_so():  # noqa: ASYNC110 - a pipe sets no event
        await asyncio.sleep(0.01)


@pytest.mark.usefixtures("fast")
async def test_a_worker_that_reports_is_not_silent() -> None:
    """As long as bytes arrive, the wait for silence does not end; it ends when they stop."""
    pipe = LivenessPipe()
    async with LivenessReports(pipe.write_end):
        silence = asyncio.create_task(pipe.silence(0.2))
        await until(lambda: pipe.beats >= 20)
        assert not silence.done()

    await silence
    pipe.close_write_end()
    pipe.close()


@pytest.mark.usefixtures("fast")
async def test_time_in_which_the_reader_did_not_run_does_not_count() -> None:
    """A reader that was frozen, like a laptop asleep, has counted one interval of silence and not the whole time."""
    pipe = LivenessPipe()
    silence = asyncio.create_task(pipe.silence(0.2))
    await asyncio.sleep(0.01)
    threading.Event().wait(1.0)
    await asyncio.sleep(0.05)

    assert not silence.done()
    await silence
    pipe.close_write_end()
    pipe.close()


async def test_ready_is_reported_once_the_worker_polls() -> None:
    """The pipe says that the worker is ready after its report, and not before."""
    pipe = LivenessPipe()
    async with LivenessReports(pipe.write_end) as reports:
        await until(lambda: pipe.beats > 0)
        before = pipe.is_ready
        reports.report_ready()
        await until(lambda: pipe.is_ready)
        assert not before
    pipe.close_write_end()
    pipe.close()


async def test_neither_side_fails_when_the_other_is_gone() -> None:
    """A report to a closed or a full pipe is dropped, and a reader whose writer ended stops reading."""
    pipe = LivenessPipe()
    copy = os.dup(pipe.write_end)
    async with LivenessReports(copy) as reports:
        for _ in range(100_000):
            reports.report_ready()
        pipe.close()
        reports.report_ready()
    pipe.close_write_end()
    os.close(copy)

    second = LivenessPipe()
    second.close_write_end()
    await asyncio.sleep(0.05)
    second.close()


async def test_a_worker_that_nobody_watches_reports_nothing() -> None:
    """Without a pipe the reports are no reports and no error."""
    async with LivenessReports(None) as reports:
        reports.report_ready()
