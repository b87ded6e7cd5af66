"""The reader of a vote's replies: the final answer in the form that the question asks for."""

from collections.abc import Mapping

from pydantic import JsonValue

from protocols.answers import AnswerForm, AnswerRead, reading
from protocols.reply_reader import ReplyReader


def read_answer(text: str, needs: Mapping[str, JsonValue]) -> AnswerRead:
    """Return the answer in ``text``; needs ``form``, an ``AnswerForm``."""
    return reading(text, AnswerForm.model_validate(needs["form"]))


READERS = {"answer": ReplyReader(read_answer)}
