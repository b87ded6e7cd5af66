"""A short reply is read in the worker, whose processor time no reply exceeds."""

import gc
import re
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from pydantic import JsonValue

from activities import brief_reading, reader_process
from activities.brief_reading import LONGEST_BRIEF, TooLongToReadError, is_brief, read_briefly
from activities.reader_process import ReaderProcess
from activities.reply_readers import UnreadableError, read
from bench.hostile_texts import NEEDS, SHAPES
from protocols.lazy_patterns import lazy_pattern
from protocols.model_call import ReaderRef

BALLOT = ReaderRef(reader="council.ballot", needs={"labels": ["Response A", "Response B"], "nonce": None})
RANKING = "FINAL RANKING:\n1. Response B\n2. Response A"
SECONDS = 0.005

Plant = Callable[[Callable[[], JsonValue]], None]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Makes a function the reader of every reply."""

    def planted(reader: Callable[[], JsonValue]) -> None:
        monkeypatch.setattr(brief_reading, "read", lambda _text, _read_as: reader())

    return planted


def endless() -> JsonValue:
    """Never return, and catch every error."""
    while True:
        with suppress(Exception):
            int("x")


def test_an_endless_search_is_ended(plant: Plant) -> None:
    """A regular expression that would search for centuries is interrupted within its own code."""
    plant(lambda: re.search("(a|a)*b", "a" * 100) is None)
    with pytest.raises(TooLongToReadError):
        read_briefly("x", BALLOT, SECONDS)


def test_an_endless_loop_is_ended_though_it_catches_every_error(plant: Plant) -> None:
    """No reader takes the interruption for an error of its own."""
    plant(endless)
    with pytest.raises(TooLongToReadError):
        read_briefly("x", BALLOT, SECONDS)


class Endless:
    """An object whose finalizer does not end."""

    def __del__(self) -> None:
        """Begin."""
        endless()


def test_a_signal_that_a_finalizer_loses_is_followed_by_another(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python drops what is raised in a finalizer, so one signal would not be enough."""
    lost: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda dropped: lost.append(dropped.exc_type))

    def reader() -> JsonValue:
        Endless()
        return endless()

    plant(reader)
    with pytest.raises(TooLongToReadError):
        read_briefly("x", BALLOT, SECONDS)
    assert [brief_reading._SpentError] == lost


def _slow_to_compile(of: str) -> re.Pattern[str]:
    """Return a pattern that takes several times ``SECONDS`` to compile; ``of`` makes it a new one."""
    return lazy_pattern("|".join(f"{of}{number}[α-ω]" for number in range(4_000)), re.IGNORECASE)


def test_compiling_a_pattern_is_no_part_of_the_readings_time(plant: Plant) -> None:
    """The first reading of a worker compiles what it searches for, which takes longer than a reading may."""
    slow = _slow_to_compile("first ")
    plant(lambda: slow.search("x") is None)
    assert read_briefly("x", BALLOT, SECONDS) is True


def test_a_reading_that_has_compiled_is_ended_too(plant: Plant) -> None:
    """After each compilation the time begins again, and then it ends."""
    slow = _slow_to_compile("second ")

    def reader() -> JsonValue:
        slow.search("x")
        return endless()

    plant(reader)
    with pytest.raises(TooLongToReadError):
        read_briefly("x", BALLOT, SECONDS)


def test_no_garbage_is_looked_for_while_a_reply_is_read(plant: Plant) -> None:
    """A look at all objects of the worker would use up the reading's time, and the signal would end a finalizer."""
    seen: list[bool] = []
    gc.enable()
    plant(lambda: seen.append(gc.isenabled()))
    read_briefly("x", BALLOT)
    plant(endless)
    with pytest.raises(TooLongToReadError):
        read_briefly("x", BALLOT, SECONDS)
    assert ([False], True) == (seen, gc.isenabled())


def test_a_signal_after_the_reading_changes_nothing() -> None:
    """The last signal may arrive when the reading has ended; the worker continues."""
    assert read(RANKING, BALLOT) == read_briefly(RANKING, BALLOT)
    signal.raise_signal(signal.SIGVTALRM)
    assert (0.0, 0.0) == signal.getitimer(signal.ITIMER_VIRTUAL)


def test_an_error_of_the_reader_ends_its_time_too() -> None:
    """A reader that breaks leaves no timer behind it, and its error is the same as in the process."""
    with pytest.raises(UnreadableError, match=r"'vote\.answer' broke on the text"):
        read_briefly("x", ReaderRef(reader="vote.answer"))
    assert (0.0, 0.0) == signal.getitimer(signal.ITIMER_VIRTUAL)


@pytest.mark.parametrize(
    ("text", "shown", "brief"),
    [
        ("x" * LONGEST_BRIEF, "", True),
        ("x" * (LONGEST_BRIEF + 1), "", False),
        ("x", "y" * (LONGEST_BRIEF - 1), True),
        ("xx", "y" * (LONGEST_BRIEF - 1), False),
        ("[{" * 50, "", True),
        ("[{" * 50 + "[", "", False),
    ],
)
def test_what_is_brief(text: str, shown: str, brief: bool) -> None:
    """Length counts with the text that is compared, and a text of many brackets may be nested deeply."""
    assert brief == is_brief(text, ReaderRef(reader="consensus.evaluation", needs={"shown": shown}))


def test_another_thread_reads_nothing_itself() -> None:
    """Signals reach the main thread only, so a worker in another one leaves every reply to the process."""
    with ThreadPoolExecutor() as threads:
        assert not threads.submit(is_brief, RANKING, BALLOT).result()


@pytest.mark.parametrize("reader", NEEDS)
def test_a_hostile_shape_is_read_as_the_process_would_or_left_to_it(reader: str) -> None:
    """At the greatest length of a short reply, every shape ends in a reading, an error or the end of its time."""
    read_as = ReaderRef.model_validate({"reader": reader, "needs": {**NEEDS[reader], "shown": "Why?"}})
    for shape, text_of in SHAPES.items():
        text = text_of(LONGEST_BRIEF)[: LONGEST_BRIEF // 4]
        with suppress(UnreadableError, TooLongToReadError):
            assert read(text, read_as) == read_briefly(text, read_as), shape


async def test_a_short_reply_needs_no_process() -> None:
    """It is read at once; the process begins with the first long one."""
    readers = ReaderProcess()
    assert read(RANKING, BALLOT) == await readers.read(RANKING, BALLOT)
    assert readers._process is None
    await readers.aclose()


async def test_a_reply_that_takes_too_long_is_read_by_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of the worker's time is not the end of the reply: the process has more."""

    def spent(_text: str, _read_as: ReaderRef) -> JsonValue:
        raise TooLongToReadError

    monkeypatch.setattr(reader_process, "read_briefly", spent)
    readers = ReaderProcess()
    assert read(RANKING, BALLOT) == await readers.read(RANKING, BALLOT)
    assert readers._process is not None
    await readers.aclose()
