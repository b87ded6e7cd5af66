"""Models whose provider searches for them: the pages that it names beside a text.

In a debate they are the pages of the turn's own references. In any other text the model begins with what it looked up.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from rehearsal.dice import roll
from rehearsal.speeches import url_of

_REFERENCES = re.compile(r"\s*References:\n(?:\[\d+\][^\n]*\n?)+")
_LOOKED_UP = "My search returned two pages on this [1][2]."


@dataclass(frozen=True)
class Page:
    """One page of a provider's list of sources."""

    url: str
    title: str
    snippet: str


def with_pages(seed: int, model: str, text: str) -> tuple[str, tuple[Page, ...]]:
    """Return ``text`` with citations, and the pages that they lead to."""
    turn = _turn(text)
    if turn is not None:
        return text, tuple(_page(one["text"], one["url"]) for one in turn.get("references", ()))
    shelves = [1 + int(roll(seed, model, text, "page", number) * 9998) for number in (1, 2)]
    works = [f"Rehearsal Source {shelf} (a page that does not exist)" for shelf in shelves]
    return f"{_LOOKED_UP} {text}", tuple(_page(work, url_of(work)) for work in works)


def without_references(text: str) -> str:
    """Return a turn of a debate that lists no references: its numbers are those of the provider's list."""
    turn = _turn(text)
    if turn is None:
        return text
    turn.pop("references", None)
    turn["reasoning"] = _REFERENCES.sub("", turn["reasoning"])
    return json.dumps(turn, indent=2, ensure_ascii=False)


def _turn(text: str) -> dict[str, Any] | None:
    try:
        told = json.loads(text)
    except ValueError:
        return None
    return told if isinstance(told, dict) and "position" in told else None


def _page(work: str, url: str) -> Page:
    return Page(url, work.rstrip("."), f"Rehearsed excerpt of {work.rstrip('.')}.")
