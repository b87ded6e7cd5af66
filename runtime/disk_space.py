"""The space on the disks that an installation writes to."""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

_LEAST_FREE = 1_000_000
"""Bytes without which no server starts: the write-ahead log of an empty one is nearly as long."""
_LOOK_SECONDS = 2.0


def is_full(folder: Path) -> bool:
    """Return whether the disk with ``folder`` has no space for another write."""
    return shutil.disk_usage(folder).free < _LEAST_FREE


def full_folders(folders: Sequence[Path]) -> tuple[Path, ...]:
    """Return those of ``folders`` whose disk is full, the first one of each disk."""
    full = {place.stat().st_dev: place for place in reversed(folders) if place.exists() and is_full(place)}
    return tuple(reversed(full.values()))


async def report_full_disks(folders: Sequence[Path], notify: Callable[[str], None]) -> NoReturn:
    """Report each disk that has become full: server and workers wait for space, and only their logs name the cause."""
    before: tuple[Path, ...] = ()
    while True:
        full = full_folders(folders)
        for folder in full:
            if folder not in before:
                notify(f"the disk with {folder} is full; free some space, and what waits for it continues")
        before = full
        await asyncio.sleep(_LOOK_SECONDS)
