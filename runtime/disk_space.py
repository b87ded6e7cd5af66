"""The space on the disks that an installation writes to."""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

_LEAST_FREE = 1_000_000
"""Bytes without which no server starts: the write-ahead log of an empty one is nearly as long."""
_LOOK_SECONDS = 2.0


def full_folders(folders: Sequence[Path]) -> tuple[Path, ...]:
    """Return those of ``folders`` whose disk has no space for another write, the first one of each disk."""
    full = [folder for folder in folders if folder.exists() and shutil.disk_usage(folder).free < _LEAST_FREE]
    return tuple(reversed({folder.stat().st_dev: folder for folder in reversed(full)}.values()))


async def report_full_disks(folders: Sequence[Path], notify: Callable[[str], None]) -> NoReturn:
    """Report each disk that has become full: server and workers wait for space, and only their logs name the cause."""
    before: tuple[Path, ...] = ()
    while True:
        full = full_folders(folders)
        for folder in (one for one in full if one not in before):
            notify(f"the disk with {folder} is full; free some space, and what waits for it continues")
        before = full
        await asyncio.sleep(_LOOK_SECONDS)
