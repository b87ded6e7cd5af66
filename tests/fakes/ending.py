"""Programs that end with the process that started them, also where that one is killed and can end nothing."""

import fcntl
import functools
import multiprocessing
import os
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

SETPRIV = shutil.which("setpriv")
"""Where it is absent, a run of the tests that is killed leaves its servers behind."""
_SIGNAL_OF = 10
"""The request F_SETSIG of Linux."""


def with_parent(command: Sequence[str]) -> list[str]:
    """``command``, killed when the thread that starts it is gone."""
    return [*([SETPRIV, "--pdeathsig", "KILL", "--"] if SETPRIV else []), *command]


@functools.cache
def program_with_parent(program: Path) -> Path:
    """A path in place of a command: it runs ``program`` as ``with_parent`` does."""
    if SETPRIV is None:
        return program
    script = Path(_directory().name, program.name)
    script.write_text(f'#!/bin/sh\nexec {shlex.join(with_parent([str(program)]))} "$@"\n', "utf-8")
    script.chmod(0o700)
    return script


def end_with_parent() -> None:
    """Have this process, which ``multiprocessing`` started, asked to end when that parent is gone."""
    parent = multiprocessing.parent_process()
    if parent is None or sys.platform != "linux":
        return
    end = int(parent.sentinel)  # a pipe that closes with the parent
    fcntl.fcntl(end, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(end, _SIGNAL_OF, signal.SIGTERM)
    fcntl.fcntl(end, fcntl.F_SETFL, fcntl.fcntl(end, fcntl.F_GETFL) | os.O_ASYNC)


@functools.cache
def _directory() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="parley-tests-")
