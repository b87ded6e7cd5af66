"""Rules by which labels of a study are read and compared with answers."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, Self

from pydantic import ValidationError, model_validator

from parley.errors import RequestError
from protocols.answers import AnswerForm
from protocols.constraints import sentence_of
from protocols.fire_circle.flagging import Threshold
from protocols.model_call import FrozenModel

ReadKind = Literal["choice", "number", "exact", "contains", "yes_no", "flagged"]
"""How an answer is read and compared with its label; ``flagged`` reads a falsehood, the others read text."""


class LabelRule(FrozenModel):
    """The table ``[label]`` of a study file: how answers are read."""

    read: ReadKind = "exact"
    choices: tuple[str, ...] = ()
    scale: tuple[float, float] | None = None
    """Of ``number``: the lowest and the highest one; a number outside is no answer."""
    threshold: float = Threshold
    """Of ``flagged``: a falsehood that reaches it is a flag."""

    @model_validator(mode="after")
    def _has_a_form(self) -> Self:
        _ = self.form
        return self

    @cached_property
    def form(self) -> AnswerForm:
        """The form in which answers are read; flags are read from scores and need none."""
        if self.read == "flagged":
            return AnswerForm()
        return AnswerForm(kind=self.read, choices=self.choices if self.read == "choice" else (), scale=self.scale)

    @property
    def is_binary(self) -> bool:
        """True if there is a positive answer, so that precision and recall have a meaning."""
        return self.read in {"yes_no", "flagged"}

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Self | None:
        """Return the rule in a study's content, or ``None`` when its dataset has no labels.

        Raises:
            RequestError: the content's rule cannot be read.
        """
        label = content.get("label")
        if not isinstance(label, Mapping):
            return None
        known = {name: label[name] for name in cls.model_fields if label.get(name) is not None}
        try:
            return cls.model_validate(known)
        except ValidationError as error:
            wrong = error.errors()[0]
            place = ".".join(("label", *map(str, wrong["loc"])))
            raise RequestError(
                f"the study's {place} is {wrong['input']!r}, which cannot be read: {sentence_of(wrong)}; "
                "compare it with the version of parley that began the study"
            ) from None
