"""The budgets of a debate's prompts, the numbers of seed 003, section 7.5, and the documents that are given to it.

The budgets, which a user can change, are counted as the seed counts them: without the system message, the topic, and
what a user gave as material.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Self

from pydantic import Field, model_validator

from protocols.model_call import FrozenModel
from protocols.tokens import clip, count

INSTRUCTIONS_MOST = 200
"""Tokens of what closes a debater's user message."""

MOST_CLAIMS, MOST_REFERENCES = 12, 12
"""Of one turn: what is beyond them is not registered."""

_BESIDE_REASONING = 200
"""Tokens of a turn beside its reasoning."""
_LEAST_WORDS, _MOST_WORDS = 100, 1000

DEFAULT_TOTAL, LEAST_TOTAL, MOST_TOTAL = 10_000, 4_000, 200_000
"""Tokens of one debater's user message."""


class ContextBudget(FrozenModel):
    """The most tokens of each component of a prompt."""

    state: int = Field(default=2500, ge=500)
    """Positions, decisions, claims and evidence, one line each."""
    historical: int = Field(default=400, ge=100)
    """Each of the two rounds before the previous one, which are summarised."""
    previous: int = Field(default=5000, ge=1000)
    """All turns of the previous round together."""
    target: int = Field(default=8000, ge=2000)
    """Summaries of earlier rounds are left out where the user message would be longer, the oldest first."""
    total: int = Field(default=DEFAULT_TOTAL, ge=LEAST_TOTAL, le=MOST_TOTAL)
    """The user message. What is left of it is for the turns of the present round, before those of the previous one."""
    closing: int = Field(default=24_000, ge=LEAST_TOTAL, le=MOST_TOTAL * 3)
    """What the synthesiser and the judge are shown of the debate, and the safety evaluator of a round."""
    material: int = Field(default=8000, ge=500, le=MOST_TOTAL)
    """Documents given at the start, shown whole in every prompt."""
    facts: int = Field(default=3000, ge=500, le=MOST_TOTAL)
    """Facts added while the debate runs, shown whole in every prompt."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        needed = self.state + self.previous + INSTRUCTIONS_MOST
        if needed > self.total:
            raise ValueError(
                f"state {self.state:,}, previous {self.previous:,} and {INSTRUCTIONS_MOST} tokens of instructions "
                f"need {needed:,}, and total is {self.total:,}; raise total or lower the others"
            )
        if self.closing < self.total:
            raise ValueError(f"closing is {self.closing:,} and total is {self.total:,}; closing must not be smaller")
        return self

    def words(self, debaters: int) -> int:
        """Return how many words of reasoning of each of so many debaters can be shown whole."""
        fitting = (self.previous // debaters - _BESIDE_REASONING) * 3 // 5
        return min(_MOST_WORDS, max(_LEAST_WORDS, fitting // 50 * 50))

    @classmethod
    def scaled(cls, total: int) -> Self:
        """Return the default budget with every component in proportion to ``total``."""
        usual = cls()
        sizes = {name: size * total // usual.total for name, size in usual.model_dump().items()}
        return cls.model_validate(sizes)


class ContextUse(FrozenModel):
    """The size of one debater's prompt in tokens, and what was shortened in it."""

    state: int = 0
    historical: int = 0
    """The longest of the summarised rounds."""
    previous: int = 0
    """The turns of the previous round, and of the present one where they are shown."""
    instructions: int = 0
    total: int = 0
    """The user message without the material."""
    material: int = 0
    system: int = 0
    """The system message, which holds the topic."""
    claims: int = 0
    """How many are registered."""
    claims_shortened: int = 0
    claims_by_id: int = 0
    """Of which only the ids are shown."""
    turns_shortened: int = 0
    """Of the previous and the present round."""


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


def largest(uses: Iterable[ContextUse]) -> ContextUse:
    """Return the most of every figure; zeros where there is no use."""
    dumped = [use.model_dump() for use in uses]
    return ContextUse(**{name: max((one[name] for one in dumped), default=0) for name in ContextUse.model_fields})


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
