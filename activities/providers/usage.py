"""Usage and cost as a provider reports them. What is missing or absurd is unknown, never zero."""

from collections.abc import Mapping
from typing import Any

from activities.providers.wire_json import as_number, as_object
from protocols.model_call import Cost, Usage

_MOST_TOKENS = 10**12
_UNKNOWN = Cost()


def usage_of(reported: Mapping[str, Any]) -> tuple[Usage, tuple[str, ...]]:
    """Return the tokens in an OpenAI-style ``usage`` object, and a note per unusable value."""
    repairs: list[str] = []

    def count(where: Mapping[str, Any], name: str) -> int | None:
        value = where.get(name)
        number = as_number(value)
        if number is not None and 0 <= number <= _MOST_TOKENS and number == int(number):
            return int(number)
        if value is not None:
            repairs.append(f"usage {name} unknown: not a count")
        return None

    prompt_details = as_object(reported.get("prompt_tokens_details"))
    completion_details = as_object(reported.get("completion_tokens_details"))
    usage = Usage(
        prompt_tokens=count(reported, "prompt_tokens"),
        completion_tokens=count(reported, "completion_tokens"),
        reasoning_tokens=count(completion_details, "reasoning_tokens"),
        cached_tokens=count(prompt_details, "cached_tokens"),
    )
    return usage, tuple(repairs)


def reported_cost(reported: Mapping[str, Any]) -> tuple[Cost, tuple[str, ...]]:
    """Return the cost in dollars that the provider reports (OpenRouter; elsewhere unknown).

    With a key of one's own (``is_byok``) the upstream's price comes on top of the router's; without that price the sum
    is unknown.
    """
    if reported.get("cost") is None:
        return _UNKNOWN, ()
    parts = [as_number(reported["cost"])]
    if reported.get("is_byok") is True:
        parts.append(as_number(as_object(reported.get("cost_details")).get("upstream_inference_cost")))
    known = [part for part in parts if part is not None and part >= 0]
    if len(known) < len(parts):
        return Cost(), ("cost unknown: the provider's figure is not a sum of money",)
    return Cost(usd=sum(known), source="provider"), ()
