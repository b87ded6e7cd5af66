"""What a scripted model says, and who says it."""

from dataclasses import dataclass
from typing import Literal

from rehearsal.models.search_results import Page

Finish = Literal["stop", "length", "content_filter", "error"]


@dataclass(frozen=True)
class Reply:
    """What a model says, before a provider writes it down."""

    text: str | None
    reasoning: str | None = None
    refusal: str | None = None
    finish: Finish = "stop"
    seconds: float = 0.0
    """Time it takes beyond the house's latency."""
    tokens: tuple[int | None, int | None] = (None, None)
    """Prompt and completion tokens to be counted, where they are known."""
    pages: tuple[Page, ...] = ()
    """What the provider's search returned."""


@dataclass(frozen=True)
class Speaker:
    """Who speaks: the seed and the bare name of the model."""

    seed: int
    model: str
