"""The rates of providers that limit a study, in words."""

from collections.abc import Iterable, Iterator, Mapping

from protocols.panel import Panel, provider_of
from runtime.rate_limits import QueueLimits


def provider_limits(limited: Mapping[str, QueueLimits], panels: Iterable[Panel]) -> Iterator[str]:
    """Yield one line for each provider of ``panels`` whose rate the server limits.

    Args:
        limited: By provider.
        panels: Of the study.
    """
    asked = dict.fromkeys(provider_of(model) for panel in panels for model in panel.models)
    for name in asked:
        if name in limited:
            yield f"limited by {name}: {_rates(limited[name])}, for all workers together (parley limits)"


def _rates(limits: QueueLimits) -> str:
    whole = f"{limits.per_second:g} requests a second" if limits.per_second is not None else ""
    each = f"{limits.per_key:g} requests a second of each model" if limits.per_key is not None else ""
    return " and ".join(filter(None, (whole, each)))
