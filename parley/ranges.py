"""Counts from a low to a high end, and how many tokens a text may have."""

from math import ceil

from pydantic import Field

from protocols.model_call import FrozenModel

_MOST_BYTES, _FEWEST_BYTES = 6, 3
"""Of UTF-8 in one token: plain English has the most, code and other scripts have the fewest."""


class Range(FrozenModel):
    """A count from its low to its high end."""

    low: int = Field(ge=0)
    high: int = Field(ge=0)


def text_tokens(text: str) -> Range:
    """Return the number of tokens that ``text`` may have in any tokenizer."""
    size = len(text.encode("utf-8", "surrogatepass"))
    return Range(low=ceil(size / _MOST_BYTES), high=ceil(size / _FEWEST_BYTES))
