"""Scorers, each as a table of ``scorers.toml``."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from protocols.answers import AnswerForm
from protocols.time_spans import Seconds
from studies.comparison.metrics import OverRepeats
from studies.comparison.scoring import LabelRule
from studies.dataset.templates import Template
from studies.definition.study_file import BudgetTable, PanelName, Table, Whole

_MOST_SECONDS = 600.0
_LONGEST_PATTERN = 2_000


class LabelsTable(Table):
    """Labels from a file, in place of those of the study."""

    path: Path
    """CSV, JSON lines or another table that a study reads; absolute once the file was read."""
    id: str = Field(default="id", min_length=1, max_length=200)
    """The column with the id of the row, as the study has it."""
    label: str = Field(default="label", min_length=1, max_length=200)


class RepeatedTable(Table):
    """The fields of the scorers that give every deliberation a score."""

    over_repeats: Annotated[str, AfterValidator(lambda text: OverRepeats.of(text).name)] | None = None
    """The aggregation of the repeats of a row where arms are compared: ``mean``, ``mode``, ``max`` or ``pass@K``."""


class ComparedScorer(RepeatedTable):
    """The fields of the scorers that compare an answer with a label."""

    labels: LabelsTable | None = None
    separator: str | None = Field(default=None, min_length=1, max_length=10)
    """Between several accepted answers in one label; without it a label is one answer."""
    accepted: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """By row id, further answers that are right there."""


class AnswerScorer(ComparedScorer):
    """Right or wrong: the final answer is read as a study's ``[label]`` says and compared with the label."""

    kind: Literal["answer"] = "answer"
    read: Literal["choice", "number", "exact", "contains", "yes_no", "flagged"] = "exact"
    choices: tuple[str, ...] = Field(default=(), max_length=100)
    threshold: float = Field(default=0.5, ge=0, le=1)
    """Of ``flagged``."""
    aliases: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Answer to other ways to write it."""
    tolerance: float = Field(default=0.0, ge=0)
    """Of ``number``: how far the answer may be from the label, as a share of the label."""
    within: float = Field(default=0.0, ge=0)
    """Of ``number``: how far it may be in its own unit; the larger of the two counts."""

    @model_validator(mode="after")
    def _what_belongs(self) -> Self:
        if (self.read == "choice") is not bool(self.choices):
            raise ValueError('choices go with read = "choice" and with nothing else: choices = ["A", "B"]')
        if self.choices:
            AnswerForm(kind="choice", choices=self.choices)
        if self.read != "number" and (self.tolerance or self.within):
            raise ValueError('tolerance and within go with read = "number" alone')
        return self

    @property
    def rule(self) -> LabelRule:
        """The rule by which answer and label are read."""
        return LabelRule(read=self.read, choices=self.choices, threshold=self.threshold)


class RegexScorer(ComparedScorer):
    """1 where a regular expression is found in the verdict, else 0."""

    kind: Literal["regex"]
    pattern: str = Field(min_length=1, max_length=_LONGEST_PATTERN)
    """``{label}`` is replaced with the label, as plain text."""
    ignore_case: bool = True

    @model_validator(mode="after")
    def _compiles(self) -> Self:
        try:
            re.compile(self.pattern.replace("{label}", "label"))
        except re.error as error:
            raise ValueError(f"pattern is no regular expression: {error}") from None
        return self


class F1Scorer(ComparedScorer):
    """The F1 of the words of answer and label, 0 to 1; of several accepted answers the highest."""

    kind: Literal["f1"]


class JsonScorer(ComparedScorer):
    """Right or wrong: one field of the JSON object in the verdict is compared with the label."""

    kind: Literal["json"]
    field: str = Field(pattern=r"^[^.\s]+(\.[^.\s]+)*$", max_length=200)
    """Names with dots between them: ``answer.name``; a number counts in a list, from 0."""


class PythonScorer(ComparedScorer):
    """A function of the user's, called in a separate process."""

    kind: Literal["python"]
    file: Path
    """Absolute once the file was read."""
    function: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    timeout: Seconds = Field(default=10.0, gt=0, le=_MOST_SECONDS)
    """For one deliberation."""


