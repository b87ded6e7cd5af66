"""Who shares connections with whom."""

import asyncio
from contextlib import AsyncExitStack

import httpx
import pytest

from activities.providers.addresses import is_at
from activities.providers.pool import Pool
from activities.providers.progress import CallProgress
from tests.fakes.calls import provider
from tests.fakes.wire import Wire, answering


async def test_all_calls_to_a_provider_share_its_connections() -> None:
    """A provider has one client, whatever the model and however many requests are made at once."""
    pool = Wire(answering()).pool()
    async with AsyncExitStack() as held:
        lent = [await held.enter_async_context(pool.lend(provider(), CallProgress())) for _ in range(35)]
        other = await held.enter_async_context(pool.lend(provider(name="other"), CallProgress()))
    await pool.aclose()
    assert {id(client) for client in lent} == {id(lent[0])}
    assert other is not lent[0]


async def test_a_full_provider_lets_calls_wait() -> None:
    """With one place, the second call is queued until the first is done."""
    pool, narrow, second = Wire(answering()).pool(), provider(max_concurrent=1), CallProgress()

    async def queue_up() -> None:
        async with pool.lend(narrow, second):
            pass

    async with pool.lend(narrow, CallProgress()):
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
def test_a_request_that_leaves_the_origin_is_refused(url: str) -> None:
    """Scheme, host and port must be the provider's own; anything else is refused before it is sent."""
    asked = httpx.URL(url)
    assert not is_at("https://lab.example:8443/v1", asked.scheme, asked.host, asked.port)


async def test_a_request_whose_address_is_read_in_another_way_is_not_sent() -> None:
    """A host that two readers of addresses read differently is refused, and no connection is opened to it."""
    pool, lab = Pool(), provider(base_url="https://xn--bcher-kva.example/v1")
    async with pool.lend(lab, CallProgress()) as client:
        with pytest.raises(httpx.UnsupportedProtocol):
            await client.send(b"", {})
    await pool.aclose()
