"""The capacity of one machine: how many calls and how many worker processes it is given by default."""

import os
from pathlib import Path

_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
_MEMORY_OF_A_CALL = 10_000_000
"""Bytes reserved for a call: its request, its reply and what reads it; a usual one takes a tenth."""
_FEWEST_CALLS = 20
_MOST_CALLS = 200


def calls_that_fit(memory: int | None = None) -> int:
    """Return how many calls one worker makes at once: 200, or fewer where there is less than 2 GB of ``memory``."""
    available = memory_bytes() if memory is None else memory
    return min(_MOST_CALLS, max(_FEWEST_CALLS, available // _MEMORY_OF_A_CALL))


def worker_processes() -> int:
    """Return how many workers ``parley up`` starts: one for every two cores, and at least one."""
    return max(1, (os.cpu_count() or 1) // 2)


def memory_bytes() -> int:
    """Return the bytes of memory of this machine, or the limit of its container."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(total, int(_CGROUP_LIMIT.read_text("ascii")))
    except (OSError, ValueError):  # no container, or "max": one without a limit
        return total


def limit_of_calls(workers: int, each: int, wanted: int | None = None, wanted_by: str = "") -> str:
    """Return a phrase with the most calls that ``workers`` make at once and the limit behind it.

    Args:
        workers: Their number.
        each: Calls of one worker.
        wanted: Calls that are asked for at once, at the most.
        wanted_by: What asks for no more: a study's window, or a panel.
    """
    if wanted is not None and wanted <= workers * each:
        return f"at most {wanted:,} call{'s' * (wanted != 1)} at once, limited by {wanted_by}"
    fit = " that fit its memory" if each == calls_that_fit() < _MOST_CALLS else ""
    by = f"{workers:,} worker{'s' * (workers != 1)} with {each:,} calls each{fit} (PARLEY_MAX_CONCURRENT_CALLS)"
    return f"at most {workers * each:,} calls at once, limited by {by}"
