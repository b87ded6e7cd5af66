"""Deliberations by the time of their end: bars stacked by outcome."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from report.markup import Markup
from report.plots.frame import WIDTH, Drawing, Scale, box, level, steps, upright, words

OUTCOMES = ("failed", "degraded", "completed")
"""The order of the stack, from below."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 46, WIDTH - 16, 40, 200
_MOST_BINS = 40
_DAY = timedelta(days=1)


class Ended(NamedTuple):
    """One deliberation that ended."""

    at: datetime
    outcome: str
    """One of ``OUTCOMES``."""


def timeline(ended: Sequence[Ended], *, note: str) -> Drawing | None:
    """Return the bars, or ``None`` without any."""
    if not ended:
        return None
    first, last = min(one.at for one in ended), max(one.at for one in ended)
    span = max((last - first).total_seconds(), 1.0)
    bins = min(_MOST_BINS, len(ended), int(span))
    counts = [dict.fromkeys(OUTCOMES, 0) for _ in range(bins)]
    for one in ended:
        counts[min(int((one.at - first).total_seconds() / span * bins), bins - 1)][one.outcome] += 1
    y = Scale(0, max(sum(one.values()) for one in counts), _BOTTOM, _TOP)
    ticks = [tick for tick in steps(0, y.high, 5) if tick == int(tick)]
    totals = {name: sum(one[name] for one in counts) for name in OUTCOMES}
    body = [
        *_legend(totals),
        *upright(y, ticks, [f"{tick:g}" for tick in ticks], left=_LEFT, right=_RIGHT),
        *[bar for place, one in enumerate(counts) for bar in _stack(one, place, (_RIGHT - _LEFT) / bins, y)],
        *_times(first, last),
    ]
    return Drawing(
        key="failures",
        title="Failures over time",
        description=", ".join(f"{count:,} {name}" for name, count in totals.items()),
        body=body,
        height=_BOTTOM + 48,
        heading=("from (UTC)", *OUTCOMES),
        cells=[
            (f"{first + timedelta(seconds=span * place / bins):%Y-%m-%d %H:%M:%S}", *(str(one[n]) for n in OUTCOMES))
            for place, one in enumerate(counts)
            if any(one.values())
        ],
        note=note,
    )


def _stack(counts: dict[str, int], place: int, wide: float, y: Scale) -> list[Markup]:
    drawn, before = [], 0
    for name in OUTCOMES:
        if counts[name]:
            top, bottom = y.at(before + counts[name]), y.at(before)
            drawn.append(box((_LEFT + place * wide + 0.5, top), max(wide - 1, 1), bottom - top, f"fill {name}"))
        before += counts[name]
    return drawn


def _legend(totals: dict[str, int]) -> list[Markup]:
    drawn, x = [], float(_LEFT)
    for name in OUTCOMES:
        drawn += [box((x, 8), 12, 12, f"fill {name}"), words(x + 18, 18, f"{name}: {totals[name]:,}")]
        x += 130
    return drawn


def _times(first: datetime, last: datetime) -> list[Markup]:
    shape = "%d %b %H:%M" if last - first >= _DAY else "%H:%M:%S"
    shares = (0.0, 0.25, 0.5, 0.75, 1.0) if last > first else (0.5,)
    said = [f"{first + (last - first) * share:{shape}}" for share in shares]
    axis = level(Scale(0, 1, _LEFT, _RIGHT), shares[1:-1] or shares, said[1:-1] or said, y=_BOTTOM)
    if len(shares) > 1:
        axis += [
            words(_LEFT, _BOTTOM + 18, said[0], kind="tick"),
            words(_RIGHT, _BOTTOM + 18, said[-1], anchor="end", kind="tick"),
        ]
    return [*axis, words((_LEFT + _RIGHT) / 2, _BOTTOM + 40, f"ended at (UTC, {first:%Y-%m-%d})", anchor="middle")]
