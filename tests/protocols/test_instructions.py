"""The messages before a protocol's own prompt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from protocols.instructions import Example, Instructions, compose
from protocols.model_call import Message


def user(text: str) -> Message:
    """Return a message of the user."""
    return Message(role="user", content=text)


@given(st.text(), st.text())
def test_a_prompt_without_instructions_is_unchanged(system: str, text: str) -> None:
    """Byte for byte, with and without a system message of the protocol."""
    with_system = (Message(role="system", content=system or "s"), user(text))

    assert (user(text),) == compose((user(text),), system=("",))
    assert with_system == compose(with_system, system=("",))


def test_there_is_one_system_message() -> None:
    """The deliberation's text, the seat's, and the protocol's, with a blank line between them."""
    own = (Message(role="system", content="Keep your role."), user("Why?"))
    whole = Message(role="system", content="Be brief.\n\nYou are a lawyer.\n\nKeep your role.")

    assert (whole, user("Why?")) == compose(own, system=("Be brief.", "You are a lawyer."))


def test_examples_stand_between_system_message_and_prompt() -> None:
    """Each is a message of the user and one of the assistant, in the order given."""
    given = Instructions(examples=(Example(user="1 + 1?", assistant="2"), Example(user="2 + 2?", assistant="4")))
    found = compose((user("3 + 3?"),), system=("Be brief.",), before=given.example_messages)

    assert ["system", "user", "assistant", "user", "assistant", "user"] == [one.role for one in found]
    assert ["1 + 1?", "2", "2 + 2?", "4", "3 + 3?"] == [one.content for one in found[1:]]


def test_an_example_has_both_texts() -> None:
    """A provider refuses an empty message."""
    with pytest.raises(ValidationError):
        Example(user="1 + 1?", assistant="")
