"""One exchange over a scripted wire."""

from collections.abc import Callable
from typing import Any, Protocol

import httpx
import pytest
from pydantic import SecretStr

from activities.providers.assembly import Heard
from activities.providers.conversation import converse
from activities.providers.pulse import Pulse
from tests.fakes.calls import model_call, provider
from tests.fakes.wire import Wire


class Exchange(Protocol):
    """Hold one exchange with a provider that answers by the script."""

    async def __call__(
        self, answer: Callable[[httpx.Request], httpx.Response], *, pulse: Pulse | None = None, **patience: Any
    ) -> Heard:
        """What was heard; raises what ``converse`` raises."""
        ...


@pytest.fixture
def exchange() -> Exchange:
    """One exchange with the provider ``lab``, with a key."""

    async def hold(
        answer: Callable[[httpx.Request], httpx.Response], *, pulse: Pulse | None = None, **patience: Any
    ) -> Heard:
        pool, pulse, lab = Wire(answer).pool(), pulse or Pulse(), provider()
        waits = {"total": 5, "first_token": 5, "between_chunks": 5, **patience}
        try:
            async with pool.lend(lab, "small", pulse) as client:
                call = model_call(patience=waits)
                return await converse(client, call, lab, SecretStr("sk-canary-123456"), call_key="k", pulse=pulse)
        finally:
            await pool.aclose()

    return hold
