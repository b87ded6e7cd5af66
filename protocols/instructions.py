"""The text that precedes a protocol's own prompt in a call: a system message, examples, and an earlier conversation.

Order of the messages of a call::

    system       the deliberation's, the seat's, and the protocol's own, in this order
    examples     the user's, each a message of the user and one of the assistant; in calls that answer the question
    conversation earlier questions as the user's messages, their answers as the assistant's
    prompt       the protocol's own
"""

from collections.abc import Sequence

from pydantic import Field, field_validator

from protocols.model_call import FrozenModel, Message

LONGEST_SYSTEM = 100_000
"""Characters of a system message."""
MOST_EXAMPLES = 50
LONGEST_EXAMPLE = 100_000
"""Characters of one text of an example."""


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


class Instructions(FrozenModel):
    """The texts of a user beside the question; inputs and results share them."""

    system: str = ""
    """The system message of every call."""
    examples: tuple[Example, ...] = ()
    """Shown in the calls that answer the question."""

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
