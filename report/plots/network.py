"""Supporters and opponents of claims: seats at the left, claims at the right, arcs between contradictions."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from report.figures import clipped
from report.markup import Markup, el
from report.plots.frame import WIDTH, Drawing, apart, box, words

_SEAT_X, _CLAIM_X, _RIGHT, _TOP, _ROW = 150, 300, WIDTH - 60, 44, 40
_LETTERS = 50
_SEAT_GAP = 34


class ClaimNode(NamedTuple):
    """One claim and who is for it and against it."""

    id: str
    text: str
    label: str
    status: str
    supporters: Sequence[str]
    opponents: Sequence[str]
    against: Sequence[str]
    """Ids of the claims that oppose it."""


def network(
    claims: Sequence[ClaimNode], *, note: str, numbers: tuple[Sequence[str], Sequence[Sequence[str]]]
) -> Drawing | None:
    """Return the claims in the order given, or ``None`` without any; ``numbers`` are those of the table below."""
    if not claims:
        return None
    places = {one.id: _TOP + number * _ROW for number, one in enumerate(claims)}
    bottom = _TOP + len(claims) * _ROW
    heights = _seats(claims, places, bottom)
    body = [
        words(_SEAT_X - 14, 16, "seats", anchor="end", kind="tick"),
        words(_CLAIM_X, 16, "claims: — for, - - against; arcs join claims that contradict", kind="tick"),
        *[edge for one in claims for edge in _edges(one, heights, places[one.id])],
        *[_arc(places[one.id], places[other]) for one in claims for other in one.against if other in places],
        *[part for seat, y in heights.items() for part in _seat(seat, y)],
        *[part for one in claims for part in _claim(one, places[one.id])],
    ]
    return Drawing(
        key="claims",
        title="Claims and their supporters",
        description="; ".join(f"{one.id} {one.status}: {one.text}" for one in claims),
        body=body,
        height=max(bottom, max(heights.values(), default=0) + 20) + 6,
        heading=numbers[0],
        cells=numbers[1],
        note=note,
    )


def _seats(claims: Sequence[ClaimNode], places: Mapping[str, float], bottom: float) -> dict[str, float]:
    found = list(dict.fromkeys(seat for one in claims for seat in (*one.supporters, *one.opponents)))
    wanted = []
    for seat in found:
        touched = [places[one.id] + _ROW / 2 for one in claims if seat in (*one.supporters, *one.opponents)]
        wanted.append(sum(touched) / len(touched))
    space = max(bottom, _TOP + len(found) * _SEAT_GAP)
    return dict(zip(found, apart(wanted, _SEAT_GAP, _TOP + 16, space - 16), strict=True))


def _seat(name: str, y: float) -> list[Markup]:
    return [
        el("circle", cx=f"{_SEAT_X}", cy=f"{y:g}", r="5", class_="seat"),
        words(_SEAT_X - 14, y + 4, clipped(name, 20), anchor="end"),
    ]


def _edges(one: ClaimNode, heights: Mapping[str, float], top: float) -> list[Markup]:
    middle = top + _ROW / 2 - 3
    both = [(seat, "edge for") for seat in one.supporters] + [(seat, "edge against") for seat in one.opponents]
    bend = (_SEAT_X + _CLAIM_X) / 2
    return [
        el(
            "path",
            d=f"M{_SEAT_X + 6} {heights[seat]:g}C{bend:g} {heights[seat]:g} {bend:g} {middle:g} {_CLAIM_X} {middle:g}",
            class_=of,
        )
        for seat, of in both
    ]


def _arc(here: float, there: float) -> Markup:
    start, end, bulge = here + _ROW / 2 - 3, there + _ROW / 2 - 3, min(50.0, 14 + abs(here - there) / 4)
    return el(
        "path",
        d=f"M{_RIGHT} {start:g}C{_RIGHT + bulge:g} {start:g} {_RIGHT + bulge:g} {end:g} {_RIGHT} {end:g}",
        class_="edge against",
    )


def _claim(one: ClaimNode, top: float) -> list[Markup]:
    return [
        box((_CLAIM_X, top), _RIGHT - _CLAIM_X, _ROW - 6, f"claim {one.status}", rx="4"),
        words(_CLAIM_X + 8, top + 14, f"{one.id} · {one.label} · {one.status}", kind="tick"),
        words(_CLAIM_X + 8, top + 28, clipped(one.text, _LETTERS)),
    ]
