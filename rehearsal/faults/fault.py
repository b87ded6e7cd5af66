"""A fault: a name, a way to play it on an exchange, and its effect on billing."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from rehearsal.dialects.exchange import HttpExchange

Outcome = Literal["answered", "refused", "broken"]

Play = Callable[[HttpExchange], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Fault:
    """One row of the table."""

    name: str
    about: str
    play: Play
    outcome: Outcome
    """``answered``: a whole answer arrives, if oddly; ``refused``: an error arrives whole; ``broken``: neither."""
    billed: bool
    """Whether the provider charges for it."""
    args: Mapping[str, Any] = field(default_factory=dict)
    """What can be set, with its default."""
