"""One exchange over a scripted wire."""

from collections.abc import Callable
from typing import Any, Protocol

import httpx
import pytest
from pydantic import SecretStr

from activities.providers.http_exchange import send_call
from activities.providers.progress import CallProgress
from activities.providers.stream_assembly import Chunk
from tests.fakes.calls import model_call, provider
from tests.fakes.wire import Wire


class Exchange(Protocol):
    """Hold one exchange with a provider that answers by the script."""

    async def __call__(
        self, answer: Callable[[httpx.Request], httpx.Response], *, pulse: CallProgress | None = None, **patience: Any
    ) -> Chunk:
        """The chunks of an answer; raises what ``send_call`` raises."""
        ...


@pytest.fixture
def exchange() -> Exchange:
    """One exchange with the provider ``lab``, with a key."""

    async def hold(
        answer: Callable[[httpx.Request], httpx.Response], *, pulse: CallProgress | None = None, **patience: Any
    ) -> Chunk:
        pool, pulse, lab = Wire(answer).pool(), pulse or CallProgress(), provider()
        waits = {"total": 5, "first_token": 5, "between_chunks": 5, **patience}
        try:
            async with pool.lend(lab, pulse) as client:
                call = model_call(patience=waits)
                return await send_call(client, call, lab, SecretStr("sk-canary-123456"), call_key="k", pulse=pulse)
        finally:
            await pool.aclose()

    return hold
