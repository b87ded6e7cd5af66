"""Payments that can be counted, for tests of the journal."""

import asyncio
from collections.abc import Awaitable, Callable

from ledger.identity import CallIdentity
from ledger.payments import Caller
from protocols.model_call import Answered, Cost, Failed, ModelId, ParticipantId, Usage


def identity(call_id: str = "opinion-p1", *, workflow_id: str = "council-why", salt: str = "") -> CallIdentity:
    """The identity of a call."""
    return CallIdentity(workflow_id=workflow_id, call_id=call_id, salt=salt, fingerprint="f0")


def answer(text: str = "because", *, tokens: int = 7) -> Answered:
    """An answer that cost a tenth of a cent."""
    return Answered(
        call_id="opinion-p1",
        participant=ParticipantId("p1"),
        model=ModelId("openrouter:anthropic/claude-opus-4.6"),
        text=text,
        usage=Usage(prompt_tokens=10, completion_tokens=tokens),
        cost=Cost(usd=0.001, source="provider"),
        provider="openrouter",
        served_model="anthropic/claude-opus-4.6",
        upstream="Anthropic",
        request_id="gen-1",
        seconds=1.5,
    )


def failure(message: str = "the provider refused the request") -> Failed:
    """A call that was lost."""
    return Failed(
        kind="api_error",
        call_id="opinion-p1",
        participant=ParticipantId("p1"),
        model=ModelId("openrouter:anthropic/claude-opus-4.6"),
        error_type="provider.bad_request",
        message=message,
        attempts=3,
    )


class Payments:
    """Counts what is paid. A payment takes until ``finish`` is called, or no time when it was made ``quick``."""

    def __init__(self, reply: Answered | Failed | None = None, *, quick: bool = False) -> None:
        self.begun = 0
        self.cancelled = 0
        self.running = asyncio.Event()
        self._reply = reply or answer()
        self._finished = asyncio.Event()
        if quick:
            self._finished.set()

    async def __call__(self) -> Answered | Failed:
        """Pay once."""
        self.begun += 1
        self.running.set()
        try:
            await self._finished.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return self._reply

    def finish(self) -> None:
        """Let every payment end."""
        self._finished.set()


def failing(error: Exception) -> Callable[[], Awaitable[Answered | Failed]]:
    """A payment that raises ``error``."""

    async def pay() -> Answered | Failed:
        raise error

    return pay


class Waiting(Caller):
    """A caller that keeps each reason why it waits for the store."""

    def __init__(self) -> None:
        self.reasons: list[tuple[str, bool]] = []

    def wait(self, reason: str, *, is_paid: bool = False) -> None:
        """Keep a reason that is new."""
        if (reason, is_paid) not in self.reasons[-1:]:
            self.reasons.append((reason, is_paid))
