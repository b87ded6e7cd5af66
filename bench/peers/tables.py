"""The tables of a run: medians with their spread, processor time by process, ratios and what they are to reach."""

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from bench.peers.council import CALLS, STAGES
from bench.peers.rounds import CROWD, ONE, PROVIDER, Load, Row, Sample, Samples
from bench.program import line

PLAIN, BARE, PARLEY = Row("plain"), Row("bare"), Row("parley")

Figure = Callable[[Sample], float]
_ROLES = ("worker", "server")


class Spread(NamedTuple):
    """A median and its quartiles."""

    median: float
    low: float
    high: float

    def shown(self, digits: int = 0) -> str:
        """Return it as text."""
        return f"{self.median:.{digits}f} ({self.low:.{digits}f}–{self.high:.{digits}f})"


def spread(values: Sequence[float]) -> Spread:
    """Return the median of ``values`` with the quartiles."""
    if len(values) == 1:
        return Spread(values[0], values[0], values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(median, low, high)


def ratio(samples: Sequence[Sample], base: Sequence[Sample], figure: Figure) -> Spread:
    """Return how ``figure`` of ``samples`` compares with that of ``base``, round by round."""
    return spread([figure(one) / figure(other) for one, other in zip(samples, base, strict=True)])


def council_ms(sample: Sample) -> float:
    """Return the median milliseconds of one council."""
    return statistics.median(sample.seconds) * 1000


def call_ms(sample: Sample) -> float:
    """Return the processor milliseconds of a call in all processes but the provider's."""
    return sample.milliseconds_a_call()


def rate(sample: Sample) -> float:
    """Return the councils a second."""
    return sample.a_second


def main_table(samples: Samples) -> Iterator[str]:
    """Return the lines of the table of times, processor time and throughput."""
    rows, loads = _axes(samples)
    timed = [load for load in loads if load != CROWD]
    heads = [load.name + (f" ÷ {STAGES * load.latency_ms}" if load.latency_ms else "") for load in timed]
    yield line("", *heads, "processor ms a call", "16 at once", "councils a second")
    yield "|---|" + "---:|" * (len(timed) + 3)
    for row in rows:
        cells = [_time(samples[row, load], load) for load in timed]
        alone = [spread([call_ms(s) for s in samples[row, ONE]]).shown(1)] if ONE in loads else ["–"]
        crowd = samples.get((row, CROWD), ())
        busy = [spread([call_ms(s) for s in crowd]).shown(1), spread([rate(s) for s in crowd]).shown(1)]
        yield line(row.name, *cells, *alone, *(busy if crowd else ["–", "–"]))


def process_table(samples: Samples, load: Load) -> Iterator[str]:
    """Return the lines of the table of processor milliseconds a call in each process."""
    rows, _ = _axes(samples)
    roles = list(dict.fromkeys(role for row in rows for sample in samples[row, load] for role in sample.processor))
    roles = [*(role for role in roles if role != PROVIDER), PROVIDER]
    yield line("", *roles)
    yield "|---|" + "---:|" * len(roles)
    for row in rows:
        found = [_of_role(samples[row, load], role) for role in roles]
        yield line(row.name, *found)


def ratio_table(samples: Samples, base: Row) -> Iterator[str]:
    """Return the lines of the table of ratios to ``base``."""
    rows, loads = _axes(samples)
    figures = [(load, figure, name) for load, figure, name in _RATIOS if load in loads]
    yield line(f"÷ {base.name}", *(name for _, _, name in figures))
    yield "|---|" + "---:|" * len(figures)
    for row in rows:
        found = (ratio(samples[row, load], samples[base, load], figure).shown(2) for load, figure, _ in figures)
        yield line(row.name, *found)


_RATIOS: Sequence[tuple[Load, Figure, str]] = (
    (ONE, council_ms, "time at 0 ms"),
    (ONE, call_ms, "processor"),
    (CROWD, call_ms, "processor, 16 at once"),
    (CROWD, rate, "councils a second"),
)


class Goal(NamedTuple):
    """A ratio that is to be reached."""

    name: str
    most: float
    """The bound; the least one of a rate."""
    found: Spread

    @property
    def line(self) -> str:
        """Return the row of the table."""
        sign = "≥" if self.name.startswith("councils") else "≤"
        return line(self.name, f"{sign} {self.most:g}", self.found.shown(3 if "critical" in self.name else 2))


def goals(samples: Samples) -> Iterator[Goal]:
    """Return the ratios of Parley to the bare worker and to the critical path, beside their bounds."""
    bounds = {"time at 0 ms": 1.6, "processor": 1.5, "processor, 16 at once": 1.5, "councils a second": 0.7}
    rows, loads = _axes(samples)
    if PARLEY in rows and BARE in rows:
        for load, figure, name in _RATIOS:
            if load in loads:
                found = ratio(samples[PARLEY, load], samples[BARE, load], figure)
                yield Goal(f"{name}, Parley ÷ bare worker", bounds[name], found)
    slow = next((load for load in loads if load.latency_ms == 1000), None)
    for row in rows:
        if slow is not None and row.peer == PARLEY.peer:
            path = STAGES * slow.latency_ms
            found = spread([seconds * 1000 / path for sample in samples[row, slow] for seconds in sample.seconds])
            yield Goal(f"{row.name}, 1 s models ÷ critical path", 1.04, found)


def goal_table(samples: Samples) -> Iterator[str]:
    """Return the lines of the table of goals."""
    yield line("", "goal", "measured")
    yield "|---|---:|---:|"
    yield from (goal.line for goal in goals(samples))


def capacity_table(samples: Sequence[Sample]) -> Iterator[str]:
    """Return the lines of the table of what more workers would do, computed from one worker with 16 councils at once.

    A worker is one Python process and computes on one core at a time; the server has as many as it needs.
    """
    worker, server = (statistics.median(one.milliseconds_a_call(role) for one in samples) for role in _ROLES)
    yield line("workers", "councils a second, at most", "cores of the workers", "cores of the server")
    yield "|---:|---:|---:|---:|"
    for workers in (1, 2, 4):
        calls = workers * 1000 / worker
        yield line(f"{workers}", f"{calls / CALLS:.1f}", f"{workers}", f"{calls * server / 1000:.1f}")


def _axes(samples: Mapping[tuple[Row, Load], object]) -> tuple[list[Row], list[Load]]:
    return list(dict.fromkeys(row for row, _ in samples)), list(dict.fromkeys(load for _, load in samples))


def _time(samples: Sequence[Sample], load: Load) -> str:
    seconds = [one for sample in samples for one in sample.seconds]
    if load.latency_ms >= 1000:
        path = STAGES * load.latency_ms / 1000
        return spread([one / path for one in seconds]).shown(3)
    return spread([one * 1000 for one in seconds]).shown()


def _of_role(samples: Sequence[Sample], role: str) -> str:
    if not any(role in sample.processor for sample in samples):
        return "–"
    return f"{statistics.median(sample.milliseconds_a_call(role) for sample in samples):.2f}"
