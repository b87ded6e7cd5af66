"""A benchmark of a large study: time, memory, disk and history, extrapolated to a hundred thousand rows.

``python -m bench.study --rows 5000 --window 200`` starts the embedded server, a worker and the rehearsal server in a
directory of their own, enters a study of that many councils (three scripted models and a chair, with reviews and
synthesis) and runs it. The models answer at once, so this measures Parley and the server.
"""

import math
import statistics
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from temporalio.client import Client

from bench.installation import BenchInstallation, open_installation
from bench.process_figures import memory, processor_seconds
from bench.program import options, run_in_directory, table
from bench.study_growth import Sample, growth_lines, spans
from bench.study_rounds import late_and_new, run_round
from bench.study_run import run_rows
from ledger.studies.reading import Progress, StudyReader
from protocols.study.model import SHARD_SIZE

NAME = "bench"
LARGE = 100_000
SUGGESTED = 4096
"""Events after which the server suggests to continue in another run."""
_SAMPLE = 50
"""Councils and shards whose histories are looked at."""
_KB, _MB = 1024, 1024 * 1024


class Size(NamedTuple):
    """The size of one workflow's histories over all its runs."""

    runs: int
    events: int
    kilobytes: float


class Measured(NamedTuple):
    """All measurements of one study."""

    rows: int
    window: int
    entering: float
    """Seconds to check the study and to write it into the ledger."""
    holding: float
    """Seconds from the start of the batch to its end."""
    progress: Progress
    lines: int
    """Results that can be read from the ledger."""
    memory: dict[str, tuple[float, float]]
    """Megabytes of each process, at the most and at the end."""
    processor: dict[str, float]
    """Seconds that each process computed."""
    empty: dict[str, float]
    disk: dict[str, float]
    """Megabytes before and after."""
    histories: dict[str, Size]
    samples: Sequence[Sample]
    """One for every few seconds."""

    @property
    def rows_a_second(self) -> float:
        """Return the councils per second."""
        return self.rows / self.holding

    @property
    def shards(self) -> int:
        """Return the number of shards."""
        return math.ceil(self.rows / SHARD_SIZE)


async def measure(on: BenchInstallation, rows: int, window: int) -> Measured:
    """Run the study and measure it.

    Raises:
        ValueError: it has too few rows.
    """
    spans(rows, window)
    await on.set_latency(0)
    empty = disk(on.settings.home)
    ran = await run_rows(on, NAME, rows, window, is_shown=True)
    async with StudyReader(on.settings.database_url) as reader:
        progress, lines = await reader.progress(NAME), [row.deliberation_id async for row in reader.results(NAME)]
    return Measured(
        rows=rows,
        window=window,
        entering=ran.entering,
        holding=ran.holding,
        progress=progress,
        lines=len(set(lines)),
        memory={name: memory(pid) for name, pid in on.processes.items()},
        processor={name: processor_seconds(pid) for name, pid in on.processes.items()},
        empty=empty,
        disk=disk(on.settings.home),
        histories=await histories(on.client, rows),
        samples=ran.samples,
    )


def disk(home: Path) -> dict[str, float]:
    """Return the megabytes of the server's file, the ledger and the blobs, with their database side files."""
    return {
        "temporal.db": _megabytes(home.glob("temporal.db*")),
        "ledger (parley.db)": _megabytes(home.glob("parley.db*")),
        "blobs": _megabytes((home / "blobs").rglob("*")),
    }


def _megabytes(paths: Iterable[Path]) -> float:
    return sum(path.stat().st_size for path in paths if path.is_file()) / _MB


