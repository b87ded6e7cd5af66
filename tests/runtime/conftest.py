"""Fixtures of these tests: a clean environment and one real server."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from runtime.settings import Settings
from tests.fakes.server import RunningServer, real_server, settings_in


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of the machine reaches a test, and nothing a test sets stays."""
    for name in [name for name in os.environ if name.startswith(("PARLEY_", "TEMPORAL_"))]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """An installation of its own."""
    return settings_in(tmp_path / "parley")


@pytest.fixture(scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningServer]:
    """One real server for all tests of this folder that need one."""
    async with real_server(tmp_path_factory.mktemp("server")) as running:
        yield running
