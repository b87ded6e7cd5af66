"""The option ``answer``: the form of the final answer, and the question's request for it."""

import re
from typing import Annotated, Any, get_args

from pydantic import Field, ValidationError, field_validator

from parley.options.ask import Options
from parley.options.written import Written
from protocols.answers import AnswerForm, AnswerKind
from protocols.constraints import sentence_of
from protocols.final_answer_prompt import with_ending
from protocols.model_call import CallTimeouts

_SCALE = re.compile(r"(?P<low>-?\d+(?:\.\d+)?)\.\.(?P<high>-?\d+(?:\.\d+)?)")


def answer_form(written: str) -> AnswerForm:
    """Parse ``free``, ``number``, ``number:1..10``, ``exact``, ``contains``, ``yes_no`` or ``choice:A,B,C`` to a form.

    Raises:
        ValueError: it is none of these; says what can be written.
    """
    kind, _, listed = written.strip().partition(":")
    kind = kind.strip().lower().replace("-", "_")
    scale = _SCALE.fullmatch(listed.strip()) if kind == "number" else None
    choices = () if scale else tuple(choice.strip() for choice in listed.split(",") if choice.strip())
    if kind not in get_args(AnswerKind) or (bool(choices) != (kind == "choice")):
        raise ValueError(
            "write free, number, number: with its scale, as in number:1..10, exact, contains, yes_no, or choice: with "
            "the choices, as in choice:A,B,C"
        )
    try:
        return AnswerForm.model_validate(
            {"kind": kind, "choices": choices, "scale": scale and (float(scale["low"]), float(scale["high"]))}
        )
    except ValidationError as error:
        raise ValueError(sentence_of(error.errors(include_url=False)[0])) from None


class AnswerOptions(Options):
    """The options of a protocol whose result may be a final answer."""

    timeout: float | None = Field(default=CallTimeouts().total, gt=0, le=86_400)
    """Most seconds for one attempt of one call."""
    answer: Annotated[str | None, Written("FORM")] = None
    """Form of the final answer: free, number, number:1..10, exact, contains, yes_no, choice:A,B,C; by default none."""

    @field_validator("answer")
    @classmethod
    def _is_a_form(cls, written: str | None) -> str | None:
        if written is not None:
            answer_form(written)
        return written

    @property
    def form(self) -> AnswerForm | None:
        """The form that the question asks for; ``None`` leaves the question as it is."""
        return None if self.answer is None else answer_form(self.answer)

    def _given(self, asked: Any, *, private: bool) -> dict[str, Any]:
        given, form = super()._given(asked, private=private), self.form
        ending = {} if form is None or not asked.strip() else {"question": with_ending(asked, form)}
        return {**given, **ending, "answer": form}
