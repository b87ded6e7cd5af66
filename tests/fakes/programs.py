"""The project's programs as processes that need not import it anew: an import costs more than what most of them do.

Each is forked from a process that has imported everything and has neither threads nor an event loop. It is a process of
its own, with its own process id, to be stopped and killed. Other tests start ``python -m`` and the installed commands.
"""

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing import connection
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.fakes.ending import end_with_parent

ROOT = Path(__file__).parents[2]
PARLEY = "starter.cli"
"""The command line's module."""
_IMPORTED = ("worker", "rehearsal.api.server", "starter.handlers.ask")
_LOCK = threading.Lock()
"""``multiprocessing`` asks for the end of every process whenever it starts one; two threads would read one answer."""


class Program:
    """A program that was started: what ``subprocess.Popen`` has of the same names."""

    def __init__(self, process: BaseProcess, arguments: Sequence[str]) -> None:
        self._process = process
        self._arguments = list(arguments)

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        """Its exit code, negative for a signal; ``None`` while it runs."""
        with _LOCK:
            return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended; its exit code."""
        connection.wait([self._process.sentinel], timeout)
        if (code := self.poll()) is None:
            raise subprocess.TimeoutExpired(self._arguments, timeout or 0.0)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """``kill -9``."""
        self.send_signal(signal.SIGKILL)


def start_program(
    arguments: Sequence[str], env: Mapping[str, str], out: Path, errors: Path | None = None, cwd: Path = ROOT
) -> Program:
    """Start a module with its arguments; what it prints is appended to ``out``, or what it reports to ``errors``."""
    for path in (out, errors or out):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    process = _context().Process(target=_run, args=(list(arguments), dict(env), out, errors or out, cwd), daemon=True)
    with _LOCK:
        process.start()
    return Program(process, arguments)


def run_program(
    arguments: Sequence[str], env: Mapping[str, str], cwd: Path = ROOT, timeout: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a module with its arguments to its end, and return its exit code and what it printed."""
    with tempfile.TemporaryDirectory() as directory:
        out, errors = Path(directory, "out"), Path(directory, "errors")
        program = start_program(arguments, env, out, errors, cwd)
        try:
            code = program.wait(timeout)
        finally:
            program.kill()
        return subprocess.CompletedProcess(list(arguments), code, out.read_text("utf-8"), errors.read_text("utf-8"))


@cache
def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_IMPORTED))
    return context


def _run(arguments: list[str], env: dict[str, str], out: Path, errors: Path, cwd: Path) -> None:
    """Become the program, as ``python -m`` does."""
    end_with_parent()
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    for number, path in enumerate((Path(os.devnull), out, errors)):
        opened = os.open(path, os.O_RDWR | os.O_APPEND)
        os.dup2(opened, number)
        if opened != number:
            os.close(opened)
    sys.argv = arguments
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
