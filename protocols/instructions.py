"""The text that precedes a protocol's own prompt in a call: a system message, examples, and an earlier conversation.

Order of the messages of a call::

    system       the deliberation's, the seat's, and the protocol's own, in this order
    examples     the user's, each a message of the user and one of the assistant; in calls that answer the question
    conversation earlier questions as the user's messages, their answers as the assistant's
    prompt       the protocol's own
"""

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from protocols.model_call import FrozenModel, Message, Spending

LONGEST_SYSTEM = 100_000
"""Characters of a system message."""
MOST_EXAMPLES = 50
LONGEST_EXAMPLE = 100_000
"""Characters of one text of an example."""
MOST_CONVERSATION = 100_000
"""Characters of an earlier conversation in a call; of a longer one the oldest texts are left out."""

MOST_TURNS = 50
"""Earlier questions of one conversation."""

ContextKind = Literal["verdict", "transcript"]
"""The answer to an earlier question: its verdict, or all turns and the verdict."""


class Example(FrozenModel):
    """A question with a good answer, to show the models the form of their own."""

    user: str = Field(min_length=1, max_length=LONGEST_EXAMPLE)
    assistant: str = Field(min_length=1, max_length=LONGEST_EXAMPLE)

    @field_validator("user", "assistant")
    @classmethod
    def _has_text(cls, given: str) -> str:
        if not given.strip():
            raise ValueError("it is blank; write the text, or leave the example out")
        return given

    @property
    def messages(self) -> tuple[Message, Message]:
        """The two messages of a call."""
        return Message(role="user", content=self.user), Message(role="assistant", content=self.assistant)


class Continued(FrozenModel):
    """The deliberation that a follow-up continues."""

    of: str = Field(min_length=1)
    context: ContextKind = "verdict"
    left_out: int = Field(default=0, ge=0)
    """Characters of the conversation that were too many."""

    @property
    def as_text(self) -> str:
        """Return one line for display."""
        cut = f"; {self.left_out:,} characters of the conversation were left out" if self.left_out else ""
        return f"continues {self.of}, with its {self.context}{cut}"


class AnsweredTurn(FrozenModel):
    """An earlier turn of a question with several, and its deliberation."""

    question: str
    verdict: str | None
    answer: str | None = None
    """The final answer, where one was asked for and could be read."""
    stop_reason: str
    deliberation_id: str
    spent: Spending = Spending()


class Instructions(FrozenModel):
    """The texts of a user beside the question; inputs and results share them."""

    system: str = ""
    """The system message of every call."""
    examples: tuple[Example, ...] = ()
    """Shown in the calls that answer the question."""
    context_messages: tuple[Message, ...] = ()
    """Earlier questions and their answers, which precede the question in every call."""
    turns: tuple[AnsweredTurn, ...] = ()
    """The earlier turns of the question; their cost is in that of the whole."""
    continues: Continued | None = None
    """The deliberation from which the conversation is, where it is a follow-up."""

    @model_validator(mode="after")
    def _takes_turns(self) -> Self:
        roles = [one.role for one in self.context_messages]
        if roles != ["user", "assistant"] * (len(roles) // 2):
            raise ValueError("a conversation is a question of the user, then its answer, and so on; it ends with one")
        return self

    @property
    def example_messages(self) -> tuple[Message, ...]:
        """All examples as messages, in order."""
        return tuple(message for example in self.examples for message in example.messages)


def compose(
    own: Sequence[Message], *, system: Sequence[str] = (), before: Sequence[Message] = ()
) -> tuple[Message, ...]:
    """Return the messages of a call: one system message of all texts, then ``before``, then those of the protocol.

    Args:
        own: The protocol's messages; its system text is the last part of the system message.
        system: Texts that precede it; blank ones are left out.
        before: Messages between the system message and the prompt.
    """
    texts = [text for text in (*system, *(one.content for one in own if one.role == "system")) if text]
    head = [Message(role="system", content="\n\n".join(texts))] if texts else []
    return (*head, *before, *(one for one in own if one.role != "system"))


def shorten(conversation: Sequence[Message], most: int = MOST_CONVERSATION) -> tuple[tuple[Message, ...], int]:
    """Return ``conversation`` in at most about ``most`` characters, and how many were left out.

    The newest texts are kept. A text that does not fit ends with the number of characters missing from it; of an older
    one only that number is left.
    """
    space, kept, left_out = most, [], 0
    for message in reversed(conversation):
        text = message.content[: max(space, 0)]
        missing = len(message.content) - len(text)
        space, left_out = space - len(message.content), left_out + missing
        note = f"[{missing:,} characters of this text are left out]" if missing else ""
        content = "\n\n".join(filter(None, (text, note)))
        kept.append(message if not missing else message.model_copy(update={"content": content}))
    return tuple(reversed(kept)), left_out
