"""The pages that a provider names as sources of an answer.

A provider that searches for its model sends them beside the text. What a model only writes into its text is none.
"""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

SEARCH_USD = 0.02
"""Dollars for one search of the web: OpenRouter's five results at $4 per thousand."""
MOST_SOURCES = 50
"""Of one answer."""
LONGEST_URL, LONGEST_TITLE, LONGEST_EXCERPT = 2000, 300, 500
"""Characters. A longer address is left out: cut off, it would lead elsewhere."""


class SourceLink(BaseModel):
    """One page: an address of http or https without credentials, and texts of others that may be shown as text only."""

    model_config = ConfigDict(frozen=True)

    number: int = Field(ge=1)
    """Its place in the provider's list, which is what ``[1]`` means where the answer lists no references itself."""
    url: str = Field(max_length=LONGEST_URL)
    title: str = Field(default="", max_length=LONGEST_TITLE)
    excerpt: str = Field(default="", max_length=LONGEST_EXCERPT)
    start: int | None = Field(default=None, ge=0)
    """Where in the answer's text it is cited first, in characters; ``None`` when the provider does not say."""
    end: int | None = Field(default=None, ge=0)


def with_sources(text: str, sources: Sequence[SourceLink]) -> str:
    """Return ``text`` with the pages below it that its provider named, one line each, for peers to check."""
    if not sources:
        return text
    lines = (" ".join(filter(None, (f"[{one.number}]", one.title, one.url))) for one in sources)
    return "\n".join((f"{text}\n\nPages that the provider named for this answer:", *lines))
