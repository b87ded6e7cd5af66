"""What the deliberations of a study will take, so that it can be reserved before they begin.

Reserved is the middle between the low and the high end of ``estimates``, in tokens and, as far as prices are known, in
dollars, what further calls of a turn may add included: the low end would let too many begin under a cap, the high end
would leave most of a budget idle. A scripted model is foreseen at the price of the one whose name it has. A model
without a price counts nothing in dollars, and its name is told.

Rows of nearly the same length are foreseen alike.
"""

from collections import Counter
from collections.abc import Iterable
from math import fsum
from typing import NamedTuple

from protocols.exchange import ModelId
from protocols.panel import name_of, provider_of, route
from protocols.study.model import Amount
from starter.errors import RequestError
from starter.estimates import Estimate, ModelEstimate, Price, estimate
from starter.plans import Span, text_tokens
from starter.study.grid import Arm
from starter.study.mapping import StudyRow

_FINE, _COARSE = 256, 4096
"""Bytes by which lengths differ that are foreseen alike, below and above ``_LONG``."""
_LONG = 8192
_DECIMALS = 12
_SCRIPTED = "rehearsal"


class Foreseen(NamedTuple):
    """What all deliberations of a study will take."""

    deliberations: int
    amount: Amount
    by_arm: dict[str, Amount]
    unpriced: tuple[ModelId, ...]
    """Models whose price is unknown: the dollars are those of the others."""
    least: Amount
    most: Amount
    """The ends of the estimate; ``amount`` lies between them."""


class _Range(NamedTuple):
    """The low end of what a deliberation takes, what is reserved for it, and the high end."""

    low: Amount
    middle: Amount
    high: Amount


class Outlook:
    """What each deliberation will take.

    Args:
        arms: Of the study.
        price: Of one call; see ``estimates``.
    """

    def __init__(self, arms: Iterable[Arm], price: Price) -> None:
        self._arms = {arm.name: arm for arm in arms}
        self._price = price
        self._known: dict[tuple[str, int], _Range] = {}
        self._unpriced: dict[ModelId, None] = {}
        self._lengths: Counter[int] = Counter()

    def of(self, arm: Arm, row: StudyRow) -> Amount:
        """What one deliberation is reserved.

        Raises:
            RequestError: a model names a provider that is not in the catalogue.
        """
        return self._alike(arm, _length(row)).middle

    def count(self, row: StudyRow) -> None:
        """Count ``row`` in for ``total``."""
        self._lengths[_length(row)] += 1

    def total(self, repeats: int) -> Foreseen:
        """All rows that were counted in, in every arm, so many times.

        Raises:
            RequestError: a model names a provider that is not in the catalogue.
        """
        ranges = {name: self._sum(arm, repeats) for name, arm in self._arms.items()}
        return Foreseen(
            deliberations=self._lengths.total() * repeats * len(ranges),
            amount=_added(one.middle for one in ranges.values()),
            by_arm={name: one.middle for name, one in ranges.items()},
            unpriced=tuple(self._unpriced),
            least=_added(one.low for one in ranges.values()),
            most=_added(one.high for one in ranges.values()),
        )

    def _sum(self, arm: Arm, repeats: int) -> _Range:
        alike = [(self._alike(arm, length), rows * repeats) for length, rows in self._lengths.items()]
        return _Range(
            _multiplied((one.low, times) for one, times in alike),
            _multiplied((one.middle, times) for one, times in alike),
            _multiplied((one.high, times) for one, times in alike),
        )

    def _alike(self, arm: Arm, length: int) -> _Range:
        key = (arm.name, length)
        if key not in self._known:
            wish = arm.kind.wish(arm.options, arm.panel, _tokens(length))._replace(clarify=arm.options.clarify)
            self._known[key] = self._range(estimate(wish, self._listed))
        return self._known[key]

    def _range(self, told: Estimate) -> _Range:
        self._unpriced |= dict.fromkeys(line.model for line in told.models if line.usd is None)
        dollars = [_dollars(line) for line in (*told.models, *told.further_models)]
        usd = [fsum(ends) for ends in zip(*dollars, strict=True)] or [0.0, 0.0]
        totals = (told.total, told.further)
        spans = [span for one in totals for span in (one.prompt_tokens, one.completion_tokens)]
        low, high = sum(span.low for span in spans), sum(span.high for span in spans)
        return _Range(_amount(usd[0], low), _amount(fsum(usd) / 2, (low + high) // 2), _amount(usd[1], high))

    def _listed(self, model: ModelId, prompt_tokens: int, completion_tokens: int) -> float | None:
        played = route(name_of(model)) if provider_of(model) == _SCRIPTED else model
        try:
            return self._price(played, prompt_tokens, completion_tokens)
        except RequestError:
            if played == model:
                raise
            return None


def _dollars(line: ModelEstimate) -> tuple[float, float]:
    """Return the ends of what a model costs; nothing where its price is unknown."""
    if line.usd is None or line.usd.high is None:
        return 0.0, 0.0
    return line.usd.low, line.usd.high


def _length(row: StudyRow) -> int:
    """Bytes of what is asked, rounded up."""
    size = max(len(text.encode()) for text in (row.question, "".join(row.layers.values())))
    step = _FINE if size <= _LONG else _COARSE
    return -(-size // step) * step


def _tokens(length: int) -> Span:
    return text_tokens("x" * length)


def _added(amounts: Iterable[Amount]) -> Amount:
    return _multiplied((one, 1) for one in amounts)


def _multiplied(amounts: Iterable[tuple[Amount, int]]) -> Amount:
    each = tuple(amounts)
    return _amount(fsum(one.usd * times for one, times in each), sum(one.tokens * times for one, times in each))


def _amount(usd: float, tokens: int) -> Amount:
    return Amount(usd=round(usd, _DECIMALS), tokens=tokens)
