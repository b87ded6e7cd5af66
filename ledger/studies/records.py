"""The records of a study in the ledger, and the errors of a differing one.

::

    StudyError
    ├── StudyDiffersError        a study of that name is there, and it is another one
    │   └── StudyChangedError    an extension would change what the study has
    ├── StudyUnknownError        there is no study of that name
    └── StudyRowsChangedError    rows that the study has already are not as they were
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from protocols.constraints import quoted
from protocols.study.model import Amount


def without_panels(arms: Mapping[str, Mapping[str, JsonValue]]) -> dict[str, JsonValue]:
    """Return the contents of ``arms`` without the names of their panels, which may change."""
    return {name: {key: value for key, value in arm.items() if key != "panel"} for name, arm in arms.items()}


class StudyError(Exception):
    """A study cannot be entered or found as it was asked; the text is for the user."""


class StudyDiffersError(StudyError):
    """A study of that name with another content.

    Args:
        name: Of the study.
        entered: The content in the ledger.
        given: The content that was to be entered.
    """

    def __init__(self, name: str, entered: Mapping[str, JsonValue], given: Mapping[str, JsonValue]) -> None:
        super().__init__(self._text(name))
        self.name = name
        self.entered = entered
        self.given = given

    def _text(self, name: str) -> str:
        return f"the ledger has another study {name!r}; give this one another name, or undo what was changed"


class StudyChangedError(StudyDiffersError):
    """An extension that changes an arm, a setting or the number of repeats of the study."""

    def _text(self, name: str) -> str:
        return (
            f"the study {name!r} gets rows, arms and repeats, and what it has stays as it is; undo this change, or "
            "give a changed arm another name"
        )


class StudyUnknownError(StudyError):
    """An unknown study."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the ledger has no study {quoted(name)}; parley batch list shows those it has")


class StudyRowsChangedError(StudyError):
    """Rows that the study has already are not as they were; only rows behind the last one can be added."""


@dataclass(frozen=True)
class EnteredArm:
    """One arm of a study."""

    arm: str
    protocol: str
    workflow: str
    """Its name on the wire: ``Council``, ``Consensus`` and so on."""
    models: tuple[str, ...]
    template: dict[str, JsonValue]
    """The argument of its first deliberation, whole."""


@dataclass(frozen=True)
class EnteredStudy:
    """A study as it is entered, without its rows."""

    name: str
    fingerprint: str
    """SHA-256 of the content, 64 hex digits."""
    content: dict[str, JsonValue]
    rehearsal: bool
    arms: tuple[EnteredArm, ...]
    about: dict[str, JsonValue] = field(default_factory=dict)
    """Its title and the name of its dataset: what is no part of the content."""


@dataclass(frozen=True)
class EnteredRow:
    """One line of the dataset."""

    row_id: str
    number: int
    """From 0, in the order of the dataset."""
    line: int
    question: str
    expected: str | None = None
    extra: dict[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True)
class RowsBefore:
    """The rows of a study before an extension, as its dataset has them now."""

    rows: int
    sha256: str
    """Of all their columns and files, in hex digits."""


@dataclass(frozen=True)
class EnteredInstance:
    """One deliberation to run."""

    number: int
    """From 0, in the order in which they begin."""
    deliberation_id: str
    row_id: str
    arm: str
    repeat: int
    title: str
    changes: dict[str, JsonValue]
    """What makes its argument out of its arm's template, as ``protocols.study.input_templates.differences`` has it."""
    estimate: Amount
    shown_options: dict[str, str] | None = None
    """Label as shown to label of the dataset, where the options are shuffled."""


@dataclass(frozen=True)
class RejectedRow:
    """A line of the dataset that could not be used, and why."""

    line: int
    reason: str


@dataclass(frozen=True)
class Entered:
    """The outcome of entering a study."""

    is_new: bool
    """Whether anything was written; a study that is entered again as it is leaves the ledger as it was."""
    rows: int
    """Rows that were written, like the instances that follow."""
    instances: int
