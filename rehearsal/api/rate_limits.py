"""Rate limits: concurrent slots, and a token bucket charged by estimate before a call runs."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from time import monotonic
from typing import TypeVar

from rehearsal.dialects.shape import RateState, Refusal
from rehearsal.faults.script import Budget, Places, Script

MODEL_MAXIMUM = 32_768
"""Output tokens that are reserved for a call that sets no limit: the whole model maximum, as Cerebras does."""

Seat = tuple[str, str]
"""A taken place: the rule it counts under and the key that holds it."""

Row = TypeVar("Row", Places, Budget)

_POLL = 0.02


@dataclass
class _Bucket:
    level: float
    at: float


class RateLimiter:
    """Counters of calls in flight and of the token buckets."""

    def __init__(self) -> None:
        self._inside: Counter[Seat] = Counter()
        self._buckets: dict[tuple[str, str], _Bucket] = {}

    async def enter(self, script: Script, model: str, key: str, closing: asyncio.Event) -> Seat | Refusal:
        """Take a place for ``key``; a refusal when there is none and waiting is not asked for."""
        rule = _first(script.places, model)
        seat = (rule.model if rule else "", key)
        while rule is not None and not closing.is_set() and self._inside[seat] >= rule.at_once:
            if rule.beyond == "refuse":
                return Refusal(429, f"More than {rule.at_once} calls at once.", "rate_limit_exceeded")
            await asyncio.sleep(_POLL)
        self._inside[seat] += 1
        return seat

    def leave(self, seat: Seat) -> None:
        """Give a place back."""
        self._inside[seat] -= 1

    def charge(self, script: Script, model: str, key: str, estimate: int) -> tuple[RateState, Refusal | None]:
        """Take ``estimate`` tokens from the bucket of ``key``, or refuse and leave it as it is."""
        budget = _first(script.budgets, model)
        if budget is None:
            return RateState(), None
        bucket = self._refilled(budget, key)
        missing = estimate - bucket.level
        bucket.level -= estimate if missing <= 0 else 0
        state = _state(budget, bucket, missing)
        if missing <= 0:
            return state, None
        message = "Tokens per minute limit exceeded - too many tokens processed."
        return state, Refusal(429, message, "token_quota")

    def _refilled(self, budget: Budget, key: str) -> _Bucket:
        now = monotonic()
        bucket = self._buckets.setdefault((budget.model, key), _Bucket(budget.tokens_per_minute, now))
        gained = (now - bucket.at) * budget.tokens_per_minute / 60
        bucket.level, bucket.at = min(budget.tokens_per_minute, bucket.level + gained), now
        return bucket


def _state(budget: Budget, bucket: _Bucket, missing: float) -> RateState:
    return RateState(
        limit_tokens=budget.tokens_per_minute,
        remaining_tokens=int(bucket.level),
        reset_seconds=max(0.0, missing) * 60 / budget.tokens_per_minute,
        style=budget.style,
    )


def _first(rows: tuple[Row, ...], model: str) -> Row | None:
    return next((row for row in rows if fnmatchcase(model, row.model)), None)
