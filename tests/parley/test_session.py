"""A server and a worker for as long as they are needed."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from temporalio.client import WorkflowExecutionStatus
from temporalio.service import RetryConfig

from parley.client import Parley
from parley.errors import ProcessFailedError, RequestError, TemporalAwayError
from parley.rehearsal_process import is_rehearsal_server, rehearsal_server
from parley.session import (
    Session,
    is_worker_wanted,
    open_session,
    refuse_without_rehearsal,
)
from parley.workers import pollers
from protocols.task_queues import TASK_QUEUE
from runtime.server_address import Address
from runtime.server_lock import ServerFiles, read_info
from runtime.target import Target
from tests.fakes.councils import agreeable
from tests.fakes.models import ScriptedModels
from tests.fakes.server import free_port, real_server, settings_in
from tests.fakes.staff import staff

ELSEWHERE = Target(address="temporal.example:7233", namespace="default", configured=True)
HERE = replace(ELSEWHERE, address="127.0.0.1:7233")


@asynccontextmanager
async def server_without_workers(home: Path) -> AsyncIterator[Parley]:
    """A connection to a server on which no one has ever worked."""
    async with real_server(home) as server:
        yield await Parley.connect(server.settings, address=server.address)


@pytest.fixture(scope="module")
async def idle(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Parley]:
    """A server for all tests that start no worker."""
    async with server_without_workers(tmp_path_factory.mktemp("idle")) as parley:
        yield parley


@pytest.fixture
async def quiet(tmp_path: Path) -> AsyncIterator[Parley]:
    """A server for one test that starts a worker, of which the server knows for a while."""
    async with server_without_workers(tmp_path / "quiet") as parley:
        yield parley


async def test_nothing_is_started_for_a_server_elsewhere(idle: Parley) -> None:
    """When no worker polls another machine's server the user is informed, and no worker is started here."""
    said: list[str] = []
    assert not await is_worker_wanted(idle, ELSEWHERE, "needed", said.append)
    assert "no worker polls the queue 'parley' at temporal.example:7233" in said[0]


async def test_worker_is_wanted_here_until_one_polls(quiet: Parley) -> None:
    """On this machine's server a worker is wanted as long as there is none; ``own`` is always wanted."""
    said: list[str] = []
    assert await is_worker_wanted(quiet, HERE, "needed", said.append)
    async with staff(quiet.client, ScriptedModels(agreeable)):
        while await is_worker_wanted(quiet, HERE, "needed", said.append):
            pass
        assert await is_worker_wanted(quiet, HERE, "own", said.append)
    assert said == []


async def test_a_worker_without_scripted_models_holds_no_rehearsal(quiet: Parley) -> None:
    """Where a worker runs and no rehearsal server, a rehearsal is refused with the remedy; else it is not."""
    await refuse_without_rehearsal(quiet, quiet.settings)
    async with staff(quiet.client, ScriptedModels(agreeable)):
        while not await pollers(quiet.client, TASK_QUEUE):
            pass
        with pytest.raises(RequestError, match="parley up --rehearse"):
            await refuse_without_rehearsal(quiet, quiet.settings)


async def test_session_outlives_its_server(tmp_path: Path) -> None:
    """A server of ours that is killed is started again: the user is informed, and the same connection continues."""
    settings, said = settings_in(tmp_path / "own"), list[str]()
    async with open_session(settings, said.append, worker="none") as session:
        note = read_info(ServerFiles(settings.home).note)
        assert note is not None
        os.kill(note.pid, signal.SIGKILL)
        async with asyncio.timeout(40):
            while not any("answers again" in line for line in said):  # noqa: ASYNC110 - another process sets no event
                await asyncio.sleep(0.05)

        assert 0 == (await session.parley.client.count_workflows()).count

    assert ["starting it again", "running deliberations continue"] == [line.split("; ")[1] for line in said[-2:]]


async def test_port_that_nobody_listens_on_is_no_rehearsal_server() -> None:
    """Only an answer on the health page is a rehearsal server."""
    assert not await is_rehearsal_server(f"http://127.0.0.1:{free_port()}")


@pytest.mark.parametrize(
    ("page", "is_one"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", True),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", False),
        (b"220 mail.example ready\r\n", False),
        (b"", False),
    ],
    ids=["a rehearsal server", "another web server", "no web server", "a closed connection"],
)
async def test_what_answers_otherwise_is_no_rehearsal_server(page: bytes, *, is_one: bool) -> None:
    """Whatever listens on its port, a command learns whether it is one, and does not fail."""
    asked = list[bytes]()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        writer.write(page)
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        assert await is_rehearsal_server(f"http://127.0.0.1:{port}/lab") is is_one
    assert [b"GET /lab/rehearsal/health HTTP/1.1\r\n"] == asked


async def test_a_rehearsal_server_on_a_taken_port_ends_what_waits_for_it(tmp_path: Path) -> None:
    """Its start runs beside the block, so the block is cancelled and the failure that names the port is raised."""
    settings = settings_in(tmp_path)
    with socket.socket() as other:
        other.bind(("127.0.0.1", settings.rehearsal_port))
        with pytest.raises(ProcessFailedError, match=f"port {settings.rehearsal_port} .*set PARLEY_REHEARSAL_PORT"):
            async with rehearsal_server(settings) as is_ready:
                await is_ready.wait()


@pytest.mark.parametrize(
    ("embedded", "directions"),
    [(False, "http://ui/namespaces/default/workflows/a%2Fb"), (True, "(while it runs: parley up)")],
)
async def test_directions_state_when_the_web_ui_ends_with_the_command(
    idle: Parley, embedded: bool, directions: str
) -> None:
    """The link leads to the deliberation; when the server is this process's own, it states how to have one."""
    session = Session(idle, Address(address="127.0.0.1:7233", embedded=embedded, ui_url="http://ui"))
    assert str(session.directions("a/b")).endswith(directions)


@pytest.mark.long
async def test_a_request_in_a_moment_without_a_server_is_carried_out(tmp_path: Path) -> None:
    """Between a server's end and its new start a council is started and cancelled as ever, only later."""
    async with open_session(settings_in(tmp_path / "own"), lambda _: None, worker="none") as session:
        parley = session.parley
        note = read_info(ServerFiles(parley.settings.home).note)
        assert note is not None
        os.kill(note.pid, signal.SIGKILL)
        begun = await parley.start_council("Why?", models=["a", "b"], chair="a", rehearse=True, id="why")
        os.kill((read_info(ServerFiles(parley.settings.home).note) or note).pid, signal.SIGKILL)
        await parley.cancel(begun.id)

        assert (await begun.handle.describe()).status is WorkflowExecutionStatus.RUNNING


async def test_a_server_that_stays_away_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the wait has ended, what is raised says that the server did not answer, and what to do."""
    monkeypatch.setattr("runtime.connect._RETRIES", RetryConfig(max_elapsed_time_millis=300, max_retries=2))
    async with real_server(tmp_path / "short") as server:
        parley = await Parley.connect(server.settings, address=server.address)
    with pytest.raises(TemporalAwayError, match="See that the server runs"):
        await parley.start_council("Why?", models=["a", "b"], chair="a", rehearse=True)
    with pytest.raises(TemporalAwayError, match="See that the server runs"):
        await parley.cancel("why")
