"""Options of an iterative consensus (seed 004)."""

from collections.abc import Collection
from typing import Annotated, Any

from pydantic import Field, field_validator

from parley.options.answer import AnswerOptions
from parley.options.ask import Rename, UsualKeywords
from parley.options.roles import UNDERIVED, GivenSeat, MaybeSeat, OneSeat
from protocols.consensus.model import CURATOR, DEADLOCK, MOST_ROUNDS, PATIENCE, SPEAKERS, ConsensusInput
from protocols.consensus.prompts import PACK
from protocols.named_panel import NamedPanel, Seated, UnfitPanelError
from protocols.panel import Panel
from protocols.written_seat import as_reached


class ConsensusKeywords(UsualKeywords, total=False):
    """The keywords of ``Parley.consensus``, described in ``ConsensusOptions``."""

    generator: GivenSeat
    refiner: GivenSeat
    validator: GivenSeat
    curator: GivenSeat | None
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

    PROTOCOL = "consensus"
    SEATED_BY = SPEAKERS
    INPUT = ConsensusInput
    PROMPTS = PACK
    USUAL = PATIENCE

    generator: Annotated[OneSeat, UNDERIVED] = ""
    """Model that answers first and begins every round: provider:model, or a bare id; by default the panel's."""
    refiner: Annotated[OneSeat, UNDERIVED] = ""
    """Model that judges the draft after the generator; by default the panel's."""
    validator: Annotated[OneSeat, UNDERIVED] = ""
    """Model that judges the draft after the refiner; by default the panel's."""
    curator: Annotated[MaybeSeat, UNDERIVED] = None
    """Model that polishes what all accepted, may be one of the three; by default the panel's, else the generator."""
    max_rounds: int = Field(default=MOST_ROUNDS, ge=1, le=MOST_ROUNDS)
    """Rounds after which the last draft is the verdict."""
    majority_after: int | None = Field(default=None, ge=1, le=MOST_ROUNDS)
    """Rounds after which more than half are enough to stop; by default all must accept."""
    deadlock_after: int | None = Field(default=DEADLOCK, ge=0, le=MOST_ROUNDS)
    """Stop when this many rounds in a row, 2 at least, checked the same draft; 0 switches it off."""
    timeout: float | None = Field(default=None, gt=0, le=86_400)
    """Most seconds for one attempt of one call; by default no limit while an answer is being streamed."""
    carry_corrections: bool = False
    """Show the corrections written in a check to the next round's generator."""

    @field_validator("deadlock_after")
    @classmethod
    def _needs_two_checks(cls, given: int | None) -> int | None:
        if given == 1:
            raise ValueError("0 switches it off; a draft is unchanged for 2 rounds at least")
        return given

    @classmethod
    def _derived(cls, panel: NamedPanel, given: Collection[str]) -> dict[str, Seated]:
        speakers = panel.speakers or panel.models
        curator: dict[str, Seated] = {"curator": panel.chair or as_reached(speakers[0])}
        if set(SPEAKERS) <= set(given):
            return curator
        if len(speakers) != len(SPEAKERS):
            raise UnfitPanelError(
                f"a consensus has three speakers, and its panel has {len(speakers)} models; "
                'add speakers = ["…", "…", "…"] to the panel'
            )
        return {**dict(zip(SPEAKERS, speakers, strict=True)), **curator}

    def _given(self, asked: Any, *, private: bool) -> dict[str, Any]:
        return super()._given(asked, private=private) | {"deadlock_after": self.deadlock_after or None}

    def _seated(self, rename: Rename) -> Panel:
        speakers = (self.generator, self.refiner, self.validator)
        return Panel.of(
            tuple(map(rename, speakers)),
            rename(as_reached(self.generator) if self.curator is None else self.curator),
            twice=self.allow_duplicates,
            seats=SPEAKERS,
            chair_seat=CURATOR,
        )
