"""Scripted models: a real ``call_model`` activity that answers from a script instead of a network."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.refusal_check import check_refusal
from activities.reply_readers import informed, read
from protocols.model_call import Answered, Cost, Failed, ModelCall, Reply, Usage
from protocols.thinking import split_thinking

Script = Callable[[ModelCall], str | Exception | Failed]
"""What the model writes to a call, how it fails, or the exception it fails with."""


class ScriptedModels:
    """Answers every call by ``script``; keeps the calls in the order they came."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.calls: list[ModelCall] = []
        self.hold: set[str] = set()
        """Call ids that are never answered (until cancelled), to catch a deliberation in the middle."""
        self.is_silent = False
        """Whether held calls send no heartbeat, so that they do not learn of their cancellation."""
        self.reports_usage = True
        """Whether a reply says what it used and cost."""
        self.holds_first = False
        """Whether the call that comes first joins them."""

    def answer_with(self, script: Script) -> None:
        """Answer by another script from now on."""
        self._script = script

    @activity.defn(name="call_model")
    async def call_model(self, call: ModelCall) -> Reply:
        """Answer one call."""
        self.calls.append(call)
        if self.holds_first and not self.hold:
            self.hold = {call.call_id}
        while call.call_id in self.hold:
            if not self.is_silent:
                activity.heartbeat({"tokens": 7})
            await asyncio.sleep(0.05)
        said = self._script(call)
        if isinstance(said, Exception):
            raise said
        if isinstance(said, Failed):
            return said
        reply = replied(call, said)
        return reply if self.reports_usage else reply.model_copy(update={"usage": Usage(), "cost": Cost()})

    def prompts(self, stage: str) -> dict[str, str]:
        """Participant to what it was asked in ``stage``."""
        return {c.participant: c.messages[-1].content for c in self.calls if c.stage == stage}


CUT = "\u2702"
"""At the end of a scripted text: the model was cut off there by its length."""


def replied(call: ModelCall, said: str) -> Answered | Failed:
    """What comes of ``said``: an answer, or the loss that a refusal in words is."""
    return check_refusal(answered(call, said), call.read_as.reader)


def answered(call: ModelCall, said: str) -> Answered:
    """An answer of fixed size and price, its thinking taken out, read by the protocol's own reader."""
    thoughts, text = split_thinking(said.removesuffix(CUT))
    return Answered(
        call_id=call.call_id,
        participant=call.participant,
        model=call.model,
        text=text,
        reasoning=thoughts or None,
        reading=read(text, informed(call, is_cut=said.endswith(CUT))) if text else None,
        usage=Usage(prompt_tokens=10, completion_tokens=5),
        cost=Cost(usd=0.001, source="provider"),
        finish="truncated" if said.endswith(CUT) else "complete",
        provider="scripted",
    )


def refused_by_provider(status: int = 400, **more: object) -> ApplicationError:
    """A final provider error."""
    return ApplicationError(
        "the provider refused the request",
        {"status": status, "attempt": 1, **more},
        type="provider.bad_request",
        non_retryable=True,
    )


def rate_limited(after: float) -> ApplicationError:
    """A provider error that asks for another try after so many seconds."""
    return ApplicationError(
        "too many requests",
        {"status": 429, "attempt": 1},
        type="provider.rate_limited",
        next_retry_delay=timedelta(seconds=after),
    )