async def histories(client: Client, rows: int) -> dict[str, Size]:
    """Measure the sizes of the histories."""
    shards = [f"{NAME}/shard-{number:04}" for number in range(1, math.ceil(rows / SHARD_SIZE) + 1)]
    councils = [f"{NAME}/q{number}.council" for number in range(1, rows + 1)]
    of_shards = sorted([await size(client, one) for one in _sampled(shards)], key=lambda one: one.events)
    of_councils = [await size(client, one) for one in _sampled(councils)]
    return {
        "batch": await size(client, NAME),
        "budget": await size(client, f"{NAME}/budget"),
        "shard, median": of_shards[len(of_shards) // 2],
        "shard, largest": of_shards[-1],
        "council, median": Size(
            runs=max(one.runs for one in of_councils),
            events=round(statistics.median(one.events for one in of_councils)),
            kilobytes=statistics.median(one.kilobytes for one in of_councils),
        ),
    }


def _sampled(ids: Sequence[str]) -> Sequence[str]:
    return ids[:: max(1, len(ids) // _SAMPLE)]


async def size(client: Client, workflow_id: str) -> Size:
    """Return the size of all runs under an id."""
    found = [run async for run in client.list_workflows(f"WorkflowId = '{workflow_id}'")]
    descriptions = [await client.get_workflow_handle(run.id, run_id=run.run_id).describe() for run in found]
    sizes = [one.raw_description.workflow_execution_info.history_size_bytes for one in descriptions]
    return Size(len(found), sum(one.history_length for one in descriptions), sum(sizes) / _KB)


def show(measured: Measured) -> None:
    """Print the measurements, and their extrapolation to many rows."""
    print(f"\n{measured.rows} councils of 3 models and a chair (7 calls), {measured.window} at once, model latency 0\n")
    print(table(("", "measured"), _figures(measured)))
    growth = growth_lines(measured.samples, measured.rows, measured.window)
    print(f"\n{table(('the price of a row', 'measured'), growth)}\n")
    sizes = ((name, one.runs, one.events, f"{one.kilobytes:.0f}") for name, one in measured.histories.items())
    print(table(("history", "runs", "events", "KB"), sizes))
    print(f"\nComputed from it for {LARGE:,} rows, everything growing with the rows\n")
    print(table(("", "computed"), _computed(measured)))


def _figures(measured: Measured) -> list[tuple[str, str]]:
    return [
        ("rows a second", f"{measured.rows_a_second:.1f}"),
        ("calls a second", f"{measured.rows_a_second * 7:.0f}"),
        ("held in", f"{measured.holding:.0f} s"),
        ("checked and entered in", f"{measured.entering:.1f} s"),
        *((f"memory of the {name}, most / end", f"{a:.0f} / {b:.0f} MB") for name, (a, b) in measured.memory.items()),
        *(
            (f"computing of the {name}, a row", f"{s / measured.rows * 1000:.0f} ms")
            for name, s in measured.processor.items()
        ),
        *((name, f"{megabytes:.1f} MB") for name, megabytes in measured.disk.items()),
        ("shards", f"{measured.shards}"),
        ("lost rows", f"{measured.rows - measured.progress.completed}"),
        ("different lines in the ledger", f"{measured.lines}"),
    ]


def _computed(measured: Measured) -> list[tuple[str, str]]:
    factor = LARGE / measured.rows
    batch, budget = measured.histories["batch"], measured.histories["budget"]
    return [
        ("hours", f"{LARGE / measured.rows_a_second / 3600:.1f}"),
        *((name, f"{(end - measured.empty[name]) * factor / 1024:.1f} GB") for name, end in measured.disk.items()),
        ("shards", f"{math.ceil(LARGE / SHARD_SIZE):,}"),
        ("runs of the batch, at most", f"{math.ceil(batch.events * factor / SUGGESTED)}"),
        ("runs of the budget, about", f"{math.ceil(budget.runs * factor)}"),
    ]


async def run_study(rows: int, window: int, rounds: int, home: Path) -> None:
    """Measure in ``home`` and print; then run further studies there and in new installations, in turns."""
    async with open_installation(home) as on:
        show(await measure(on, rows, window))
        if rounds:
            print(f"\n{table(*late_and_new([await run_round(on, number) for number in range(rounds)]))}")


def main() -> None:
    """Read the sizes and measure."""
    sizes = options(__doc__)
    sizes.add_argument("--rows", type=int, default=5000)
    sizes.add_argument("--window", type=int, default=200)
    sizes.add_argument("--rounds", type=int, default=3, help="further studies of 800 rows, there and in new ones")
    given = sizes.parse_args()
    run_in_directory(partial(run_study, given.rows, given.window, given.rounds))


if __name__ == "__main__":
    main()
