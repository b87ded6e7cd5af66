"""The study file and the meaning of its keys.

This is a human edge: an unknown key is an error, and every refusal names the key, the value and the remedy. What an
arm's ``options`` may be is its protocol's business; ``example.toml`` is a whole file with comments.
"""

import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from protocols.answers import AnswerForm
from protocols.named_panel import PANEL_NAME, NamedPanel
from protocols.panel import FailureMode
from protocols.seeds import MOST_SEED
from protocols.study.model import MOST_IN_FLIGHT, MOST_LOSSES, Budget, RunSettings, StudyName
from protocols.time_spans import DAY, Seconds
from studies.dataset.dataset import Format
from studies.dataset.records import Layout, checked_encoding
from studies.dataset.templates import Template
from studies.definition.arm_protocols import checked_protocol

MOST_REPEATS = 1000

Protocol = Annotated[str, AfterValidator(checked_protocol)]
"""The protocol of an arm, or one of its presets."""

_SPAN = re.compile(r"(?P<first>[1-9][0-9]{0,8})(?P<dash>-(?P<last>[1-9][0-9]{0,8})?)?")
_REPEAT = re.compile(r"r[0-9]+")


def _spanned(said: str) -> str:
    found = _SPAN.fullmatch(said)
    if found is None or (found["last"] is not None and int(found["last"]) < int(found["first"])):
        raise ValueError("expected rows such as 1-80, 81- or 80, counted from 1")
    return said


def _no_repeat(name: str) -> str:
    if _REPEAT.fullmatch(name):
        raise ValueError("r and a number marks a repeat; choose another name")
    return name


def _listed(given: Any) -> Any:
    if isinstance(given, dict):
        raise ValueError('each arm is a table of its own: [[arms]], and below it name = "small" and protocol = "…"')  # noqa: TRY004 - pydantic takes no TypeError
    return given


def _named(given: Any) -> Any:
    if given is not None and re.fullmatch(PANEL_NAME, str(given)) is None:
        raise ValueError('name a panel here, and its models in a table: [panels.small] with models = ["a/b", "c/d"]')
    return given


Whole = Annotated[int, Field(strict=True)]
Money = Annotated[float, Field(strict=True, gt=0)]
ArmName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$"), AfterValidator(_no_repeat)]
PanelName = Annotated[str, Field(pattern=PANEL_NAME)]
Column = Annotated[str, Field(min_length=1, max_length=200)]


