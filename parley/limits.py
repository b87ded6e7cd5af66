"""The rates that the Temporal server keeps for a provider's calls, looked at and changed while everything runs.

The providers file has the defaults. A limit set here takes effect at once for all workers together, survives their
restart and the server's, and stays until it is changed or reset to the file.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from parley.catalogue import Providers
from parley.errors import RequestError
from runtime.rate_limits import BY_A_PERSON, CurrentLimits, QueueLimits, current_limits, limit_queue

_NOT_OFFERED = {RPCStatusCode.UNIMPLEMENTED, RPCStatusCode.PERMISSION_DENIED}
_TOO_OLD = "this Temporal server keeps no limits for task queues, or does not let them be seen; calls go unlimited"


@dataclass(frozen=True)
class Change:
    """A change of rate limits; ``None`` keeps a limit, and 0 removes it."""

    per_second: float | None = None
    """Of all models of the provider together."""
    per_model: float | None = None
    """Of each model by itself."""
    models: Mapping[str, float] | None = None
    """Requests a second of single models, in place of the rate for each."""
    reason: str = ""


@dataclass(frozen=True)
class LimitLine:
    """The rate limits of a provider on the server."""

    provider: str
    queue: str
    per_second: float | None
    per_model: float | None
    models: Mapping[str, float]
    """Single models and their requests a second."""
    reason: str


class Limits:
    """The limits of one installation's providers."""

    def __init__(self, client: Client, providers: Providers) -> None:
        self._client = client
        self._providers = providers

    async def lines(self) -> tuple[LimitLine, ...]:
        """Return the present limits on the server, by provider."""
        return tuple(
            [_line(name, queue, await self._kept(queue)) for name, queue in sorted(self._providers.queues.items())]
        )

    async def change(self, provider: str, change: Change) -> LimitLine:
        """Set other limits for ``provider`` on the server."""
        queue = self._queue(provider)
        kept = await self._kept(queue)
        limits = self._changed(provider, kept.limits, change)
        return await self._keep(provider, queue, limits, f"{BY_A_PERSON}{change.reason and ': '}{change.reason}")

    async def reset(self, provider: str) -> LimitLine:
        """Set the limits of the providers file on the server."""
        limits = self._providers.limited().get(provider, QueueLimits())
        return await self._keep(provider, self._queue(provider), limits, f"providers file: {provider}")

    async def _keep(self, provider: str, queue: str, limits: QueueLimits, reason: str) -> LimitLine:
        if not await limit_queue(self._client, queue, limits, reason=reason):
            raise RequestError(_TOO_OLD)
        return _line(provider, queue, CurrentLimits(limits, reason))

    def _queue(self, provider: str) -> str:
        queues = self._providers.queues
        if provider not in queues:
            self._providers.refuse_unknown(provider)
            named = ", ".join(sorted(queues)) or "none yet"
            raise RequestError(
                f"{provider!r} has no queue of its own that could be limited (those that have: {named}). Give it "
                "requests_per_second in the providers file of every worker and client once, and restart the workers"
            )
        return queues[provider]

    def _changed(self, provider: str, kept: QueueLimits, change: Change) -> QueueLimits:
        each = _other(kept.per_key, change.per_model)
        rates = {key: weight * (kept.per_key or 0) for key, weight in kept.weights.items()}
        for name, rate in (change.models or {}).items():
            rates[self._providers.fairness_key(provider, name)] = rate
        rates = {key: rate for key, rate in rates.items() if rate > 0}
        if rates and each is None:
            raise RequestError("rates of single models replace the one for each model: give --per-model too")
        weights = {key: rate / each for key, rate in rates.items()} if each else {}
        return QueueLimits(_other(kept.per_second, change.per_second), each, weights)

    async def _kept(self, queue: str) -> CurrentLimits:
        try:
            return await current_limits(self._client, queue)
        except RPCError as error:
            if error.status not in _NOT_OFFERED:
                raise
            raise RequestError(_TOO_OLD) from None


def _other(kept: float | None, wanted: float | None) -> float | None:
    return kept if wanted is None else wanted or None


def _line(provider: str, queue: str, kept: CurrentLimits) -> LimitLine:
    limits = kept.limits
    each = limits.per_key or 0.0
    models = {key.removeprefix(f"{provider}/"): round(weight * each, 6) for key, weight in limits.weights.items()}
    return LimitLine(provider, queue, limits.per_second, limits.per_key, models, kept.reason or "not on the server yet")
