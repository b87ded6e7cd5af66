"""A question of several turns: texts to be asked one after the other, or a conversation that ends with a question.

``["Write a poem.", "Now in one line."]`` are two turns, and each is answered by a deliberation. In a list of messages,
``{"role": "user", "content": "…"}``, those with an answer behind them are context and are not asked again.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from parley.errors import RequestError
from protocols.constraints import quoted
from protocols.instructions import MOST_TURNS
from protocols.model_call import Message

_FORM = 'a question of several turns is a list of texts, or of messages {"role": "user", "content": "…"}'


class Turns(NamedTuple):
    """A question and what precedes it."""

    last: Any
    before: tuple[str, ...] = ()
    """Questions to be answered first."""
    context: tuple[Message, ...] = ()
    """Questions with given answers."""


def read_turns(asked: Any) -> Turns:
    """Return the turns of ``asked``; anything but a list is one turn.

    Raises:
        RequestError: the list is no conversation that ends with a question.
    """
    if not isinstance(asked, list | tuple):
        return Turns(asked)
    said = [_message(one, number) for number, one in enumerate(asked, 1)]
    answered = max((at + 1 for at, one in enumerate(said) if one.role == "assistant"), default=0)
    context, questions = said[:answered], said[answered:]
    if not questions:
        raise RequestError(f"the question ends with an answer, so nothing is asked; {_FORM}")
    if [one.role for one in context] != ["user", "assistant"] * (len(context) // 2):
        raise RequestError(
            "the messages before the last answer must be a question and its answer in turn: a question without one "
            "cannot be asked between answers that are given"
        )
    if len(questions) > MOST_TURNS:
        raise RequestError(f"the question has {len(questions)} turns, and at most {MOST_TURNS} are asked; give fewer")
    *before, last = (one.content for one in questions)
    return Turns(last, tuple(before), tuple(context))


def _message(given: Any, number: int) -> Message:
    match given:
        case str() if given.strip():
            return Message(role="user", content=given)
        case {"role": "user" | "assistant" as role, "content": str(content), **others} if (
            content.strip() and not others
        ):
            return Message(role=role, content=content)
        case {"role": "system"}:
            raise RequestError(f"turn {number} is a message of the system; give it as the option system")
        case _:
            raise RequestError(f"turn {number} is {quoted(given)}, which cannot be asked; {_FORM}")


def text_of(asked: Any) -> str:
    """Return all text in what is asked, for its length."""
    if isinstance(asked, str):
        return asked
    if isinstance(asked, Mapping):
        return str(asked.get("content", ""))
    listed: Sequence[Any] = asked if isinstance(asked, list | tuple) else ()
    return "".join(map(text_of, listed))
