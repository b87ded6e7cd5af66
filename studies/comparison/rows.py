"""What a comparison reads of one deliberation, and how the labels of its study are meant."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, Protocol, Self

from pydantic import JsonValue, ValidationError, model_validator

from ledger.studies.results import Standing
from parley.errors import RequestError
from protocols.answers import AnswerForm
from protocols.constraints import sentence_of
from protocols.fire_circle.flagging import Threshold
from protocols.flaws import FlawKind
from protocols.model_call import FrozenModel

ReadKind = Literal["choice", "number", "exact", "contains", "yes_no", "flagged"]
"""How an answer is read and held against its label; ``flagged`` reads a falsehood, the others read text."""


class Compared(Protocol):
    """One deliberation of a study; a row of the books has more."""

    @property
    def row_id(self) -> str:
        """The line of the dataset."""

    @property
    def arm(self) -> str:
        """The way in which it was held."""

    @property
    def repeat(self) -> int:
        """Which time, from 1."""

    @property
    def expected(self) -> str | None:
        """The label; ``None`` when the dataset has none for this row."""

    @property
    def protocol(self) -> str:
        """The protocol's name."""

    @property
    def verdict(self) -> str | None:
        """What it ended with; ``None``: nothing."""

    @property
    def stop_reason(self) -> str:
        """How it ended."""

    @property
    def degraded(self) -> bool:
        """Something was lost or could not be used as it was meant."""

    @property
    def flaws(self) -> Mapping[FlawKind, int]:
        """By kind, how often."""

    @property
    def scores(self) -> Mapping[str, float]:
        """What the protocol measured, by name."""

    @property
    def votes(self) -> Mapping[str, JsonValue]:
        """Who voted for what; ``answer`` is the answer that the protocol itself read."""

    @property
    def calls(self) -> int:
        """Calls to models."""

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""

    @property
    def cost_usd(self) -> float | None:
        """The known part in US dollars; ``None`` when nothing is known."""

    @property
    def calls_of_unknown_cost(self) -> int:
        """Calls that ``cost_usd`` leaves out."""

    @property
    def rehearsal(self) -> bool:
        """Scripted models answered."""

    @property
    def seconds(self) -> float | None:
        """From its start to its end; ``None`` of one that is missing."""

    @property
    def standing(self) -> Standing:
        """How it stands: held, failed, lost, or still open."""


class LabelRule(FrozenModel):
    """The table ``[label]`` of a study file: how answers are read."""

    read: ReadKind = "exact"
    choices: tuple[str, ...] = ()
    threshold: float = Threshold
    """Of ``flagged``: a falsehood that reaches it is a flag."""

    @model_validator(mode="after")
    def _has_a_form(self) -> Self:
        _ = self.form
        return self

    @cached_property
    def form(self) -> AnswerForm:
        """The form in which answers are read; a flag is read from a score and has none that matters."""
        if self.read == "flagged":
            return AnswerForm()
        return AnswerForm(kind=self.read, choices=self.choices if self.read == "choice" else ())

    @property
    def is_binary(self) -> bool:
        """Whether there is a positive answer, so that precision and recall mean something."""
        return self.read in {"yes_no", "flagged"}

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Self | None:
        """The rule in a study's content, or ``None`` when its dataset has no labels.

        Raises:
            RequestError: the content's rule cannot be read.
        """
        told = content.get("label")
        if not isinstance(told, Mapping):
            return None
        known = {name: told[name] for name in cls.model_fields if told.get(name) is not None}
        try:
            return cls.model_validate(known)
        except ValidationError as error:
            wrong = error.errors()[0]
            place = ".".join(("label", *map(str, wrong["loc"])))
            raise RequestError(
                f"the study's {place} is {wrong['input']!r}, which cannot be read: {sentence_of(wrong)}; "
                "compare it with the version of parley that began the study"
            ) from None
