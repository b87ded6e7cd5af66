"""Replies are read in a process of their own, under a budget."""

import asyncio
import errno
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from activities import reader_process
from activities.brief_reading import LONGEST_BRIEF
from activities.reader_process import ReaderProcess
from activities.reply_readers import LONGEST_TEXT, UnreadableError, read
from bench.hostile_texts import NEEDS, SHAPES
from protocols.model_call import ReaderRef

BALLOT = ReaderRef(reader="council.ballot", needs={"labels": ["Response A", "Response B"], "nonce": None})
RANKING = "So it seems.\n" * (LONGEST_BRIEF // 10) + "FINAL RANKING:\n1. Response B\n2. Response A"
"""Too long to be read in the worker."""
RANKED: list[JsonValue] = ["Response B", "Response A"]
DEAREST = SHAPES["fences"](LONGEST_TEXT)
ASSESSMENT = ReaderRef(reader="fire_circle.assessment")


@pytest.fixture
async def readers() -> AsyncIterator[ReaderProcess]:
    """A process that reads."""
    process = ReaderProcess()
    yield process
    await process.aclose()


def ranking(reading: JsonValue) -> JsonValue:
    """The ranking of a ballot."""
    assert isinstance(reading, dict)
    return reading["ranking"]


def pid(readers: ReaderProcess) -> int:
    """The process's number."""
    assert readers._process is not None
    return readers._process.pid


async def test_a_reply_is_read_as_it_is_in_this_process(readers: ReaderProcess) -> None:
    """Text with any character, and needs, arrive whole, and so does the reading."""
    said = f"Ω 漢字 🜁 \u2028 \x85\n{RANKING}"
    assert read(said, BALLOT) == await readers.read(said, BALLOT)


async def test_one_process_reads_many_replies_at_once(readers: ReaderProcess) -> None:
    """Replies that are read at the same time get each its own reading."""
    texts = [f"{n} is the answer.\n" * LONGEST_BRIEF + "So it is." for n in range(20)]
    found = await asyncio.gather(*(readers.read(text, ReaderRef(reader="consensus.draft")) for text in texts))
    assert [{"text": text} for text in texts] == found


async def test_a_reader_that_breaks_is_unreadable(readers: ReaderProcess) -> None:
    """The fault of a reader is reported, and the process reads on."""
    with pytest.raises(UnreadableError, match=r"'vote\.answer' broke on the text"):
        await readers.read("x" * (LONGEST_BRIEF + 1), ReaderRef(reader="vote.answer"))
    before = pid(readers)
    assert RANKED == ranking(await readers.read(RANKING, BALLOT))
    assert before == pid(readers)


async def test_a_reading_beyond_its_budget_is_unreadable() -> None:
    """A reader that takes more processor time than it has is ended, and the next reply is read."""
    readers = ReaderProcess(seconds=0.01)
    with pytest.raises(UnreadableError, match=r"took more than 0\.01 s of processor time"):
        await readers.read(DEAREST, ASSESSMENT)
    assert RANKED == ranking(await readers.read(RANKING, BALLOT))
    await readers.aclose()


async def test_a_process_that_cannot_be_started_yet_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a free file or process for a moment makes no reply unreadable; one for good does."""
    start, refusals = asyncio.create_subprocess_exec, [OSError(errno.EMFILE, "Too many open files")] * 3

    async def refused_at_first(*command: str, **how: Any) -> asyncio.subprocess.Process:
        if refusals:
            raise refusals.pop()
        return await start(*command, **how)

    monkeypatch.setattr(reader_process, "_PAUSE", 0)
    monkeypatch.setattr(asyncio, "create_subprocess_exec", refused_at_first)
    readers = ReaderProcess()
    assert RANKED == ranking(await readers.read(RANKING, BALLOT))
    await readers.aclose()

    refusals += [OSError(errno.EMFILE, "Too many open files")] * reader_process._STARTS
    with pytest.raises(UnreadableError, match="no process could be started"):
        await readers.read(RANKING, BALLOT)


async def test_a_process_that_is_killed_is_replaced(readers: ReaderProcess) -> None:
    """Whether the process is killed between or during two readings, every reply is read."""
    await readers.read(RANKING, BALLOT)
    os.kill(pid(readers), signal.SIGKILL)
    assert RANKED == ranking(await readers.read(RANKING, BALLOT))


async def test_a_stop_of_the_group_does_not_end_the_reading(readers: ReaderProcess) -> None:
    """SIGINT and SIGTERM, which a group gets together, leave the process: the worker still has calls to finish."""
    await readers.read(RANKING, BALLOT)
    before = pid(readers)
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(before, number)
    assert RANKED == ranking(await readers.read(RANKING, BALLOT))
    assert before == pid(readers)


async def test_a_process_that_hangs_is_replaced(readers: ReaderProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that does not answer is ended; when the next does neither, the reply is unreadable."""
    await readers.read(RANKING, BALLOT)
    monkeypatch.setattr(reader_process, "_WALL_SECONDS", 0.05)
    os.kill(pid(readers), signal.SIGSTOP)
    with pytest.raises(UnreadableError, match="ended its process"):
        await readers.read(DEAREST, ASSESSMENT)


async def test_a_reading_that_is_cancelled_does_not_answer_the_next(readers: ReaderProcess) -> None:
    """The reply to a request that was given up is never taken for that to another."""
    await readers.read(RANKING, BALLOT)
    given_up = asyncio.create_task(readers.read(DEAREST, ASSESSMENT))
    await asyncio.sleep(0)
    given_up.cancel()
    assert RANKED == ranking(await readers.read(RANKING, BALLOT))


async def test_the_process_ends_with_its_worker(readers: ReaderProcess) -> None:
    """When its standard input ends, however that comes, the process ends."""
    await readers.read(RANKING, BALLOT)
    process = readers._process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()
    assert 0 == await process.wait()


async def test_no_key_is_where_replies_are_read(readers: ReaderProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process gets nothing of the worker's environment but where its code lies."""
    monkeypatch.setenv("LAB_API_KEY", "sk-canary-4f1f8c0d9b7e4a6c")
    await readers.read(RANKING, BALLOT)
    environment = await asyncio.to_thread(_environment_of, pid(readers))
    assert "PATH=" in environment
    assert "canary" not in environment


def _environment_of(process: int) -> str:
    try:
        return Path(f"/proc/{process}/environ").read_text("utf-8")
    except FileNotFoundError:
        pytest.skip("this system does not show a process's environment")


@pytest.mark.parametrize("reader", ["debate.turn", "debate.safety", "fire_circle.assessment"])
def test_a_text_that_is_longer_than_any_answer_is_not_interpreted(reader: str) -> None:
    """Beyond the limit nothing is looked for, and the reason names the limit."""
    with pytest.raises(UnreadableError, match=f"reads at most {LONGEST_TEXT:,} characters"):
        read("x" * (LONGEST_TEXT + 1), ReaderRef(reader=reader))


@pytest.mark.parametrize("reader", NEEDS)
def test_every_hostile_shape_is_read_or_unreadable(reader: str) -> None:
    """Whatever the shape, a reader returns or calls the text unreadable; nothing else leaves it."""
    read_as = ReaderRef.model_validate({"reader": reader, "needs": NEEDS[reader]})
    for text_of in SHAPES.values():
        try:
            read(text_of(2_000), read_as)
        except UnreadableError as error:
            assert reader in str(error)  # noqa: PT017 - either is right
