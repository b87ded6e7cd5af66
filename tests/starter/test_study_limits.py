"""A study says which rates of its providers limit it."""

from protocols.panel import Panel
from runtime.rate_limits import QueueLimits
from starter.views.estimates import provider_limits

PANEL = Panel.of(("lab:one", "free:two"), "lab:one")


def test_a_rate_of_a_provider_is_named() -> None:
    """The rate of all models together and of each, of the providers that are asked; others say nothing."""
    limited = {"lab": QueueLimits(per_second=2, per_key=0.5), "other": QueueLimits(per_second=9)}

    assert [
        (
            "limited by lab: 2 requests a second and 0.5 requests a second of each model, "
            "for all workers together (parley limits)"
        )
    ] == list(provider_limits(limited, [PANEL], {}))


def test_without_limited_providers_nothing_is_said() -> None:
    """A study whose providers have no rate is limited by its window or its workers alone."""
    assert [] == list(provider_limits({}, [PANEL], {"other": 3}))


def test_calls_at_once_of_a_provider_are_named() -> None:
    """The most requests that a worker has open at a provider are a limit too, with or without a rate."""
    assert list(provider_limits({}, [PANEL], {"lab": 8, "other": 3})) == [
        "limited by lab: 8 at once in each worker (max_concurrent of the providers file)"
    ]
