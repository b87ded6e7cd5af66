"""Further studies in an installation that has run a large one, and in new ones, in turns.

A machine may be slower at the end of a study than at its beginning. Two studies that follow each other run on the same
one, so their ratio shows what an installation costs that has thousands of deliberations behind it.
"""

import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.installation import BenchInstallation, open_installation
from bench.study_growth import Price, Span, price
from bench.study_run import run_rows

_ROWS, _WINDOW = 800, 200
_SPAN = Span(100, 600)
"""The rows that are compared: the window is full."""


class Round(NamedTuple):
    """The price of a row in both installations."""

    late: Price
    new: Price


async def run_round(on: BenchInstallation, number: int) -> Round:
    """Run a study in the installation ``on``, and then the same in a new one."""
    late = await _price(on, f"later-{number}")
    with tempfile.TemporaryDirectory(prefix="parley-bench-") as home:
        async with open_installation(Path(home)) as fresh:
            await fresh.set_latency(0)
            return Round(late, await _price(fresh, "new"))


async def _price(on: BenchInstallation, name: str) -> Price:
    ran = await run_rows(on, name, _ROWS, _WINDOW, counted=1)
    return price(ran.samples, _SPAN)


def late_and_new(rounds: Sequence[Round]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return head and lines of the table, the last line with the median of the ratios."""
    lines = [_line(f"round {number}", one) for number, one in enumerate(rounds, start=1)]
    ratio = statistics.median(one.late.rows_a_second / one.new.rows_a_second for one in rounds)
    return ("further studies", "late", "new", "ratio", "ms of processor, late and new"), [
        *lines,
        ("median (goal: ≥ 0.95)", "", "", f"{ratio:.2f}", ""),
    ]


def _line(name: str, one: Round) -> tuple[str, ...]:
    late, new = one.late.rows_a_second, one.new.rows_a_second
    spent = (f"{who} {ms:.1f} and {one.new.processor[who]:.1f}" for who, ms in one.late.processor.items())
    return name, f"{late:.1f}", f"{new:.1f}", f"{late / new:.2f}", ", ".join(spent)
