"""Preferences between arms, from both orders of each pair."""

from collections.abc import Iterable, Sequence
from math import fsum
from typing import NamedTuple

from ledger.studies.results import ResultRow
from ledger.studies.scores import Score
from protocols.model_call import FrozenModel
from studies.comparison.model import Figure, PositionBias
from studies.comparison.resampling import RatioSums, interval
from studies.comparison.scoring import grouped

_FIRST, _SECOND, _TIE = "first", "second", "tie"


class Preference(FrozenModel):
    """A judgement of two answers to one row, asked in both orders."""

    row_id: str
    repeat: int
    arm: str
    other: str
    deliberation_id: str
    other_id: str
    as_first: str | None
    """What the judge answered where the arm's answer was shown first; ``None``: no answer could be read."""
    as_second: str | None
    """What it answered where the arm's answer was shown second."""
    length: int
    """Characters of the arm's answer."""
    other_length: int

    @property
    def is_read(self) -> bool:
        """True if both orders were answered."""
        return self.as_first is not None and self.as_second is not None

    @property
    def is_consistent(self) -> bool:
        """True if both orders name the same arm, or both say tie."""
        return self.is_read and _won(self.as_first) == 1 - _won(self.as_second)

    @property
    def value(self) -> float | None:
        """The arm's share of the pair: 1 won, 0 lost, 0.5 for a tie or an inconsistent pair.

        ``None`` when an order is unread.
        """
        if not self.is_read:
            return None
        return _won(self.as_first) if self.is_consistent else 0.5

    @property
    def favoured_position(self) -> str | None:
        """The position that was preferred in both orders; ``None`` when it is not always the same one."""
        decided = self.as_first == self.as_second and self.as_first in {_FIRST, _SECOND}
        return self.as_first if decided else None


class Shown(NamedTuple):
    """A pair in one order and the judge's answer."""

    first: ResultRow
    second: ResultRow
    said: str | None


def both_orders(judged: Iterable[Shown]) -> list[Preference]:
    """Return a preference for every pair that was asked in both orders, with the arms in the order of their names."""
    said = {(one.first.deliberation_id, one.second.deliberation_id): one for one in judged}
    found = []
    for (first, second), one in said.items():
        back = said.get((second, first))
        if back is None or (one.first.arm, first) > (one.second.arm, second):
            continue
        found.append(
            Preference(
                row_id=one.first.row_id,
                repeat=one.first.repeat,
                arm=one.first.arm,
                other=one.second.arm,
                deliberation_id=first,
                other_id=second,
                as_first=one.said,
                as_second=back.said,
                length=len(one.first.verdict or ""),
                other_length=len(one.second.verdict or ""),
            )
        )
    return found


def preferences_of(scores: Iterable[Score]) -> list[Preference]:
    """Return the preferences that ``scores`` keep."""
    return [
        Preference.model_validate({name: one.details[name] for name in Preference.model_fields})
        for one in scores
        if one.other_id
    ]


def position_bias(preferences: Sequence[Preference], seed: int) -> PositionBias:
    """Return how often the judge preferred one position in both orders; the intervals draw rows."""
    read = [one for one in preferences if one.is_read]
    first, second = (
        share_by_row([(one.row_id, float(one.favoured_position == position)) for one in read], seed)
        for position in (_FIRST, _SECOND)
    )
    return PositionBias(pairs=len(read), first=first, second=second)


def share_by_row(values: Sequence[tuple[str, float]], seed: int) -> Figure:
    """Return the mean of ``values``, row and share of each; the interval draws rows."""
    by_row = grouped(sorted(values), lambda one: one[0])
    found = RatioSums.of([(fsum(share for _, share in of), len(of)) for of in by_row.values()])
    return Figure(value=found.ratio, interval=interval(found, seed, is_share=True))


def arms_of(preferences: Sequence[Preference]) -> tuple[str, ...]:
    """Return the arms that were compared, in the order of their names."""
    return tuple(sorted({arm for one in preferences for arm in (one.arm, one.other)}))


def _won(said: str | None) -> float:
    """Return how much the answer shown first won."""
    return {_FIRST: 1.0, _SECOND: 0.0}.get(said or _TIE, 0.5)
