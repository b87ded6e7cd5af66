"""Models with their provider's search: the pages it attaches to a text.

Scripted debaters search, unless their temper says otherwise: the pages are those of the turn's own references. In any
other text a citing model begins with what it looked up.
"""

import json
import re
from dataclasses import replace

from rehearsal.models.debate_turns import object_in, url_of
from rehearsal.models.replies import Page, Reply
from rehearsal.models.seeded import fraction

_REFERENCES = re.compile(r"\s*References:\n(?:\[\d+\][^\n]*\n?)+")
_LOOKED_UP = "My search returned two pages on this [1][2]."
SEARCH_USD = 0.02
"""Dollars of one search with OpenRouter's plugin for the web: five results at $4 per thousand."""


def pages_of(turn: str) -> tuple[Page, ...]:
    """Return the pages of a turn's references; none where it lists none."""
    return tuple(_page(one["text"], one["url"]) for one in object_in(turn).get("references", ()))


def with_pages(seed: int, model: str, text: str) -> tuple[str, tuple[Page, ...]]:
    """Return ``text`` after its search results, and their pages."""
    shelves = [1 + int(fraction(seed, model, text, "page", number) * 9998) for number in (1, 2)]
    works = [f"Rehearsal Source {shelf} (a page that does not exist)" for shelf in shelves]
    return f"{_LOOKED_UP} {text}", tuple(_page(work, url_of(work)) for work in works)


def searched(seed: int, model: str, said: Reply) -> Reply:
    """Return ``said`` with the pages of the plugin's search; a text names them, and an object stays as it is."""
    if said.text is None or said.pages:
        return said
    text, pages = with_pages(seed, model, said.text)
    is_object = said.text.lstrip()[:1] in {"{", "`"}
    return replace(said, text=said.text if is_object else text, pages=pages)


def without_references(text: str) -> str:
    """Return a turn of a debate that lists no references: its numbers are those of the provider's list."""
    turn = object_in(text)
    if not turn:
        return text
    turn.pop("references", None)
    turn["reasoning"] = _REFERENCES.sub("", turn["reasoning"])
    return json.dumps(turn, indent=2, ensure_ascii=False)


def _page(work: str, url: str) -> Page:
    return Page(url, work.rstrip("."), f"Rehearsed excerpt of {work.rstrip('.')}.")
