"""Identification of a process by its id and start time.

The system gives an id of a dead process to a new one, so an id alone proves nothing. Where ``/proc`` exists (Linux),
the time at which the process started goes with the id; elsewhere the id has to do.
"""

import os
import platform
import re
from pathlib import Path
from typing import NamedTuple

_STATE, _STARTED = 0, 19
"""Positions among the fields of ``/proc/<pid>/stat`` that follow the program's name."""

_NOT_WORKING = {"Z", "X", "T"}
"""A zombie, a dead process, and one that a signal has stopped; one that a debugger holds is ``t``."""

_IDENTITY = re.compile(r"parley-(?P<pid>\d+)(?:\.(?P<started>\d+))?@(?P<machine>.+)")


class ProcessName(NamedTuple):
    """A process of some machine, as its Temporal identity names it."""

    pid: int
    started: str
    """Clock ticks between the machine's start and the process's; empty where that is not known."""
    machine: str

    @property
    def is_here(self) -> bool:
        """Return whether it is a process of this machine."""
        return self.machine == platform.node()

    def __str__(self) -> str:
        return (
            f"parley-{self.pid}.{self.started}@{self.machine}" if self.started else f"parley-{self.pid}@{self.machine}"
        )


def own_name() -> ProcessName:
    """Return the name of this process."""
    return ProcessName(os.getpid(), _field(os.getpid(), _STARTED), platform.node())


def parse_name(identity: str) -> ProcessName | None:
    """Return the process that a Temporal identity names, or ``None`` when it was not made by ``own_name``."""
    found = _IDENTITY.fullmatch(identity)
    return ProcessName(int(found["pid"]), found["started"] or "", found["machine"]) if found else None


def is_working(pid: int, started: str = "") -> bool:
    """Return whether process ``pid`` of this machine runs, is not stopped, and started at ``started`` when given."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    if _field(pid, _STATE) in _NOT_WORKING:
        return False
    return not started or _field(pid, _STARTED) in {started, ""}


def is_traced(pid: int) -> bool:
    """Return whether a debugger is attached to process ``pid`` (Linux; elsewhere it is not known)."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8")
    except OSError:
        return False
    return re.search(r"^TracerPid:\s+[1-9]", status, re.MULTILINE) is not None


def _field(pid: int, position: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace")
    except OSError:
        return ""
    # The program's name is in brackets and may contain blanks and brackets of its own.
    return stat.rpartition(")")[2].split()[position]
