"""Programs that a command starts for itself."""

import asyncio
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr

from parley.errors import ProcessFailedError
from parley.subprocesses import Child, as_variables
from runtime.settings import Settings


async def test_child_that_ends_at_its_start_is_reported_with_its_last_words(tmp_path: Path) -> None:
    """A program that does not come up is an error that quotes its log."""
    child = await Child.start("rehearsal", ["--port", "none"], log=tmp_path / "log", variables={})
    with pytest.raises(ProcessFailedError, match="invalid int value"):
        await child.ready(within=30)


async def test_a_worker_that_refuses_to_start_is_reported_with_its_reason_alone(tmp_path: Path) -> None:
    """The sentence of the log with the fault and the remedy, not the end of the log."""
    file = tmp_path / "providers.toml"
    file.write_text("[providers.lab]\nbase_url = 1\n", "utf-8")
    variables = {"PARLEY_HOME": str(tmp_path), "PARLEY_PROVIDERS_FILE": str(file)}
    child = await Child.start("worker", [], log=tmp_path / "log", variables=variables, watched=True)
    with pytest.raises(ProcessFailedError) as refused:
        await child.ready(within=60)
    assert str(refused.value).startswith(f"the worker cannot start: providers file '{file}': ")
    assert "Last lines" not in str(refused.value)


@pytest.mark.parametrize(
    "last", ["", "Traceback", "[1]", '{"event": "worker_stopped", "reason": "x"}', '{"event": "worker_cannot_start"}']
)
async def test_a_log_without_a_reason_is_quoted(tmp_path: Path, last: str) -> None:
    """Where the last line is another one, the end of the log is all that is known."""
    log = tmp_path / "log"
    log.write_text(f"before\n{last}\n", "utf-8")
    process = await asyncio.create_subprocess_exec(sys.executable, "--version", stdout=asyncio.subprocess.DEVNULL)
    await process.wait()
    child = Child("worker", process, log)
    with pytest.raises(ProcessFailedError, match="before"):
        await child.ready(within=60)


async def test_what_a_worker_waits_for_is_said_when_it_waits_too_long(tmp_path: Path) -> None:
    """A program that is not ready in time is reported with the reason of its last event."""
    log, process = tmp_path / "log", await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=-1)
    log.write_text('{"event": "upgrade_waited_for_store", "reason": "the ledger is locked."}\n', "utf-8")
    child = Child("worker", process, log)
    with pytest.raises(ProcessFailedError, match=r"^the worker was not ready within 0 s: the ledger is locked$"):
        await child.ready(within=0)
    await child.kill()


async def test_an_earlier_programs_reason_is_not_that_of_this_one(tmp_path: Path) -> None:
    """The log is appended to, and what an earlier program waited for says nothing of one that has not written yet."""
    log = tmp_path / "log"
    log.write_text('{"event": "worker_waits_for_temporal", "reason": "the connection was refused"}\n', "utf-8")
    child = await Child.start("rehearsal", ["--port", "0"], log=log, variables={})
    with pytest.raises(ProcessFailedError) as late:
        await child.ready(within=0)
    await child.kill()
    assert "the rehearsal was not ready within 0 s: still running" in str(late.value)
    assert "refused" not in str(late.value)


async def test_child_is_stopped(tmp_path: Path) -> None:
    """A program that is ready runs until it is asked to stop, and then is gone."""
    ready = tmp_path / "ready"
    child = await Child.start(
        "rehearsal", ["--port", "0", "--ready-file", str(ready)], log=tmp_path / "log", variables={}
    )
    await child.ready(lambda: asyncio.to_thread(ready.exists), within=30)
    await child.stop(patience=10)
    assert (await child.ended()).startswith("code 0")


def test_child_reads_the_settings_of_its_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was set in the parent, and the home wherever it came from, a child reads as the same settings."""
    told = Settings(home=tmp_path, server_port=1234, codec_token=SecretStr("0123456789abcdef"))
    for name, value in as_variables(told).items():
        monkeypatch.setenv(name, value)
    assert Settings() == told
