"""The final answer in a reply of a debate, where the question has a form for it."""

from collections.abc import Mapping

from pydantic import JsonValue

from protocols.answers import AnswerForm, final_answer, read_answer
from protocols.debate.replies.fields import SHORT, text_of

_CLOSED = frozenset({"choice", "yes_no"})
"""Kinds of which a whole sentence says the answer without a header."""


def stated_answer(needs: Mapping[str, JsonValue], field: JsonValue, said: str, sentence: str) -> str | None:
    """Return the answer of a reply in the form of ``needs["answer"]``; ``None`` without a form or an answer.

    Args:
        needs: Of the reader.
        field: What the reply gives as its answer.
        said: The whole reply, whose last line may hold the answer.
        sentence: What the reply holds or decides, for the kinds of answers that a sentence can open with.
    """
    if not needs.get("answer"):
        return None
    form = AnswerForm.model_validate(needs["answer"])
    told = ("yes" if field else "no") if isinstance(field, bool) else " ".join(text_of(field, SHORT).split())
    given = read_answer(f"FINAL ANSWER: {told}", form) if told else None
    named = given or final_answer(said, form)
    return named if named or form.kind not in _CLOSED else read_answer(sentence, form)