class Table(BaseModel):
    """A table of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class BudgetTable(Table):
    """The most that the study may use; no limit unless one is set."""

    usd: Money | None = None
    tokens: Annotated[Whole, Field(gt=0)] | None = None


class DatasetTable(Table):
    """The file with the questions, and the roles of its columns."""

    path: Path
    """Absolute once the file was read; in the file seen from its directory."""
    format: Format | None = None
    """By the end of the name when it is left out."""
    encoding: Annotated[str, AfterValidator(checked_encoding)] | None = None
    """Of a file of text; by its first bytes, or UTF-8, when it is left out."""
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """Of a table in text; see ``csv_lines``."""
    sheet: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """Of a workbook; the first when it is left out."""
    id: Column | None = None
    """The line's number when it is left out."""
    question: Column | None = None
    """``question`` or ``prompt`` when neither this nor a template is given."""
    template: Annotated[str, Field(max_length=100_000)] | None = None
    """See ``templates``."""
    turns: Column | None = None
    """Turns of one conversation as a list in JSON, in place of a question; see ``parley.turns``."""
    label: Column | None = None
    system: Column | None = None
    application: Column | None = None
    user: Column | None = None
    """The layers of a prompt that is judged; the question of the other protocols is then what the user wrote."""
    session: Column | None = None
    """The conversation before a prompt that is judged: ``{"turn": 4, "trust": [0.5], "balance": 0.5}``."""
    attach: Column | None = None
    """Files that are attached to the question: a path, or a list of paths, seen from the dataset's folder."""
    extra: tuple[Column, ...] = ()
    """Columns that are only kept beside the results."""
    allow_blank: tuple[Column, ...] = ()
    """Columns of the question that may be blank, or missing in a row."""
    allow_json: tuple[Column, ...] = ()
    """Columns of the question that are passed unchanged if they contain a list or an object."""
    options: Annotated[tuple[Column, ...], Field(max_length=100)] = ()
    """The columns with the texts of a multiple choice, in the order of the choices of ``[label]``."""
    shuffle_options: bool = Field(default=False, strict=True)
    """Show the texts in another order for every row and repeat; the answer is read as if they were in place."""
    rows: Annotated[str, AfterValidator(_spanned)] | None = None
    """``1-80``, ``81-`` or ``80``: records of the file, counted from 1."""
    skip_bad: bool = Field(default=False, strict=True)

    @model_validator(mode="after")
    def _one_question(self) -> Self:
        if self.question is not None and self.template is not None:
            raise ValueError("question and template both say what is asked; leave one of them out")
        if self.turns is not None and (self.question or self.template or self.layers):
            raise ValueError("turns say what is asked; leave question, template and the layers of a prompt out")
        if self.session is not None and not self.layers:
            raise ValueError("session is of a prompt that is judged; name its layers too: system, application, user")
        if self.template is not None:
            Template.of(self.template)
        self._refuse_options()
        return self

    def _refuse_options(self) -> None:
        named = Template.of(self.template).columns if self.template is not None else ()
        if bool(self.options) is not self.shuffle_options:
            raise ValueError('options and shuffle_options go together: options = ["a", "b"] and shuffle_options = true')
        if twice := [one for one in self.options if self.options.count(one) > 1]:
            raise ValueError(f"options names the column {twice[0]!r} twice; name the text of each choice once")
        if lacking := [one for one in self.options if one not in named]:
            raise ValueError(
                f"options are shuffled in the template, and it does not show {{{lacking[0]}}}; show them all"
            )

    @property
    def span(self) -> tuple[int, int | None]:
        """First and last record; ``None`` is the end."""
        found = _SPAN.fullmatch(self.rows or "1-")
        if found is None:
            raise ValueError(self.rows)
        if found["dash"] is None:
            return 1, int(found["first"])
        return int(found["first"]), None if found["last"] is None else int(found["last"])

    @property
    def layout(self) -> Layout:
        """The layout of the file, as far as the study file states it."""
        return Layout(self.encoding, self.delimiter, self.sheet)

    @property
    def layers(self) -> dict[str, str]:
        """Layer to column, for those that are mapped."""
        named = {"system": self.system, "application": self.application, "user": self.user}
        return {layer: column for layer, column in named.items() if column is not None}


class LabelTable(Table):
    """The comparison of an answer with the expected one."""

    read: Literal["choice", "number", "exact", "contains", "yes_no", "flagged"] = "exact"
    choices: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(max_length=100)] = ()
    scale: tuple[float, float] | None = None
    """Of ``number``: the lowest and the highest one; a number outside is no answer."""
    threshold: Annotated[float, Field(strict=True, ge=0, le=1)] | None = None
    """Of ``flagged``: a falsehood that reaches it is a flag; 0.5 when it is left out."""

    @model_validator(mode="after")
    def _what_belongs(self) -> Self:
        if (self.read == "choice") is not bool(self.choices):
            raise ValueError('choices go with read = "choice" and with nothing else: choices = ["A", "B"]')
        if any("," in choice or choice != choice.strip() for choice in self.choices):
            raise ValueError("a choice holds no comma and begins and ends with no space")
        if self.choices:
            AnswerForm(kind="choice", choices=self.choices)
        if self.threshold is not None and self.read != "flagged":
            raise ValueError('threshold goes with read = "flagged" alone')
        if self.scale is not None and (self.read != "number" or not self.scale[0] < self.scale[1]):
            raise ValueError('scale goes with read = "number" and has the lowest number first: scale = [1, 10]')
        return self

    @property
    def answer(self) -> str | None:
        """The form of answer for every arm; none for flags, which are read from scores."""
        return None if self.form is None else self.form.written

    @property
    def form(self) -> AnswerForm | None:
        """The same as a value."""
        return None if self.read == "flagged" else AnswerForm(kind=self.read, choices=self.choices, scale=self.scale)


