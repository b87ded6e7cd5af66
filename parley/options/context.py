"""Options of a debate's prompts: their budgets, and the user's material."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from parley.options.answer import AnswerOptions
from parley.options.ask import UsualKeywords
from parley.options.written import Written
from parley.questions import read_document, read_named_document
from protocols.constraints import sentence_of
from protocols.debate.model.budget import LEAST_TOTAL, MOST_TOTAL, ContextBudget
from protocols.debate.model.material import Material, refuse_long_material

Component = Literal["state", "historical", "previous", "target", "total", "closing", "material", "facts"]
"""What has a budget of its own; each is explained at ``ContextBudget``."""


class ContextKeywords(UsualKeywords, total=False):
    """The keywords, described in ``ContextOptions``."""

    context_tokens: int | None
    context_budget: Mapping[Component, int]
    material: Sequence[str | Path | Material | Mapping[str, str]]


class ContextOptions(AnswerOptions):
    """The options of a debate's prompts."""

    context_tokens: int | None = Field(default=None, ge=LEAST_TOTAL, le=MOST_TOTAL)
    """Tokens of the debate that a debater is shown; every component is in proportion; by default 10,000."""
    context_budget: Annotated[dict[Component, Annotated[int, Field(gt=0)]], Written(is_offered=False)] = Field(
        default_factory=dict
    )
    """Tokens of single components, in place of those that follow from ``context_tokens``."""
    material: Annotated[tuple[Material, ...], Written("FILE", read_named_document)] = ()
    """Document that is registered as evidence before the first round, - is standard input; by default none."""

    @field_validator("material", mode="before")
    @classmethod
    def _documents(cls, given: Any) -> Any:
        listed = given if isinstance(given, list | tuple) else [given]
        return tuple(_document(one, number) for number, one in enumerate(listed, 1))

    @model_validator(mode="after")
    def _material_fits(self) -> Self:
        refuse_long_material(self.material, self.budget.material)
        return self

    @property
    def budget(self) -> ContextBudget:
        """The components that ``context_budget`` names, and the others in proportion to ``context_tokens``.

        Raises:
            ValueError: they do not fit together.
        """
        scaled = ContextBudget.scaled(self.context_tokens) if self.context_tokens else ContextBudget()
        try:
            return ContextBudget.model_validate(scaled.model_dump() | self.context_budget)
        except ValidationError as error:
            raise ValueError(_problem(error)) from None


def _document(given: Any, number: int) -> Any:
    match given:
        case Path():
            return read_document(str(given))
        case str() if given.startswith("@") and len(given.split()) == 1:
            raise ValueError(f"{given!r} names a file; give pathlib.Path({given[1:]!r}), or the text itself")
        case str():
            return {"name": f"material {number}", "text": given}
        case _:
            return given


def _problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    where = ".".join(map(str, problem["loc"]))
    message = sentence_of(dict(problem))
    return f"context_budget.{where} is {problem['input']}: {message}" if where else f"context_budget: {message}"
