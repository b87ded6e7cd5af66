"""A worker's event loop is uvloop's where it is installed, and everything that a worker does works on it."""

import asyncio
import signal
import sys
from contextlib import suppress

import pytest

from activities import brief_reading
from activities.brief_reading import LONGEST_BRIEF, TooLongToReadError, read_briefly
from activities.reader_process import ReaderProcess
from activities.reply_readers import read
from protocols.model_call import ReaderRef
from runtime.event_loop import run
from runtime.shutdown import stop_on_signals

BALLOT = ReaderRef(reader="council.ballot", needs={"labels": ["Response A", "Response B"], "nonce": None})
RANKING = "FINAL RANKING:\n1. Response B\n2. Response A"


async def loop_module() -> str:
    """Return the module of the loop that runs."""
    return type(asyncio.get_running_loop()).__module__


def test_the_loop_is_that_of_uvloop() -> None:
    """Work runs on it, and its result is returned."""
    assert run(loop_module()).partition(".")[0] == "uvloop"


def test_without_uvloop_the_loop_is_that_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """A platform without a wheel of uvloop has a worker too."""
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert run(loop_module()).partition(".")[0] == "asyncio"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_work(number: signal.Signals) -> None:
    """The first request to stop sets the event, and nothing is interrupted."""

    async def asked() -> bool:
        stop = stop_on_signals()
        signal.raise_signal(number)
        await stop.wait()
        return stop.is_set()

    assert run(asked())


def test_an_endless_reading_is_ended_on_this_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel's signal reaches the reader while the loop waits for it, and the loop continues."""

    def endless(_text: str, _read_as: ReaderRef) -> None:
        while True:
            with suppress(Exception):
                int("x")

    async def read_then_wait() -> str:
        with pytest.raises(TooLongToReadError):
            read_briefly("x", BALLOT, 0.005)
        await asyncio.sleep(0)
        return await loop_module()

    monkeypatch.setattr(brief_reading, "read", endless)
    assert run(read_then_wait()).partition(".")[0] == "uvloop"


def test_a_long_reply_is_read_by_the_process_on_this_loop() -> None:
    """The process is started, written to, read from and ended."""
    long = RANKING.rjust(LONGEST_BRIEF + len(RANKING))

    async def reading() -> object:
        readers = ReaderProcess()
        try:
            return await readers.read(long, BALLOT)
        finally:
            await readers.aclose()

    assert read(long, BALLOT) == run(reading())
