"""Models with their provider's search: the pages it attaches to a text.

Scripted debaters search, unless their temper says otherwise: the pages are those of the turn's own references. In any
other text a citing model begins with what it looked up.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from rehearsal.models.debate_turns import url_of
from rehearsal.models.seeded import fraction

_REFERENCES = re.compile(r"\s*References:\n(?:\[\d+\][^\n]*\n?)+")
_LOOKED_UP = "My search returned two pages on this [1][2]."


@dataclass(frozen=True)
class Page:
    """One page of a provider's list of sources."""

    url: str
    title: str
    snippet: str
    place: tuple[int, int] | tuple[()] | None = None
    """The place of the citation in the text, in characters: empty if none is given, ``None`` finds its number."""


def pages_of(turn: str) -> tuple[Page, ...]:
    """Return the pages of a turn's references; none where it lists none."""
    values = _object(turn) or {}
    return tuple(_page(one["text"], one["url"]) for one in values.get("references", ()))


def with_pages(seed: int, model: str, text: str) -> tuple[str, tuple[Page, ...]]:
    """Return ``text`` after its search results, and their pages."""
    shelves = [1 + int(fraction(seed, model, text, "page", number) * 9998) for number in (1, 2)]
    works = [f"Rehearsal Source {shelf} (a page that does not exist)" for shelf in shelves]
    return f"{_LOOKED_UP} {text}", tuple(_page(work, url_of(work)) for work in works)


def without_references(text: str) -> str:
    """Return a turn of a debate that lists no references: its numbers are those of the provider's list."""
    turn = _object(text)
    if turn is None:
        return text
    turn.pop("references", None)
    turn["reasoning"] = _REFERENCES.sub("", turn["reasoning"])
    return json.dumps(turn, indent=2, ensure_ascii=False)


def _object(text: str) -> dict[str, Any] | None:
    """Return the object that a turn is, in a fence or not."""
    try:
        values = json.loads(text[text.find("{") : text.rfind("}") + 1])
    except ValueError:
        return None
    return values if isinstance(values, dict) else None


def _page(work: str, url: str) -> Page:
    return Page(url, work.rstrip("."), f"Rehearsed excerpt of {work.rstrip('.')}.")
