"""Who shares connections with whom."""

import asyncio
from contextlib import AsyncExitStack

import httpx
import pytest

from activities.providers.addresses import OneOrigin, origin_of
from activities.providers.progress import CallProgress
from tests.fakes.calls import provider
from tests.fakes.wire import Wire, answering


async def clients(count: int, model: str = "small") -> set[int]:
    """How many different clients so many requests at once get."""
    pool = Wire(answering()).pool()
    async with AsyncExitStack() as held:
        lent = [await held.enter_async_context(pool.lend(provider(), model, CallProgress())) for _ in range(count)]
        found = {id(client) for client in lent}
    await pool.aclose()
    return found


@pytest.mark.parametrize(("requests", "expected"), [(1, 1), (10, 1), (11, 2), (35, 4)])
async def test_no_client_carries_more_than_ten_requests(requests: int, expected: int) -> None:
    """The eleventh request at once gets another client."""
    assert len(await clients(requests)) == expected


async def test_a_model_has_clients_of_its_own() -> None:
    """Two models of one provider share no client, and one model's client is used again."""
    pool = Wire(answering()).pool()
    seen = []
    for model in ("a", "b", "a"):
        async with pool.lend(provider(), model, CallProgress()) as client:
            seen.append(client)
    await pool.aclose()
    assert seen[0] is not seen[1]
    assert seen[0] is seen[2]


async def test_a_full_provider_lets_calls_wait() -> None:
    """With one place, the second call is queued until the first is done."""
    pool, narrow, second = Wire(answering()).pool(), provider(max_concurrent=1), CallProgress()

    async def queue_up() -> None:
        async with pool.lend(narrow, "other", second):
            pass

    async with pool.lend(narrow, "small", CallProgress()):
        waiting = asyncio.create_task(queue_up())
        await asyncio.sleep(0.01)
        phase_while_full = second.phase
    await waiting
    await pool.aclose()
    assert (phase_while_full, second.phase) == ("queued", "connecting")


@pytest.mark.parametrize(
    "url",
    [
        "https://lab.example/v1",
        "http://lab.example:8443/v1",
        "https://lab.example:8444/v1",
        "https://evil.example:8443/v1",
        "https://2130706433:8443/v1",
    ],
)
async def test_a_request_that_leaves_the_origin_is_not_sent(url: str) -> None:
    """Scheme, host and port must be the provider's own; anything else is refused before it is sent."""
    wire = Wire(answering())
    async with httpx.AsyncClient(transport=OneOrigin(origin_of("https://lab.example:8443/v1"), wire)) as client:
        with pytest.raises(httpx.UnsupportedProtocol):
            await client.get(url)
    assert wire.requests == []
