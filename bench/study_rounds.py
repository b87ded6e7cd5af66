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
    """Run a study in the installation ``on`` and the same in a new one, in the next round the other way round."""
    if number % 2:
        new = await _in_new_installation()
        return Round(await _price(on, f"later-{number}"), new)
    late = await _price(on, f"later-{number}")
    return Round(late, await _in_new_installation())


async def _in_new_installation() -> Price:
    with tempfile.TemporaryDirectory(prefix="parley-bench-") as home:
        async with open_installation(Path(home)) as fresh:
            await fresh.set_latency(0)
            return await _price(fresh, "new")


async def _price(on: BenchInstallation, name: str) -> Price:
    ran = await run_rows(on, name, _ROWS, _WINDOW, counted=1)
    return price(ran.samples, _SPAN)


def late_and_new(rounds: Sequence[Round]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return head and lines of the table, the last line with the medians of the ratios."""
    lines = [_line(f"round {number}", one) for number, one in enumerate(rounds, start=1)]
    ratio, as_fast = statistics.median(map(_ratio, rounds)), statistics.median(map(_ratio_as_fast, rounds))
    head = ("further studies", "late", "new", "ratio", "fixed computation, ms", "ratio as fast", "ms of processor")
    return head, [*lines, ("median (goal: ≥ 0.95)", "", "", f"{ratio:.2f}", "", f"{as_fast:.2f}", "")]


def _line(name: str, one: Round) -> tuple[str, ...]:
    late, new = one
    spent = (f"{who} {ms:.1f} and {new.processor[who]:.1f}" for who, ms in late.processor.items())
    return (
        *(name, f"{late.rows_a_second:.1f}", f"{new.rows_a_second:.1f}", f"{_ratio(one):.2f}"),
        *(f"{late.fixed_work:.2f} and {new.fixed_work:.2f}", f"{_ratio_as_fast(one):.2f}", ", ".join(spent)),
    )


def _ratio(one: Round) -> float:
    return one.late.rows_a_second / one.new.rows_a_second


def _ratio_as_fast(one: Round) -> float:
    """Return the ratio on a machine that stays as fast."""
    return _ratio(one) * one.late.fixed_work / one.new.fixed_work
