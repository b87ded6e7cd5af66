"""OpenRouter's plugin for the web: any model that is asked with it has pages beside its reply."""

from dataclasses import replace

from rehearsal.models.replies import Reply
from rehearsal.models.search_results import with_pages

SEARCH_USD = 0.02
"""Dollars of one search: five results at $4 per thousand."""


def searched(seed: int, model: str, said: Reply) -> Reply:
    """Return ``said`` with the pages of a search; a text names them, and an object stays as it is."""
    if said.text is None or said.pages:
        return said
    text, pages = with_pages(seed, model, said.text)
    is_object = said.text.lstrip()[:1] in {"{", "`"}
    return replace(said, text=said.text if is_object else text, pages=pages)