class ImportedScorer(RepeatedTable):
    """Scores that people or other programs gave, from a file."""

    kind: Literal["imported"]
    path: Path
    """Absolute once the file was read."""
    id: str = Field(default="deliberation_id", min_length=1, max_length=200)
    """The column with the id of the deliberation; or the two below in place of it."""
    row: str | None = Field(default=None, min_length=1, max_length=200)
    arm: str | None = Field(default=None, min_length=1, max_length=200)
    """The columns with row id and arm, where a file knows no deliberations: every repeat gets the score."""
    score: str | None = Field(default="score", min_length=1, max_length=200)
    """Of a file without this column, in which a label is named, classes alone are imported."""
    label: str | None = Field(default=None, min_length=1, max_length=200)
    """The column with a class, beside a score or in place of it."""
    scale: tuple[float, float] | None = None
    """The lowest and the highest number; numbers of scorers with another scale are compared by rank alone."""

    @model_validator(mode="after")
    def _row_and_arm(self) -> Self:
        if (self.row is None) is not (self.arm is None):
            raise ValueError("row and arm say together which deliberation is meant; give both or neither")
        if self.score is None and self.label is None:
            raise ValueError("there is nothing to import: name the column of the score or of the label")
        return self


class GraderTable(Table):
    """The fields of the scorers whose scores models give."""

    protocol: str = "single"
    """Any protocol that gives a final answer: one model, a council, a debate."""
    panel: PanelName | None = None
    """A panel of this file, else of the installation; ``default`` when it is left out."""
    options: dict[str, Any] = Field(default_factory=dict)
    """What the protocol takes."""
    template: str | None = Field(default=None, max_length=100_000)
    """What the grader is asked; the kind has its own when it is left out."""
    criteria: str = Field(default="", max_length=20_000)
    """What to look at, in words; for the place ``{criteria}`` of the template."""
    budget: BudgetTable = BudgetTable()
    window: Annotated[Whole, Field(ge=1, le=10_000)] = 20


class GradedScorer(GraderTable, RepeatedTable):
    """A grade on a scale by a model, or by any protocol."""

    kind: Literal["graded"]
    scale: tuple[float, float] = (1.0, 10.0)
    """The lowest and the highest grade."""
    right_from: float | None = None
    """A grade from here on counts as right; changed without a call."""

    @model_validator(mode="after")
    def _has_a_scale(self) -> Self:
        low, high = self.scale
        if low >= high:
            raise ValueError("scale has the lowest grade first: scale = [1, 10]")
        if self.right_from is not None and not low <= self.right_from <= high:
            raise ValueError(f"right_from is on the scale, {low:g} to {high:g}")
        check_template(self.template, {"question", "answer"}, {"reference", "criteria", "low", "high"})
        return self


class PairwiseScorer(GraderTable):
    """A preference between the answers of two arms to the same row; both orders are always asked."""

    kind: Literal["pairwise"]
    arms: tuple[str, ...] = ()
    """The arms to compare with each other; all when it is left out."""
    against: str | None = None
    """Compare every arm with this one alone."""

    @model_validator(mode="after")
    def _has_two(self) -> Self:
        if len(self.arms) == 1 or len(set(self.arms)) < len(self.arms):
            raise ValueError('a preference needs two arms or more, each named once: arms = ["council", "single"]')
        check_template(self.template, {"question", "first", "second"}, {"reference", "criteria"})
        return self


KINDS: Mapping[str, type[Table]] = {
    "answer": AnswerScorer,
    "regex": RegexScorer,
    "f1": F1Scorer,
    "json": JsonScorer,
    "python": PythonScorer,
    "imported": ImportedScorer,
    "graded": GradedScorer,
    "pairwise": PairwiseScorer,
}


def check_template(template: str | None, needed: set[str], optional: set[str]) -> None:
    """Check that ``template`` has all ``needed`` fields and otherwise only ``optional`` ones.

    Raises:
        ValueError: it has not.
    """
    if template is None:
        return
    named = set(Template.of(template).columns)
    if missing := sorted(needed - named):
        raise ValueError(f"template lacks {{{missing[0]}}}; it takes {_braced(needed | optional)}")
    if unknown := sorted(named - needed - optional):
        raise ValueError(f"template has {{{unknown[0]}}}; it takes {_braced(needed | optional)}")


def _braced(names: set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))
