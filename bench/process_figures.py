"""Processor time and memory of other processes of this machine, as Linux counts them."""

import os
import time
from pathlib import Path

_CPU_CLOCK_OF_PROCESS = 2
"""The lowest bits of a clock's id: the processor time of a process, which the other bits name inverted."""
_NUMBERS = 50_000


def processor_seconds(pid: int) -> float:
    """Return the processor seconds of a process and its children; of this process without its children.

    ``/proc/<pid>/stat`` counts in hundredths of a second, which is a whole council of a fast peer.
    """
    if pid == os.getpid():
        return time.process_time()
    return sum(time.clock_gettime((~one << 3) | _CPU_CLOCK_OF_PROCESS) for one in _with_children(pid))


def memory(pid: int) -> tuple[float, float]:
    """Return a process's peak and present memory in megabytes."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    fields = {name: value for name, _, value in (line.partition(":") for line in lines)}
    return _megabytes(fields["VmHWM"]), _megabytes(fields["VmRSS"])


def fixed_work() -> float:
    """Return the milliseconds of processor of a computation that is always the same: how fast the machine is now."""
    began, total = time.thread_time(), 0
    for number in range(_NUMBERS):
        total += number * number % 7
    return (time.thread_time() - began) * 1000


def _with_children(pid: int) -> list[int]:
    found = [pid]
    for one in found:
        for listed in Path(f"/proc/{one}/task").glob("*/children"):
            found += map(int, listed.read_text("ascii").split())
    return found


def _megabytes(field: str) -> float:
    return float(field.removesuffix("kB")) / 1024
