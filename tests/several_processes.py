"""Tests in several processes that are collected once: ``pytest --processes 4``.

Collecting takes six seconds of processor, in every process that does it. Here one process collects and is then forked.
Its copies take one file of tests after the other until none is left, and send their reports.
"""

import itertools
import os
import warnings
from collections.abc import Iterator
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from typing import Any

import pytest

_FORK = get_context("fork")
_BYTES_OF_A_PLACE = 4
_PATIENCE_SECONDS = 20.0

_Files = list[list[pytest.Item]]


class SeveralProcesses:
    """The plugin of the process that collects: it starts the others and passes their reports on."""

    def __init__(self, count: int) -> None:
        """Have ``count`` processes run the tests."""
        self._count = count
        self._reported: set[str] = set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run the tests in other processes; leave it to pytest where none is to be run."""
        if session.testsfailed or session.config.option.collectonly:
            return None
        files = [list(items) for _, items in itertools.groupby(session.items, key=lambda item: item.path)]
        queue = _queue(len(files))
        _temporary_folders(session.config).getbasetemp()  # every process makes its own in it
        runs = [_Run(session, files, queue) for _ in range(min(self._count, len(files)))]
        try:
            self._follow(session, {run.reports: run for run in runs}, queue)
        finally:
            _empty(queue)
            for run in runs:
                run.end()
            os.close(queue)
        self._check(session)
        return True

    def _follow(self, session: pytest.Session, runs: dict[Connection, "_Run"], queue: int) -> None:
        while runs:
            for ready in connection.wait(list(runs)):
                assert isinstance(ready, Connection)
                report = runs[ready].next_report(session)
                if report is None:
                    del runs[ready]
                    continue
                self._reported.add(report.nodeid)
                session.config.hook.pytest_runtest_logreport(report=report)
                if session.shouldfail or session.shouldstop:
                    _empty(queue)

    def _check(self, session: pytest.Session) -> None:
        missing = {item.nodeid for item in session.items} - self._reported
        if missing and not (session.shouldfail or session.shouldstop):
            session.shouldfail = f"{len(missing)} tests did not run: their process ended before them"
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)


class _Run:
    """A process that runs tests, for the process that collected."""

    def __init__(self, session: pytest.Session, files: _Files, queue: int) -> None:
        self.reports, sender = _FORK.Pipe(duplex=False)
        self._running = _FORK.RawArray("i", 1)
        self._has_ended = False
        self.process: ForkProcess = _FORK.Process(target=self._work, args=(session, files, queue, sender))
        with warnings.catch_warnings():
            # From 3.12 on Python warns of any thread; those of NumPy and Arrow are made anew in the copy.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process.start()
        sender.close()

    def next_report(self, session: pytest.Session) -> pytest.TestReport | None:
        """Return its next report, None at its end; a test in which it was killed has failed."""
        if self._has_ended:
            return None
        try:
            data = self.reports.recv()
        except EOFError:
            self._has_ended = True
            return self._failure(session)
        if data is None:
            self._has_ended = True
            return None
        report: pytest.TestReport = session.config.hook.pytest_report_from_serializable(
            config=session.config, data=data
        )
        return report

    def end(self) -> None:
        """Wait for the process; one whose test continues after an interrupt is ended."""
        self.process.join(None if self._has_ended else _PATIENCE_SECONDS)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join()

    def _failure(self, session: pytest.Session) -> pytest.TestReport:
        self.process.join()
        item = session.items[self._running[0]]
        return pytest.TestReport(
            nodeid=item.nodeid,
            location=item.location,
            keywords={},
            outcome="failed",
            longrepr=f"the process ended in this test or after it, with exit code {self.process.exitcode}",
            when="call",
        )

    def _work(self, session: pytest.Session, files: _Files, queue: int, sender: Connection) -> None:
        """Run the tests of one file after the other, and end as pytest ends."""
        config = session.config
        _settle(config)
        config.pluginmanager.register(_Sender(config, sender))
        places = {item: place for place, item in enumerate(session.items)}
        try:
            for item, following in itertools.pairwise(itertools.chain(_tests(files, queue), [None])):
                assert item is not None
                self._running[0] = places[item]
                config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.shouldfail or session.shouldstop:
                    break
        finally:
            config.hook.pytest_sessionfinish(session=session, exitstatus=int(session.testsfailed > 0))
            config._ensure_unconfigure()
        sender.send(None)


class _Sender:
    """The plugin of a process that runs tests: it sends reports to the process that collected."""

    def __init__(self, config: pytest.Config, sender: Connection) -> None:
        self._config = config
        self._sender = sender
        self._has_durations = config.option.durations is not None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Send a report, but not that setup or teardown went well."""
        if report.when == "call" or not report.passed or self._has_durations:
            self._sender.send(self._config.hook.pytest_report_to_serializable(config=self._config, report=report))


def _settle(config: pytest.Config) -> None:
    """Give a forked process its own capture and temporary folder, and leave screen and cache to the first process."""
    config.workerinput = {}  # type: ignore[attr-defined]  # pytest's own plugins know by it that others run tests too
    config.pluginmanager.unregister(name="terminalreporter")
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # some tests print past the capture
    capture.start_global_capturing()
    capture.suspend_global_capture()
    folders = _temporary_folders(config)
    folders._basetemp = folders.mktemp("process")


def _temporary_folders(config: pytest.Config) -> pytest.TempPathFactory:
    factory: pytest.TempPathFactory = config._tmp_path_factory  # type: ignore[attr-defined]  # pytest sets it later
    return factory


def _queue(count: int) -> int:
    """Return a pipe from which every process reads the place of its next file."""
    queue, end = os.pipe()
    os.write(end, b"".join(place.to_bytes(_BYTES_OF_A_PLACE, "big") for place in range(count)))
    os.close(end)
    return queue


def _tests(files: _Files, queue: int) -> Iterator[pytest.Item]:
    while place := os.read(queue, _BYTES_OF_A_PLACE):
        yield from files[int.from_bytes(place, "big")]


def _empty(queue: int) -> None:
    while os.read(queue, 1 << 16):
        pass
