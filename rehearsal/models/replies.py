"""Replies of scripted models, and their speakers."""

from dataclasses import dataclass
from typing import Literal

from rehearsal.models.search_results import Page

Finish = Literal["stop", "length", "content_filter", "error"]


@dataclass(frozen=True)
class Reply:
    """A model's reply before a provider's dialect."""

    text: str | None
    reasoning: str | None = None
    refusal: str | None = None
    finish: Finish = "stop"
    seconds: float = 0.0
    """Seconds beyond the server's latency."""
    tokens: tuple[int | None, int | None] = (None, None)
    """Prompt and completion tokens to be counted, where they are known."""
    pages: tuple[Page, ...] = ()
    """What the provider's search returned."""


@dataclass(frozen=True)
class Speaker:
    """A speaker: the seed and the bare name of the model."""

    seed: int
    model: str
