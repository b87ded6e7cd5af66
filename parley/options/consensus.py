"""Options of an iterative consensus (seed 004)."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field, ValidationError, field_validator

from parley.errors import RequestError
from parley.options.answer import AnswerOptions
from parley.options.ask import Rename, UsualKeywords
from protocols.consensus.model import (
    CURATOR,
    DEADLOCK,
    MOST_ROUNDS,
    PATIENCE,
    SPEAKERS,
    ConsensusInput,
)
from protocols.consensus.prompts import PACK
from protocols.panel import Panel


class ConsensusKeywords(UsualKeywords, total=False):
    """The keywords of ``Parley.consensus``, described in ``ConsensusOptions``."""

    generator: str
    refiner: str
    validator: str
    curator: str | None
    max_rounds: int
    majority_after: int | None
    deadlock_after: int | None
    carry_corrections: bool
    answer: str | None


class ConsensusOptions(AnswerOptions):
    """Options of a consensus.

    One model answers; in turn three improve the draft and then all judge it, round after round, until all accept. A
    curator polishes what they accepted. Without a timeout an answer may take as long as it takes.
    """

    PROTOCOL: ClassVar[str] = "consensus"
    ROLES: ClassVar[str] = "consensus"
    SEATED_BY: ClassVar[tuple[str, ...]] = SPEAKERS

    generator: str = ""
    """Model that answers first and begins every round: provider:model, or a bare id; by default the panel's."""
    refiner: str = ""
    """Model that judges the draft after the generator; by default the panel's."""
    validator: str = ""
    """Model that judges the draft after the refiner; by default the panel's."""
    curator: str | None = None
    """Model that polishes what all accepted, may be one of the three; by default the panel's, else the generator."""
    max_rounds: int = Field(default=MOST_ROUNDS, ge=1, le=MOST_ROUNDS)
    """Rounds after which the last draft is the verdict."""
    majority_after: int | None = Field(default=None, ge=1, le=MOST_ROUNDS)
    """Rounds after which more than half are enough to stop; by default all must accept."""
    deadlock_after: int | None = Field(default=DEADLOCK, ge=0, le=MOST_ROUNDS)
    """Stop when this many rounds in a row, 2 at least, checked the same draft; 0 switches it off."""
    carry_corrections: bool = False
    """Show the corrections written in a check to the next round's generator."""

    @field_validator("deadlock_after")
    @classmethod
    def _needs_two_checks(cls, given: int | None) -> int | None:
        if given == 1:
            raise ValueError("0 switches it off; a draft stands still for 2 rounds at least")
        return given

    def consensus_input(
        self, question: str, *, queues: Mapping[str, str], private: bool = False, salt: str = ""
    ) -> ConsensusInput:
        """Build the workflow's input.

        Args:
            question: As the person asked it.
            queues: Provider to task queue, from the catalogue.
            private: Keep the question out of the title, which is stored readable even when payloads are encrypted.
            salt: Set when answers that were paid for before must not be used again.

        Raises:
            RequestError: the question is blank or is no text, or see ``seated``.
        """
        asked = self._asked(question, PATIENCE, private=private)
        try:
            return ConsensusInput(
                **asked,
                prompts=PACK,
                answer=self.form,
                max_rounds=self.max_rounds,
                majority_after=self.majority_after,
                deadlock_after=self.deadlock_after or None,
                carry_corrections=self.carry_corrections,
                queues=dict(queues),
                salt=salt,
            )
        except ValidationError as error:
            raise RequestError(self._explained(error)) from None

    def _seated(self, rename: Rename) -> Panel:
        speakers = (self.generator, self.refiner, self.validator)
        return Panel.of(
            tuple(map(rename, speakers)),
            rename(self.generator if self.curator is None else self.curator),
            twice=self.allow_duplicates,
            seats=SPEAKERS,
            chair_seat=CURATOR,
        )
