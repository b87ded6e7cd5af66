"""``python -m bench.chaos``: run, and print the tables."""

import argparse
import asyncio
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.chaos.accounts import Observed, count, note_recoveries, observe, show, written_calls
from bench.chaos.faults import DISK_FAULT, MODEL_FAULTS, PROCESS_FAULTS, Played, play_all
from bench.chaos.processes import Processes
from bench.chaos.workload import Workload
from bench.program import options

_GAP = (6.0, 12.0)
_FILE_SYSTEM_MB = 3000
_END_SECONDS = 900.0
"""How long the deliberations that run when the faults end may take to end."""


async def run(home: Path, given: argparse.Namespace, *, own_file_system: bool) -> bool:
    """Run for the minutes that were given, print the tables, and return whether everything promised was kept."""
    processes, observed, played = Processes(home, given.latency_ms), Observed(), list[Played]()
    work = Workload(processes, rows=given.rows, window=given.window, every=given.every)
    faults = (*PROCESS_FAULTS, DISK_FAULT) if own_file_system else PROCESS_FAULTS
    await processes.start()
    keeping = [asyncio.create_task(task) for task in (processes.restart_up(), observe(processes, observed))]
    try:
        working = [asyncio.create_task(task) for task in (work.run_studies(), work.run_singles())]
        rng = (random.Random(given.seed), random.Random(given.seed + 1))
        playing = [
            asyncio.create_task(play_all(processes, some, played, lambda: written_calls(processes), rng=one, gap=_GAP))
            for some, one in zip((faults, MODEL_FAULTS), rng, strict=True)
        ]
        await _report_while(given.minutes * 60, observed, work, played)
        await _cancel(playing)
        print("the faults have ended; waiting for what still runs", flush=True)
        await _cancel(working)
        statuses = await _end(work)
        note_recoveries(played, observed)
        accounts = await count(processes, work.ids, statuses, played)
    finally:
        await _cancel(keeping)
        await processes.stop()
    show(accounts, played, observed, processes.left(), processes.restarts_of_up)
    return not (accounts.missing or accounts.answered_again or accounts.failed or processes.left())


async def _end(work: Workload) -> Counter[str]:
    """Wait until everything that was started has ended; the statuses of its workflows."""
    async with asyncio.timeout(_END_SECONDS):
        for one in (*work.studies, *(one for one in work.ids if "/" not in one)):
            await work.wait_for(one)
    return await work.statuses()


async def _report_while(seconds: float, observed: Observed, work: Workload, played: list[Played]) -> None:
    """Print the progress every half minute."""
    began = time.monotonic()
    while (passed := time.monotonic() - began) < seconds:
        await asyncio.sleep(min(30.0, seconds - passed))
        rows = observed.rows[-1][1] if observed.rows else 0
        now = ", ".join(one.name for one in played if not one.ended) or "nothing"
        print(
            f"{passed + 30:6.0f} s  {len(work.ids)} started, {rows} rows, {len(played)} faults, now: {now}", flush=True
        )


async def _cancel(tasks: list["asyncio.Task[None]"]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@contextmanager
def _directory(size_mb: int) -> Iterator[tuple[Path, bool]]:
    """Return a directory on a small file system, if this user may create one; otherwise a plain one."""
    home = Path(tempfile.mkdtemp(prefix="parley-chaos-"))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m,mode=700", "parley-chaos", str(home)]
    is_mounted = os.geteuid() == 0 and subprocess.run(mount, check=False, capture_output=True).returncode == 0
    try:
        yield home, is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", str(home)], check=False, capture_output=True)  # noqa: S607 - where PATH has it
        shutil.rmtree(home, ignore_errors=True)


def main() -> int:
    """Read the sizes and run; 1 when something was lost, failed, asked again or left behind."""
    sizes = options(__doc__)
    sizes.add_argument("--minutes", type=float, default=10)
    sizes.add_argument("--seed", type=int, default=7)
    sizes.add_argument("--rows", type=int, default=20, help="rows of one study; each is put to eight protocols")
    sizes.add_argument("--window", type=int, default=12)
    sizes.add_argument("--every", type=float, default=5, help="seconds between two single deliberations")
    sizes.add_argument("--latency-ms", type=int, default=200)
    sizes.add_argument("--keep", help="copy logs and databases to this directory at the end")
    given = sizes.parse_args()
    with _directory(_FILE_SYSTEM_MB) as (home, own_file_system):
        disk = "filled too" if own_file_system else "not filled: that takes a file system of its own"
        print(f"seed {given.seed}, {given.minutes:g} minutes; the disk is {disk}", flush=True)
        is_kept = asyncio.run(run(home, given, own_file_system=own_file_system))
        if given.keep:
            shutil.copytree(home, given.keep, dirs_exist_ok=True)
    return 0 if is_kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
