"""Offline list prices, for answers without a reported cost.

The library has its list in its package and fetches nothing unless it is asked to update, which never happens. A
model that is not listed under the provider that served it has an unknown price: the same model costs something else
elsewhere.
"""

from datetime import UTC, datetime
from functools import lru_cache

from protocols.model_call import Cost, Usage


def list_price(usage: Usage, model: str, price_list: str | None) -> Cost:
    """Return the list price of ``usage``; unknown for an unlisted model or unknown tokens, never zero."""
    if price_list is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return Cost()
    if model.endswith(":free"):
        return Cost(usd=0.0, source="price_list")
    if not _is_listed(model, price_list):
        return Cost()
    from genai_prices import Usage as PricedUsage  # noqa: PLC0415 - its models are built when a price is asked for
    from genai_prices import calc_price  # noqa: PLC0415 - the same

    counted = PricedUsage(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        cache_read_tokens=min(usage.cached_tokens or 0, usage.prompt_tokens),
    )
    # The day decides which of a model's prices holds.
    today = datetime.now(UTC)  # noqa: TID251 - an activity may read the clock
    try:
        price = calc_price(counted, model, provider_id=price_list, genai_request_timestamp=today)
    except (LookupError, ValueError):
        return Cost()
    usd = float(price.total_price)
    return Cost(usd=usd, source="price_list") if usd > 0 else Cost()


@lru_cache(maxsize=4096)  # the library searches its list again each time it is asked for a model that is not in it
def _is_listed(model: str, price_list: str) -> bool:
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - its models are built when they are needed

    try:
        get_snapshot().find_provider_model(model, None, price_list, None)
    except (LookupError, ValueError):
        return False
    return True