class ArmTable(Table):
    """One arm of a study."""

    name: ArmName | None = None
    """The protocol's name, and the panel's behind it, when it is left out."""
    protocol: Protocol
    panel: Annotated[str | None, BeforeValidator(_named)] = None
    """One of the file's, else of the installation's; ``default`` when it is left out."""
    options: dict[str, Any] = Field(default_factory=dict)


class GridTable(Table):
    """Every protocol with every panel."""

    protocols: tuple[Protocol, ...] = Field(min_length=1)
    panels: tuple[PanelName, ...] | None = None
    """All of the file when it is left out, ``default`` when the file has none."""


class StudyFile(Table):
    """A study: its arms, dataset, repeats and limits."""

    name: StudyName
    title: str = Field(default="", max_length=120)
    seed: Annotated[Whole, Field(ge=0, le=MOST_SEED)] | None = None
    """Every call is sent a seed of its own, derived from this one, row, arm and repeat; without it none is sent."""
    repeats: Annotated[Whole, Field(ge=1, le=MOST_REPEATS)] = 1
    window: Annotated[Whole, Field(ge=1, le=MOST_IN_FLIGHT)] = 20
    """Deliberations at once."""
    priority: Annotated[Whole, Field(ge=1, le=5)] = 4
    pause_after_losses: Annotated[Whole, Field(ge=1, le=MOST_LOSSES)] = 5
    """Deliberations in a row that lost every call of one provider for one cause; so many pause the study."""
    failure_mode: FailureMode = "resilient"
    patience: Annotated[Seconds, Field(ge=0, le=30 * DAY)] = DAY
    """For how long a call waits for a provider that is away."""
    structured_output: bool = Field(default=True, strict=True)
    """Send the JSON schema of a reply to the models that take one."""
    rehearse: bool = Field(default=False, strict=True)
    """Ask scripted models in place of the real ones."""
    providers: Path | None = None
    """The providers file; absolute once the file was read."""
    budget: BudgetTable = BudgetTable()
    dataset: DatasetTable
    label: LabelTable | None = None
    panels: dict[PanelName, NamedPanel] = Field(default_factory=dict)
    arms: Annotated[tuple[ArmTable, ...], BeforeValidator(_listed)] = ()
    grid: GridTable | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if not self.arms and self.grid is None:
            raise ValueError('there is nothing to run: add [[arms]] with a protocol, or [grid] with protocols = ["…"]')
        choices = self.label.choices if self.label else ()
        if self.dataset.shuffle_options and len(choices) != len(self.dataset.options):
            raise ValueError(
                f"shuffle_options has {len(self.dataset.options)} options and [label] {len(choices)} choices; name one "
                'column of a text for every choice, with read = "choice"'
            )
        return self

    @property
    def terms(self) -> RunSettings:
        """The settings that can change while it runs."""
        cap = Budget(usd=self.budget.usd, tokens=self.budget.tokens)
        losses = self.pause_after_losses
        return RunSettings(window=self.window, cap=cap, priority=self.priority, pause_after_losses=losses)

    @property
    def answer(self) -> str | None:
        """The form of answer for every arm; ``None`` without labels."""
        return None if self.reading is None else self.reading.answer

    @property
    def reading(self) -> LabelTable | None:
        """The rule to read final answers by; ``None`` without a table and without labels.

        A table without a column of labels asks every arm for an answer in this form, to be scored later.
        """
        return self.label or (LabelTable() if self.dataset.label is not None else None)
