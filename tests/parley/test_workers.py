"""A worker that is kept alive."""

import asyncio
import json
from pathlib import Path
from typing import NoReturn

import pytest

from parley import workers
from parley.errors import ProcessFailedError
from parley.subprocesses import Child
from parley.workers import WorkerKeeper, kept_workers
from runtime.file_locks import worker_file
from tests.fakes.programs import run_program
from tests.fakes.server import RunningServer, settings_in


class Unlucky(WorkerKeeper):
    """A keeper whose first starts fail, as on a machine that has no space."""

    failures: list[Exception]
    starts = 0

    async def start(self) -> None:
        """Fail as often as there are failures."""
        self.starts += 1
        if self.failures:
            raise self.failures.pop(0)


class Delayed(WorkerKeeper):
    """A keeper whose programs run and are never ready."""

    launched = 0

    async def launch(self) -> Child:
        """Start a program that waits, in place of a worker."""
        self.launched += 1
        process = await asyncio.create_subprocess_exec("sleep", "60")
        self._child = Child("worker", process, worker_file(self._settings.home, 1, "log"))
        return self._child


async def test_a_start_that_fails_is_said_and_tried_again(tmp_path: Path) -> None:
    """Neither a program that does not start nor an error of the system ends the supervision; each is reported."""
    said: list[str] = []
    keeper = Unlucky(settings_in(tmp_path), {}, said.append)
    keeper.failures = [OSError(28, "No space left on device"), ProcessFailedError("the worker ended at its start")]
    await keeper.start_patiently(pause=0.01)

    assert keeper.starts == 3
    assert ["No space left on device", "ended at its start"] == [
        next(words for words in ("No space left on device", "ended at its start") if words in line) for line in said
    ]
    assert all("The next start is tried in" in line for line in said)


async def test_a_start_that_is_late_reports_what_it_waits_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the log of the worker names as its reason is reported once, before the start fails for it."""
    monkeypatch.setattr(workers, "_READY_SECONDS", 0.6)
    settings, said = settings_in(tmp_path), list[str]()
    worker_file(settings.home, 1, "log").write_text('{"event": "upgrade_waited_for_store", "reason": "no ledger"}\n')
    keeper = Delayed(settings, {}, said.append)
    with pytest.raises(ProcessFailedError, match="the worker was not ready within 1 s: no ledger"):
        await keeper.start()

    assert said == ["the worker is not ready yet: no ledger"]
    assert keeper.launched == 1
    with pytest.raises(ProcessFailedError):
        await keeper.start()
    assert keeper.launched == 2


async def test_a_keeper_without_a_worker_stops_nothing(tmp_path: Path) -> None:
    """Stopping before the first start is no error."""
    await WorkerKeeper(settings_in(tmp_path), {}, lambda _: None).stop()


async def test_every_worker_has_files_of_its_own(tmp_path: Path) -> None:
    """The second worker of a home shares neither log nor pid file with the first."""
    names = [worker_file(tmp_path, number, kind).name for number in (1, 2) for kind in ("log", "pid")]
    assert names == ["worker.log", "worker.pid", "worker-2.log", "worker-2.pid"]


async def test_several_workers_start_in_turn_and_all_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker is started when the one before is ready, and every one is asked to end with the block."""
    done: list[tuple[str, str]] = []

    class Recorded(WorkerKeeper):
        async def start(self) -> None:
            """Record the start."""
            done.append(("start", self._name))

        async def keep(self) -> NoReturn:
            """Lose nothing."""
            await asyncio.Event().wait()
            raise AssertionError

        async def stop(self) -> None:
            """Record the end."""
            done.append(("stop", self._name))

    monkeypatch.setattr(workers, "WorkerKeeper", Recorded)
    async with kept_workers(settings_in(tmp_path), {}, lambda _: None, 2):
        assert done == [("start", "the worker"), ("start", "worker 2")]
    assert sorted(done[2:]) == [("stop", "the worker"), ("stop", "worker 2")]


async def test_a_missing_namespace_is_reported_in_one_line(server: RunningServer, tmp_path: Path) -> None:
    """What the server refuses at the start ends a worker with one line for the operator, not with a traceback."""
    told = {"PARLEY_HOME": str(tmp_path), "TEMPORAL_ADDRESS": server.address, "TEMPORAL_NAMESPACE": "nowhere"}
    done = await asyncio.to_thread(run_program, ["worker"], told)
    last = json.loads(done.stderr.splitlines()[-1])

    assert (1, "worker_cannot_start") == (done.returncode, last["event"])
    assert last["reason"].startswith("the server has no namespace nowhere. Name another with TEMPORAL_NAMESPACE")
