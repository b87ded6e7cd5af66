"""A server that several processes use: left to the others, taken over, stopped by the last one."""

import asyncio
import os
import shutil
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest

from runtime import server_process
from runtime.connect import answers
from runtime.errors import ServerLockedError
from runtime.file_locks import FileLock
from runtime.local_server import owned_server
from runtime.processes import is_working
from runtime.server_address import resolve_server
from runtime.server_lock import ServerFiles
from tests.fakes.server import embedded_server, end_left_servers, settings_in, target_of


async def until(is_so: Callable[[], bool]) -> None:
    """Wait for what another task does."""
    async with asyncio.timeout(40):
        while not is_so():  # noqa: ASYNC110 - a lock sets no event
            await asyncio.sleep(0.05)


async def test_the_last_one_stops_the_server(tmp_path: Path) -> None:
    """An owner that leaves first leaves the server running; who is left becomes its owner and stops it at the end."""
    settings = settings_in(tmp_path)
    said: list[str] = []
    async with AsyncExitStack() as left:
        async with resolve_server(settings, target_of(settings), []) as first:
            note = owned_server(settings)
            second = await left.enter_async_context(resolve_server(settings, target_of(settings), [], said.append))
        assert (first.embedded, second.embedded) == (True, False)
        await until(lambda: owned_server(settings) is not None)
        assert await answers(target_of(settings))
        assert note == owned_server(settings)

    assert said == []
    assert not await answers(target_of(settings))
    assert ServerFiles(settings.home).server_lock.is_free()


@pytest.mark.long
async def test_a_server_that_died_with_its_owner_is_started_again(tmp_path: Path) -> None:
    """When owner and server are gone, who supports starts a server on the same file and ports and says so once."""
    settings = settings_in(tmp_path)
    said: list[str] = []
    async with AsyncExitStack() as left, AsyncExitStack() as owner:
        first = await owner.enter_async_context(embedded_server(settings))
        await left.enter_async_context(resolve_server(settings, target_of(settings), [], said.append))
        # The owner dies: its lock is free, and nothing it kept is kept any more.
        os.kill(first.pid, signal.SIGKILL)
        await until(ServerFiles(settings.home).server_lock.is_free)
        await owner.aclose()
        await until(lambda: bool(said))
        assert await answers(target_of(settings), within=30, patiently=True)

    assert len(said) == 1
    assert "starting the server again here" in said[0]


async def test_a_server_that_is_being_stopped_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that comes while the last one stops the server waits, and says so when that takes too long."""
    monkeypatch.setattr("runtime.local_server._STOP_SECONDS", 0.2)
    settings = settings_in(tmp_path)
    stopping = ServerFiles(settings.home).users_lock
    assert stopping.take()
    with pytest.raises(ServerLockedError, match="has been stopping the server"):
        async with resolve_server(settings, target_of(settings), []):
            pass
    stopping.let_go()
    async with resolve_server(settings, target_of(settings), []) as found:
        assert found.embedded


async def test_a_start_waits_for_the_server_that_was_asked_to_end(tmp_path: Path) -> None:
    """A process need not wait for its server's end; the next start does, and then has a new one on the same file."""
    settings = settings_in(tmp_path)
    async with resolve_server(settings, target_of(settings), [], outwaited=False):
        first = owned_server(settings)
    async with resolve_server(settings, target_of(settings), []) as found:
        second = owned_server(settings)
        assert (True, settings.server_port) == (found.embedded, int(found.address.rpartition(":")[2]))

    assert first is not None
    assert second is not None
    assert first.pid != second.pid
    assert not is_working(first.pid)


async def test_no_server_of_a_test_outlives_the_tests(tmp_path: Path) -> None:
    """A server whose end no process has waited for is waited for after the last test."""
    settings = settings_in(tmp_path)
    async with resolve_server(settings, target_of(settings), [], outwaited=False):
        left = owned_server(settings)
    end_left_servers()

    assert left is not None
    assert not is_working(left.pid)
    assert {True} == {child.returncode is not None for child in server_process._left_running}


async def test_a_server_that_does_not_end_when_asked_is_ended_by_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that was asked to end and does not is killed; what it kept continues in a new one."""
    monkeypatch.setattr("runtime.server_process._STOP_SECONDS", 0.2)
    settings = settings_in(tmp_path)
    files = ServerFiles(settings.home)
    with monkeypatch.context() as deaf:
        deaf.setattr("runtime.server_process.ServerProcess._signal", lambda *_: None)
        async with resolve_server(settings, target_of(settings), [], outwaited=False):
            first = owned_server(settings)
    assert not files.server_lock.is_free()
    async with resolve_server(settings, target_of(settings), []):
        second = owned_server(settings)

    assert first is not None
    assert second is not None
    assert first.pid != second.pid


async def test_a_server_that_is_stopped_by_a_signal_is_ended_before_its_process_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is asked of a server that cannot act: it is ended, whether its end is waited for or not."""
    monkeypatch.setattr("runtime.server_process._STOP_SECONDS", 0.2)
    settings = settings_in(tmp_path)
    async with resolve_server(settings, target_of(settings), [], outwaited=False):
        running = owned_server(settings)
        assert running is not None
        os.kill(running.pid, signal.SIGSTOP)
        await until(lambda: not is_working(running.pid))

    assert ServerFiles(settings.home).server_lock.is_free()


def test_shares_in_a_lock(tmp_path: Path) -> None:
    """Any number may share a lock; only one that is alone can have the whole of it."""
    one, other = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert one.share()
    assert other.share()
    assert not FileLock(tmp_path / "lock").take()
    assert not one.become_only_holder()
    one.let_go()
    assert other.become_only_holder()
    assert not one.share()
    other.let_go()
    assert not other.become_only_holder()


def test_a_full_disk_is_said_with_its_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that ends on a full disk can write no log of it: the directory and two ways out are named."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=4096))

    assert (
        f"The disk with {tmp_path} is full; free some space, or set PARLEY_HOME to another directory."
        == ServerFiles(tmp_path).last_words()
    )
