"""The rubric of a council: criteria with weights, the scores of one review, and the count of all of them."""

from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from protocols.constraints import quoted
from protocols.model_call import FrozenModel, ModelId, ParticipantId

LOWEST, HIGHEST = 1, 10
"""The ends of the scale."""
MOST_CRITERIA = 12
_LABEL = "response"
"""The word of the labels under which reviewers see answers."""
_FIELDS = {"weight", "about"}
_SIGNS = "|:;,\n\r\t\"'`*_#{}[]<>="
_EXAMPLE = "write a weight for each criterion, as in accuracy = 2"


class Criterion(FrozenModel):
    """One thing for which an answer is scored."""

    name: str = Field(min_length=1, max_length=40)
    weight: float = Field(default=1.0, gt=0, le=1000)
    about: str = Field(default="", max_length=500)
    """What it means, for the reviewers."""

    @model_validator(mode="after")
    def _is_a_plain_name(self) -> Self:
        if self.name != self.name.strip() or any(sign in self.name for sign in _SIGNS) or not self.name[0].isalpha():
            raise ValueError(
                f"the criterion {self.name!r} begins with a letter and has letters, digits, blanks and hyphens alone"
            )
        if self.name.casefold().startswith(_LABEL):
            raise ValueError(f"the criterion {self.name!r} reads like the label of an answer; choose another name")
        return self


class Rubric(FrozenModel):
    """The criteria by which reviewers score each answer from 1 to 10."""

    criteria: tuple[Criterion, ...] = Field(min_length=1, max_length=MOST_CRITERIA)

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        folded = [one.name.casefold() for one in self.criteria]
        if twice := next((name for name in folded if folded.count(name) > 1), None):
            raise ValueError(f"the criterion {twice!r} is there twice; leave one of them out")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the criteria, in their order."""
        return tuple(one.name for one in self.criteria)

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each criterion."""
        return {one.name: one.weight for one in self.criteria}


def criteria_of(table: JsonValue) -> JsonValue:
    """Return the object of a rubric for ``{"accuracy": 2, "clarity": {"weight": 1, "about": "…"}}``.

    An object with the one key ``criteria`` that holds a list is a rubric already.

    Raises:
        ValueError: it is no table of criteria; the message says what can be written.
    """
    if not isinstance(table, dict):
        raise ValueError(f"{quoted(table)} is no table of criteria: {_EXAMPLE}")  # noqa: TRY004 - pydantic's way
    if set(table) == {"criteria"} and isinstance(table["criteria"], list | tuple):
        return table
    if not table:
        raise ValueError(f"it has no criterion; {_EXAMPLE}")
    return {"criteria": [_criterion(name, given) for name, given in table.items()]}


def _criterion(name: str, given: JsonValue) -> JsonValue:
    if isinstance(given, dict):
        if unknown := sorted(set(given) - _FIELDS):
            raise ValueError(f"{unknown[0]!r} of the criterion {name!r} is not known; a criterion has weight and about")
        if not isinstance(given.get("about", ""), str):
            said = f"about of the criterion {name!r} is {given['about']!r}; write a text"
            raise ValueError(said)  # noqa: TRY004 - pydantic's way
        return {"name": name, "weight": _weight(name, given.get("weight", 1)), "about": given.get("about", "")}
    return {"name": name, "weight": _weight(name, given)}


def _weight(name: str, given: JsonValue) -> JsonValue:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= 1000:  # noqa: PLR2004 - as in the message
        raise ValueError(f"the weight of {name!r} is {given!r}; write a number above 0, at most 1000")
    return given


CardForm = Literal["table", "object", "lines", "nothing"]
"""In which form scores were written."""


class ScoreCard(FrozenModel):
    """The scores in one review: by label, then by criterion."""

    scores: dict[str, dict[str, float]] = Field(default_factory=dict)
    standing: Literal["complete", "partial", "void"]
    """``complete`` has every score that was asked for, ``partial`` some, ``void`` none."""
    found_as: CardForm = "nothing"
    repairs: tuple[str, ...] = ()
    """What is missing or had to be mended, one line each."""


class CriterionScore(FrozenModel):
    """The scores of one answer for one criterion."""

    criterion: str
    mean: float | None
    """``None`` when no reviewer gave one."""
    spread: float | None
    """Standard deviation of a sample; ``None`` with fewer than two reviewers."""
    reviewers: int = Field(ge=0)


class ScoredAnswer(FrozenModel):
    """The place of one answer by the rubric."""

    label: str
    author: ParticipantId
    model: ModelId
    place: int = Field(ge=1)
    """1 is best; equal answers share a place."""
    tied: bool = False
    total: float | None
    """Mean of the reviewers' weighted totals, from 1 to 10; ``None`` when no reviewer scored all criteria."""
    spread: float | None
    """Standard deviation of the reviewers' weighted totals; ``None`` with fewer than two of them."""
    reviewers: int = Field(ge=0)
    """Reviewers that scored every criterion of this answer."""
    criteria: tuple[CriterionScore, ...]


class ScoreTally(FrozenModel):
    """The count of all scores, best answer first."""

    rubric: Rubric
    standings: tuple[ScoredAnswer, ...]
    reviewers_counted: int = Field(ge=0)
    reviewers_unread: int = Field(ge=0)
    """Those of whose scores none could be read."""

    def figures(self) -> dict[str, float | None]:
        """Return the totals, their spreads and the means of the criteria by author, under the names of measures."""
        found: dict[str, float | None] = {
            "rubric_reviewers": self.reviewers_counted,
            "rubric_unread": self.reviewers_unread,
        }
        for one in self.standings:
            found |= {f"rubric.{one.author}": one.total, f"rubric_spread.{one.author}": one.spread}
            found |= {f"rubric.{one.author}.{by.criterion}": by.mean for by in one.criteria}
        return found

    @property
    def winners(self) -> frozenset[str]:
        """The labels in first place."""
        return frozenset(one.label for one in self.standings if one.place == 1 and one.total is not None)
