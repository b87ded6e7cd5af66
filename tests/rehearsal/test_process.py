"""The server as a process of its own: starting, refusing to start, and leaving."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from rehearsal.__main__ import is_loopback, main
from tests.rehearsal.listening import ask, send


async def started(*args: str | Path, parent: str | None = None) -> asyncio.subprocess.Process:
    """``python -m rehearsal`` with ``args``, with the notice that ``parent`` started it for its own use."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "rehearsal",
        *args,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PARLEY_PARENT_PID": parent} if parent else None,
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_process_serves_until_a_signal_ends_it(tmp_path: Path, number: signal.Signals) -> None:
    """It writes its address once it listens, and leaves with 0 on a signal even while a call hangs."""
    ready = tmp_path / "ready"
    process = await started("--port", "0", "--seed", "9", "--ready-file", ready)
    while not ready.exists():
        assert process.returncode is None
        await asyncio.sleep(0.02)
    url = ready.read_text().strip()
    health = await send(url, "GET", "/rehearsal/health")
    await ask(url, "rehearsal/hang", patience=0.05)
    process.send_signal(number)
    out, err = await process.communicate()

    assert health.json["seed"] == 9
    assert (process.returncode, err) == (0, b"")
    assert b"rehearsal_started" in out


async def test_process_ends_with_the_process_it_was_started_for() -> None:
    """When its parent is another than the one it was given, it is an orphan and leaves by itself."""
    process = await started("--port", "0", parent="1")
    out, _ = await process.communicate()

    assert (process.returncode, b"rehearsal_orphaned" in out) == (0, True)


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (["--host", "0.0.0.0"], "--allow-remote"),  # noqa: S104 - it is refused
        (["--host", "models.example"], "--allow-remote"),
        (["--script", "/no/such/script.toml"], "/no/such/script.toml"),
        (["--recordings", __file__], f"--recordings {__file__} is no folder"),
        (["--port", "eighty"], "eighty"),
        (["--port", "70000"], "--port 70000 cannot be used; write 0 to 65535"),
        (["--port", "-1"], "--port -1 cannot be used"),
        (["--latency-ms", "-5"], "--latency-ms -5 cannot be used; write 0 to 86400000"),
        (["--latency-ms", "nan"], "--latency-ms nan cannot be used"),
        (["--latency-ms", "inf"], "--latency-ms inf cannot be used"),
    ],
)
def test_wrong_arguments_end_with_two(capsys: pytest.CaptureFixture[str], args: list[str], reason: str) -> None:
    """What cannot be used is refused before anything listens, with the reason and exit code 2."""
    with pytest.raises(SystemExit) as left:
        main(args)

    assert left.value.code == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104 - it is no loopback address
        ("2130706433", False),
    ],
)
def test_only_plain_loopback_addresses_count_as_loopback(host: str, expected: bool) -> None:
    """An address in an unusual spelling is not taken for loopback."""
    assert is_loopback(host) is expected
