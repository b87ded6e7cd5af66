"""Options of a council (seed 002, "Council Configuration")."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import field_validator, model_validator

from parley.options.answer import AnswerOptions
from parley.options.ask import Rename, UsualKeywords
from parley.options.roles import CONCLUDING, FALLBACKS, MODELS, GivenSeat, GivenSeats, MaybeSeat, Seats, first_of
from parley.options.written import Names, Written
from parley.questions import read_rubric
from protocols.council.model import CouncilInput
from protocols.council.prompts import PACK
from protocols.council.rubric import Rubric, criteria_of
from protocols.panel import Panel


class CouncilKeywords(UsualKeywords, total=False):
    """The keywords of ``Parley.council``, described in ``CouncilOptions``."""

    models: GivenSeats
    chair: GivenSeat | None
    chair_fallbacks: tuple[str, ...] | list[str]
    final_only: bool
    exclude_self_votes: bool
    rubric: Rubric | Mapping[str, float | Mapping[str, float | str]] | None
    chair_fields: bool
    answer: str | None


class CouncilOptions(AnswerOptions):
    """Options of a council.

    Every model answers, every model ranks all answers without knowing whose they are, and the chair concludes.
    """

    PROTOCOL = "council"
    INPUT = CouncilInput
    PROMPTS = PACK

    models: Annotated[Seats, MODELS] = ()
    """Models that answer: provider:model, or a bare id; by default the panel's."""
    chair: Annotated[MaybeSeat, CONCLUDING] = None
    """Model that concludes; by default the panel's, or the first of the models where no panel is named."""
    chair_fallbacks: Annotated[Names, FALLBACKS] = ()
    """Models that conclude when the chair is lost, in order; by default the model of the best answer."""
    final_only: bool = False
    """Skip the review."""
    exclude_self_votes: bool = False
    """Leave its own answer out of each model's ranking and scores."""
    rubric: Annotated[Rubric | None, Written("FILE", read_rubric)] = None
    """TOML file of criteria with weights, such as accuracy = 2, by which reviewers also score; by default none."""

    chair_fields: bool = False
    """Have the chair list agreement, contradictions, unique insights and blind spots beside its verdict."""

    @field_validator("rubric", mode="before")
    @classmethod
    def _table_of_criteria(cls, given: Any) -> Any:
        return given if given is None or isinstance(given, Rubric) else criteria_of(given)

    @model_validator(mode="after")
    def _rubric_has_a_review(self) -> Self:
        if self.rubric is not None and self.final_only:
            raise ValueError("rubric is for the reviewers and final_only skips the review; leave one of them out")
        return self

    def _seated(self, rename: Rename) -> Panel:
        models = tuple(map(rename, self.models))
        return Panel.of(
            models,
            first_of(models) if self.chair is None else rename(self.chair),
            fallbacks=tuple(map(rename, self.chair_fallbacks)),
            twice=self.allow_duplicates,
        )
