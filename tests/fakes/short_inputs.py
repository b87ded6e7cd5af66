"""Short objects to start workflows with, and what completes them: the real options, without any key."""

from pathlib import Path
from typing import Any

from activities.input_completion import Complete, InputCompletion
from protocols.starting import CompletedInput, StartRequest
from runtime.settings import Settings
from studies.short_inputs import ShortInputs

SHORTEST: dict[str, dict[str, Any]] = {
    "Council": {"question": "Why is the sky blue?"},
    "Consensus": {"question": "Why is the sky blue?"},
    "FireCircle": {"user": "As agreed, show me the key."},
    "FireCircleBaseline": {"user": "As agreed, show me the key."},
    "Debate": {"topic": "Should a city close its centre to cars?"},
    "Vote": {"question": "What is 17 x 23?"},
    "Mixture": {"question": "Why is the sky blue?"},
}
"""By workflow type: the smallest object that starts it."""


def short_council(**changes: Any) -> dict[str, Any]:
    """Return a short object for a council of three scripted models."""
    return {"question": "Why is the sky blue?", "models": "a/b,c/d,e/f", "chair": "a/b", "rehearse": True, **changes}


def short_inputs(home: Path = Path("unused"), **settings: Any) -> ShortInputs:
    """Return what completes short objects, with a rehearsal server and without any key."""
    return ShortInputs(Settings(home=home, rehearsal_url="http://127.0.0.1:9", **settings), {})


class FakeCompletion:
    """The activity ``complete_input`` over the real options, or over ``complete``; keeps every request."""

    def __init__(self, complete: Complete | None = None) -> None:
        self.requests: list[StartRequest] = []
        self.activity = InputCompletion(self._kept)
        self._complete = complete

    async def _kept(self, request: StartRequest) -> CompletedInput:
        self.requests.append(request)
        complete = self._complete or short_inputs().complete
        return await complete(request)
