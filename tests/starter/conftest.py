"""What the tests of the person's side share: a clean environment, one real server, and scripted staff."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.worker import Worker

from starter.client import Parley
from starter.starting import TASK_QUEUE
from tests.fakes.books import FakeBooks
from tests.fakes.models import ScriptedModels
from tests.fakes.sandbox import prepared_once
from tests.fakes.server import RunningServer, real_server
from worker import WORKFLOWS
from workflows import columns

_THROTTLE = timedelta(seconds=0.2)


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting and no key of the machine reaches a test, nothing a test sets stays, and no provider is asked."""
    for name in [name for name in os.environ if name.startswith(("PARLEY_", "TEMPORAL_")) or name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PARLEY_CHECK_MODELS", "false")
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningServer]:
    """One real server for all tests of this folder that need one."""
    async with real_server(tmp_path_factory.mktemp("server"), columns.ALL) as running:
        yield running


@pytest.fixture
async def parley(server: RunningServer) -> Parley:
    """A connection to the real server."""
    return await Parley.connect(server.settings, address=server.address)


@asynccontextmanager
async def staff(client: Client, models: ScriptedModels) -> AsyncIterator[None]:
    """A worker as in the composition root, but with scripted activities."""
    ledger = FakeBooks()
    schedules = Worker(
        client,
        task_queue=TASK_QUEUE,
        workflows=WORKFLOWS,
        activities=[ledger.record_deliberation, ledger.record_chapter, ledger.recall_turns],
        workflow_runner=prepared_once(),
    )
    calls = Worker(
        client,
        task_queue="models",
        activities=[models.call_model],
        max_heartbeat_throttle_interval=_THROTTLE,
        default_heartbeat_throttle_interval=_THROTTLE,
    )
    async with schedules, calls:
        yield
