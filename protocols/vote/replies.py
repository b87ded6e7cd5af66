"""The reader of a vote's replies: the final answer in the form that the question asks for."""

from collections.abc import Mapping

from pydantic import JsonValue

from protocols.answers import AnswerForm, AnswerRead, reading


def read_answer(text: str, needs: Mapping[str, JsonValue]) -> AnswerRead:
    """Return the answer in ``text``; needs ``form``, an ``AnswerForm``."""
    return reading(text, AnswerForm.model_validate(needs["form"]))
