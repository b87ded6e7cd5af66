"""Programs that a command starts for itself."""

import asyncio
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
