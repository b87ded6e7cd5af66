"""One run of a study, with a sample of its state every few seconds."""

import asyncio
import statistics
import time
from collections.abc import Sequence
from typing import NamedTuple

from bench.installation import BenchInstallation
from bench.peers.council import QUESTION
from bench.process_figures import fixed_work, memory, processor_seconds
from bench.program import COUNCIL, write_study
from bench.study_growth import Sample
from ledger.studies.reading import StudyReader
from studies.definition.files import Overrides
from studies.definition.load import load_study
from studies.runs.start import StudyRuns, enter_study

_EVERY = 30.0
_SAMPLED = 1.0
_COUNTED = 5
"""Samples for which the rows are counted once: counting takes longer the more there are."""


class Ran(NamedTuple):
    """A study that has run to its end."""

    entering: float
    """Seconds to check the study and to write it into the ledger."""
    holding: float
    """Seconds from the start of the batch to its end."""
    samples: Sequence[Sample]


async def run_rows(
    on: BenchInstallation, name: str, rows: int, window: int, *, counted: int = _COUNTED, is_shown: bool = False
) -> Ran:
    """Run a study of so many councils of three models and a chair.

    Args:
        on: The installation.
        name: Of the study.
        rows: Councils in all.
        window: Councils at once.
        counted: Seconds between two counts of the rows.
        is_shown: Whether a line is printed from time to time.
    """
    began = time.perf_counter()
    path = write_study(on.settings.home, name, QUESTION, rows=rows, window=window, arms=COUNCIL.format("false"))
    await enter_study(on.settings, load_study(str(path), Overrides(), on.settings))
    entered = time.perf_counter()
    await StudyRuns(on.client, on.settings).go_on(name)
    samples = list[Sample]()
    watch = asyncio.create_task(_watch(on, name, samples, counted, is_shown=is_shown))
    await on.client.get_workflow_handle(name).result()
    ended = time.perf_counter()
    watch.cancel()
    return Ran(entered - began, ended - entered, samples)


async def _watch(on: BenchInstallation, name: str, samples: list[Sample], counted: int, *, is_shown: bool) -> None:
    """Note the state every few seconds, and print it from time to time."""
    shown, began = Sample(0, 0.0, {}, {}, 0.0), time.perf_counter()
    async with StudyReader(on.settings.database_url) as reader:
        while True:
            works = [await _fixed_work_later() for _ in range(counted)]
            progress, processes = await reader.progress(name), on.processes
            now = Sample(
                progress.total - progress.open,
                time.perf_counter() - began,
                {name: processor_seconds(pid) for name, pid in processes.items()},
                {name: memory(pid)[1] for name, pid in processes.items()},
                statistics.mean(works),
            )
            samples.append(now)
            if is_shown and now.seconds - shown.seconds >= _EVERY:
                pace = (now.rows - shown.rows) / (now.seconds - shown.seconds)
                sizes = ", ".join(f"{name} {size:.0f} MB" for name, size in now.memory.items())
                print(
                    f"{now.seconds:6.0f} s  {now.rows:6} of {progress.total}  {pace:5.1f} rows/s  {sizes}", flush=True
                )
                shown = now


async def _fixed_work_later() -> float:
    await asyncio.sleep(_SAMPLED)
    return fixed_work()
