"""The request for a provider's list of its models.

A list is asked for without a key, so that the question gives no key away: OpenRouter's and Cerebras's lists are
public, and most servers on one's own machine want none. Nothing is asked again and no redirect is followed; all of it
ends within the seconds given.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, date, datetime
from typing import Any

import httpx

from activities.providers.addresses import is_at
from activities.providers.catalogue import Provider
from activities.providers.listed_models import ListedModel, ModelList
from activities.providers.transport import trusted
from activities.providers.wire_json import UnreadableJsonError, as_object, as_text, read_json

LIST_SECONDS = 2.5

_LARGEST_LIST = 16_000_000
_MOST_MODELS = 20_000
_LONGEST_NAME = 200
_SUCCESS = 200
_PER_MILLION = 1_000_000
_JSON_SCHEMA = "structured_outputs"


class ModelListError(Exception):
    """A list cannot be had now; the message says why in one clause, without an address or a key."""


async def fetch_model_list(
    provider: Provider,
    *,
    seconds: float = LIST_SECONDS,
    certificates: str | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> ModelList:
    """Ask ``provider`` for its list, once.

    Args:
        provider: Who is asked.
        seconds: After which it is given up.
        certificates: File of certificate authorities to trust beside the usual ones.
        transport: How to reach the provider, instead of the network.

    Raises:
        ModelListError: there is none to be had within that time.
    """
    transport = transport or _network(certificates)
    try:
        async with asyncio.timeout(seconds):
            body = await _ask(provider, transport)
    except TimeoutError:
        raise ModelListError(f"no answer within {seconds:g} s") from None
    except httpx.HTTPError:
        raise ModelListError("no connection") from None
    now = datetime.now(UTC)  # noqa: TID251 - an activity may read the clock
    return ModelList(provider=provider.name, base_url=provider.base_url, read_at=now, models=_models(body))


def list_url(provider: Provider) -> str:
    """Return the address of the list; Cerebras has a public one beside its API."""
    base = provider.base_url
    if provider.dialect != "cerebras":
        return f"{base}/models"
    return f"{base.removesuffix('/v1')}/public/v1/models?format=openrouter"


def _network(certificates: str | None) -> httpx.AsyncBaseTransport:
    try:
        context = trusted(certificates)
    except OSError:  # ssl.SSLError is one
        raise ModelListError("the certificates in SSL_CERT_FILE cannot be read") from None
    return httpx.AsyncHTTPTransport(verify=context, trust_env=False)


async def _ask(provider: Provider, transport: httpx.AsyncBaseTransport) -> bytes:
    url = httpx.URL(list_url(provider))
    headers = {"Accept": "application/json", "User-Agent": "parley"}
    if not is_at(provider.base_url, url.scheme, url.host, url.port):
        raise httpx.UnsupportedProtocol("the request leaves the provider's address")
    async with (
        httpx.AsyncClient(transport=transport, timeout=None, follow_redirects=False, trust_env=False) as http,  # noqa: S113 - the caller's deadline holds
        http.stream("GET", url, headers=headers) as response,
    ):
        _check_status(response)
        return b"".join([chunk async for chunk in _bounded(response)])


def _check_status(response: httpx.Response) -> None:
    if response.status_code in {401, 403}:
        raise ModelListError("its list wants a key, and none is sent for it")
    if response.status_code != _SUCCESS:
        raise ModelListError(f"HTTP status {response.status_code}")


async def _bounded(response: httpx.Response) -> AsyncIterator[bytes]:
    size = 0
    async for chunk in response.aiter_bytes():
        size += len(chunk)
        if size > _LARGEST_LIST:
            raise ModelListError(f"a list of more than {_LARGEST_LIST // 1_000_000} MB")
        yield chunk


def _models(body: bytes) -> dict[str, ListedModel]:
    try:
        answer, _ = read_json(body.decode("utf-8", "replace"))
    except UnreadableJsonError:
        said = "a web page" if body.lstrip()[:1] == b"<" else "something that is no JSON"
        raise ModelListError(f"{said} in place of a list") from None
    rows = as_object(answer).get("data")
    if not isinstance(rows, list):
        raise ModelListError("an answer without a list")
    named = ((as_text(row.get("id")), row) for row in rows[:_MOST_MODELS] if isinstance(row, dict))
    found = {name: _model(row) for name, row in named if 0 < len(name) <= _LONGEST_NAME}
    if not found:
        raise ModelListError("an empty list")
    return found


def _model(row: Mapping[str, Any]) -> ListedModel:
    pricing = as_object(row.get("pricing"))
    listed = row.get("supported_parameters")
    parameters = set(map(str, listed)) if isinstance(listed, list) else None
    return ListedModel(
        context_tokens=_count(row.get("context_length", row.get("max_model_len"))),
        input_usd=_price(pricing.get("prompt")),
        output_usd=_price(pricing.get("completion")),
        structured_output=None if parameters is None else bool({_JSON_SCHEMA, "response_format"} & parameters),
        json_schema=None if parameters is None else _JSON_SCHEMA in parameters,
        image_input=_takes_images(row),
        expires=_day(row.get("expiration_date")),
    )


def _takes_images(row: Mapping[str, Any]) -> bool | None:
    """Return what OpenRouter's ``architecture`` says; other lists say nothing of it."""
    modalities = as_object(row.get("architecture")).get("input_modalities")
    return "image" in modalities if isinstance(modalities, list) else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _price(value: Any) -> float | None:
    """Return dollars for a million tokens of ``value``, dollars for one; OpenRouter's routers say -1."""
    try:
        price = float(value) * _PER_MILLION if isinstance(value, str | int | float) else -1.0
    except ValueError:
        return None
    return round(price, 6) if math.isfinite(price) and price >= 0 else None


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(as_text(value)[:10])
    except ValueError:
        return None
