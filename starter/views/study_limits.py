"""The limits of providers on a study or a deliberation, in words."""

from collections.abc import Iterable, Iterator, Mapping

from parley.catalogue import Providers
from protocols.panel import Panel, provider_of
from runtime.rate_limits import QueueLimits


def limits_of(providers: Providers, panels: Iterable[Panel]) -> Iterator[str]:
    """Yield the lines of ``provider_limits`` for the providers of an installation."""
    at_once = {line.name: line.max_concurrent for line in providers.lines() if line.max_concurrent}
    return provider_limits(providers.limited(), panels, at_once)


def provider_limits(
    limited: Mapping[str, QueueLimits], panels: Iterable[Panel], at_once: Mapping[str, int]
) -> Iterator[str]:
    """Yield a line for each rate that the server keeps for a provider of ``panels``, and each limit of calls at once.

    Args:
        limited: Rates by provider.
        panels: Of the study or the deliberation.
        at_once: Calls that each worker makes at once, by provider.
    """
    asked = dict.fromkeys(provider_of(model) for panel in panels for model in panel.models)
    for name in asked:
        if name in limited:
            yield f"limited by {name}: {_rates(limited[name])}, for all workers together (parley limits)"
        if name in at_once:
            yield f"limited by {name}: {at_once[name]:,} at once in each worker (max_concurrent of the providers file)"


def _rates(limits: QueueLimits) -> str:
    whole = f"{limits.per_second:g} requests a second" if limits.per_second is not None else ""
    each = f"{limits.per_key:g} requests a second of each model" if limits.per_key is not None else ""
    return " and ".join(filter(None, (whole, each)))
