"""A document given to a debate, and the passages by which it is cited."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Self

from pydantic import Field, model_validator

from protocols.debate.model.budget import DEFAULT_TOTAL, MOST_TOTAL, ContextBudget
from protocols.model_call import FrozenModel
from protocols.tokens import clip, count

PASSAGE_TOKENS = 200
"""A longer text is cut into passages of at most so many, at the end of a paragraph, line, sentence or word."""

_JOINTS = ("\n\n", "\n", ". ", "。", " ")
_CUT = " […]"


class Material(FrozenModel):
    """One document: its name, and all of its text."""

    name: str = Field(min_length=1, max_length=200)
    text: str = Field(min_length=1)

    @model_validator(mode="after")
    def _has_text(self) -> Self:
        if not self.text.strip():
            raise ValueError(f"the material {self.name!r} is blank")
        return self

    @property
    def passages(self) -> tuple[str, ...]:
        """The whole text in order, in parts that can be cited."""
        return tuple(_passages(re.sub(r"\n{3,}", "\n\n", self.text.replace("\r\n", "\n").strip())))


def size_of(given: Iterable[Material]) -> int:
    """Return about how many tokens all of it has."""
    return sum(count(text) for one in given for text in (one.name, *one.passages))


def refuse_long_material(given: Sequence[Material], most: int) -> None:
    """Refuse material that cannot be shown whole.

    Raises:
        ValueError: how long it is, how long it may be, and the remedy.
    """
    long = size_of(given)
    if long > most:
        needed = -(-long * DEFAULT_TOTAL // ContextBudget().material)
        remedy = f"give {needed:,} context tokens (--context-tokens {needed})" if needed <= MOST_TOTAL else "shorten it"
        raise ValueError(
            f"the material has about {long:,} tokens, and at most {most:,} can be shown whole to every debater "
            f"in every call; {remedy}, or give the passages that matter"
        )


def _passages(text: str) -> Iterator[str]:
    while (beginning := clip(text, PASSAGE_TOKENS)) != text:
        space = len(beginning.removesuffix(_CUT))
        cut = next((at for joint in _JOINTS if (at := text.rfind(joint, space // 2, space)) > 0), space - 1)
        yield text[: cut + 1].strip()
        text = text[cut + 1 :].strip()
    if text:
        yield text
