"""Absent providers, detected from the calls that wait for them."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from parley.pending_calls import Call
from protocols.model_call import FrozenModel
from protocols.time_spans import write_span

_LONGEST_PAUSE = 310.0
"""Seconds between two tries at most; a longer one means that this machine's clock is not the server's."""
_LONGEST_REASON = 160
_A_DAY = timedelta(days=1)


class Outage(FrozenModel):
    """One provider that is away."""

    provider: str
    since: datetime
    """When the first call failed, by the server's clock."""
    reason: str
    """What ended the last try, in one line."""
    calls: int = 1
    """How many calls wait for it."""
    next_try_in: float | None = None
    """Seconds until the next of them is tried again; ``None`` while one is being tried."""
    is_old: bool = False
    """It began more than a day ago, so the day is shown too."""

    def __str__(self) -> str:
        """Return the outage as one line."""
        return self.described()

    def described(self, *, is_redrawn: bool = True) -> str:
        """Return the outage as one line; leave out what changes every second unless the screen is redrawn."""
        since = self.since.astimezone(UTC)
        began = f"{since:%Y-%m-%d %H:%M}" if self.is_old else f"{since:%H:%M}"
        if not is_redrawn:
            return f"{self.provider} away since {began} UTC ({self.reason})"
        waiting = f"{self.calls} calls wait for it" if self.calls > 1 else "1 call waits for it"
        soon = "now" if self.next_try_in is None else f"in {write_span(round(self.next_try_in))}"
        return f"{self.provider} away since {began} UTC ({self.reason}, next try {soon}); {waiting}"


def find_outages(calls: Iterable[Call], now: datetime) -> tuple[Outage, ...]:
    """Return the providers that ``calls`` wait for, by name."""
    waiting: dict[str, list[Call]] = {}
    for call in calls:
        if call.away_since is not None:
            waiting.setdefault(call.provider, []).append(call)
    return tuple(_outage(provider, waiting[provider], now) for provider in sorted(waiting))


def _outage(provider: str, calls: list[Call], now: datetime) -> Outage:
    since = min(call.away_since for call in calls if call.away_since is not None)
    newest = max(calls, key=lambda call: call.failed_at or since)
    reason = (newest.last_failure or "it does not answer").removeprefix(f"{provider}: ").partition("; away since")[0]
    left = [(call.next_try - now).total_seconds() for call in calls if call.next_try is not None]
    soonest = None if len(left) < len(calls) else min(left)
    return Outage(
        provider=provider,
        since=since,
        reason=reason if len(reason) <= _LONGEST_REASON else f"{reason[: _LONGEST_REASON - 1]}…",
        calls=len(calls),
        next_try_in=soonest if soonest is not None and 0 < soonest <= _LONGEST_PAUSE else None,
        is_old=now - since > _A_DAY,
    )
