"""The time between two reads of a stream, by the number of streams."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from activities.providers.read_pace import LONGEST_PAUSE, READS_A_SECOND, SHORTEST_PAUSE, ReadPace


def pace_of(streams: int) -> ReadPace:
    """The pace of a worker that reads so many streams."""
    pace = ReadPace()
    pace.streams = streams
    return pace


def connection(calls: list[str], *, is_open: bool = True) -> Any:
    """A connection that notes what is asked of it."""
    protocol = SimpleNamespace(
        pause_reading=lambda: calls.append("pause"), resume_reading=lambda: calls.append("resume")
    )
    return SimpleNamespace(protocol=protocol if is_open else None)


@pytest.mark.parametrize("streams", [20, 100, 400])
def test_all_streams_together_are_read_so_many_times_a_second(streams: int) -> None:
    """Twice the streams wait twice as long."""
    assert streams / pace_of(streams).pause == pytest.approx(READS_A_SECOND)


def test_few_streams_never_wait_and_none_waits_long() -> None:
    """Below the shortest pause there is none; a thousand streams wait no longer than the longest."""
    assert pace_of(int(READS_A_SECOND * SHORTEST_PAUSE) - 1).pause == 0
    assert pace_of(5000).pause == LONGEST_PAUSE


def test_a_stream_counts_as_long_as_it_is_read() -> None:
    """A stream that failed is counted no longer."""
    pace = ReadPace()
    with pace.one_more():
        assert pace.streams == 1
        with pytest.raises(ZeroDivisionError), pace.one_more():
            _ = pace.streams / 0
    assert pace.streams == 0


async def test_nothing_is_read_while_a_stream_waits() -> None:
    """The connection is not read during the pause, and is read again also when the reader is stopped meanwhile."""
    calls: list[str] = []
    waiting = asyncio.create_task(pace_of(400).wait(connection(calls)))
    await asyncio.sleep(0)
    assert calls == ["pause"]
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert calls == ["pause", "resume"]


async def test_a_connection_that_ends_while_its_stream_waits_is_no_fault() -> None:
    """What is paused is resumed where the provider has closed the connection meanwhile, and the answer is read on."""
    calls: list[str] = []
    ended = connection(calls)
    waiting = asyncio.create_task(pace_of(400).wait(ended))
    await asyncio.sleep(0)
    ended.protocol = None
    await waiting
    assert calls == ["pause", "resume"]


@pytest.mark.parametrize(("streams", "is_open"), [(1, True), (400, False)])
async def test_few_streams_and_whole_answers_are_not_waited_for(streams: int, *, is_open: bool) -> None:
    """Without need, and without a connection, nothing is paused."""
    calls: list[str] = []
    await pace_of(streams).wait(connection(calls, is_open=is_open))
    assert calls == []
