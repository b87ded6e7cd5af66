"""A benchmark of a study during an outage of gateway pages and login redirects.

``python -m bench.bad_night --rows 600`` starts the embedded server, a worker and the rehearsal server in a directory of
their own and holds a study of that many councils. When a fifth of them has ended every model answers with a web page
for half a minute, and when half of them has ended with a redirect for twenty seconds. What the study did meanwhile is
printed: nothing may fail, and no call that was answered may be asked again.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from temporalio.client import Client, WorkflowHandle

from bench.installation import Plan, open_installation
from bench.program import COUNCIL, control_models, options, run_in_directory, table, write_study
from ledger.studies.reading import Progress, StudyReader
from protocols.study.model import BatchResult, BatchState
from protocols.study.outages import Outage
from runtime.settings import Settings
from studies.definition.files import Overrides
from studies.definition.load import load_study
from studies.runs.start import StudyRuns

NAME = "bad-night"
LATENCY_MS = 300
_LOOK_SECONDS = 0.5


class Weather(NamedTuple):
    """A fault that every model shows for a while."""

    share: float
    """Of the deliberations that have ended when it begins."""
    seconds: float
    fault: str


NIGHT = (Weather(0.2, 30.0, "html-200"), Weather(0.5, 20.0, "redirect"))


class Place(NamedTuple):
    """An installation with scripted models."""

    client: Client
    settings: Settings
    rehearsal_url: str


class Night(NamedTuple):
    """The measurements of one outage."""

    rows: int
    seconds: float
    result: BatchResult
    progress: Progress
    """By the ledger."""
    lines: int
    """Results that can be read from the ledger, each counted once."""
    outages: tuple[Outage, ...]
    most_failed: int
    """The largest number of failed deliberations that the batch ever counted."""
    arrivals: dict[str, int]
    """Requests by outcome, as the models counted them."""
    repeated: int
    """Requests for a call that had been answered before."""


async def run_through(place: Place, rows: int, window: int, night: Sequence[Weather]) -> Night:
    """Run a study of ``rows`` councils through ``night`` and return the measurements."""
    began = time.perf_counter()
    arms = COUNCIL.format("true")
    path = write_study(place.settings.home, NAME, "Why is the sky blue?", rows=rows, window=window, arms=arms)
    study = load_study(str(path), Overrides(), place.settings)
    await StudyRuns(place.client, place.settings).begin(study)
    batch: WorkflowHandle[Any, BatchResult] = place.client.get_workflow_handle(NAME, result_type=BatchResult)
    weather = asyncio.create_task(_play(place, night, rows))
    watch = asyncio.create_task(_watch(batch))
    result = await batch.result()
    weather.cancel()
    async with StudyReader(place.settings.database_url) as reader:
        progress, lines = await reader.progress(NAME), {row.deliberation_id async for row in reader.results(NAME)}
    arrivals = (await control_models(place.rehearsal_url, "GET", "arrivals"))["arrivals"]
    return Night(
        rows=rows,
        seconds=time.perf_counter() - began,
        result=result,
        progress=progress,
        lines=len(lines),
        outages=result.outages,
        most_failed=await watch,
        arrivals=dict(Counter(one["outcome"] for one in arrivals)),
        repeated=repeated_answers(arrivals),
    )


def repeated_answers(arrivals: Sequence[dict[str, Any]]) -> int:
    """Return how many requests arrived for a call after it had been answered."""
    answered: dict[str, float] = {}
    repeated = 0
    for one in sorted(arrivals, key=lambda arrival: float(arrival["at"])):
        repeated += one["key"] in answered and one["at"] > answered[one["key"]]
        if one["outcome"] == "answered":
            answered.setdefault(one["key"], one["finished_at"])
    return repeated


async def _play(place: Place, night: Sequence[Weather], rows: int) -> None:
    """Play each fault when its share of the deliberations has ended."""
    for one in night:
        while await _ended(place) < one.share * rows:  # noqa: ASYNC110 - another process's work
            await asyncio.sleep(_LOOK_SECONDS)
        await _arrange(place, [{"fault": one.fault}])
        await asyncio.sleep(one.seconds)
        await _arrange(place, [])


async def _ended(place: Place) -> int:
    async with StudyReader(place.settings.database_url) as reader:
        progress = await reader.progress(NAME)
    return progress.total - progress.open


async def _arrange(place: Place, faults: Sequence[dict[str, str]]) -> None:
    script = {"latency_ms": LATENCY_MS, "faults": list(faults)}
    await control_models(place.rehearsal_url, "POST", "script", script)


async def _watch(batch: WorkflowHandle[Any, BatchResult]) -> int:
    """Print every change of phase until the batch ends, and the highest counts of failed and missing deliberations."""
    began, before, most = time.perf_counter(), "", 0
    while True:
        state: BatchState = await batch.query("state", result_type=BatchState)
        said = f"{state.phase} {state.pause.reason if state.pause else ''}"
        if said != before:
            counts = f"{state.tally.completed} held, {state.tally.failed} failed, {state.in_flight} in flight"
            print(f"{time.perf_counter() - began:6.1f} s  {counts}: {said}", flush=True)
        before, most = said, max(most, state.tally.failed + state.tally.missing)
        if state.phase in {"done", "cancelled"}:
            return most
        await asyncio.sleep(_LOOK_SECONDS)


def show(night: Night, played: Sequence[Weather]) -> None:
    """Print what was measured as a table."""
    counted = night.progress
    rows = [
        ("deliberations", f"{night.rows:,}, in {night.seconds:.0f} s"),
        ("played", "; ".join(f"{one.seconds:.0f} s of {one.fault}" for one in played)),
        ("held", f"{counted.completed:,}"),
        ("failed or lost", f"{counted.failed + counted.missing:,}, at no time more than {night.most_failed:,}"),
        ("degraded", f"{night.result.tally.degraded:,}"),
        ("different rows in the ledger", f"{night.lines:,}"),
        ("pauses", f"{len(night.outages)}"),
        *((f"pause {n}", f"{one.as_text}; {one.checks} checks") for n, one in enumerate(night.outages, 1)),
        ("requests", ", ".join(f"{count:,} {name}" for name, count in sorted(night.arrivals.items()))),
        ("answered calls asked again", f"{night.repeated:,}"),
    ]
    print(f"\n{table(('', 'measured'), rows)}")


async def _measure(rows: int, window: int, home: Path) -> None:
    async with open_installation(home, Plan(is_quiet=True)) as on:
        await on.set_latency(LATENCY_MS)
        place = Place(on.client, on.settings, on.rehearsal_url)
        show(await run_through(place, rows, window, NIGHT), NIGHT)


def main() -> None:
    """Read the sizes, run the study and print the measurements."""
    sizes = options(__doc__)
    sizes.add_argument("--rows", type=int, default=600)
    sizes.add_argument("--window", type=int, default=20)
    given = sizes.parse_args()
    run_in_directory(partial(_measure, given.rows, given.window))


if __name__ == "__main__":
    main()
