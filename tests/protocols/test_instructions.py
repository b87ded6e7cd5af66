"""The messages before a protocol's own prompt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from protocols.instructions import Example, Instructions, compose, shorten
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


def said(*texts: str) -> tuple[Message, ...]:
    """Return a conversation: question, answer, and so on."""
    roles = ("user", "assistant") * len(texts)
    return tuple(
        Message.model_validate({"role": role, "content": text}) for role, text in zip(roles, texts, strict=False)
    )


def test_a_long_conversation_loses_its_oldest_texts_visibly() -> None:
    """The newest are kept; what is missing is counted where it was."""
    kept, left_out = shorten(said("a" * 10, "b" * 10, "c" * 10, "d" * 10), 25)
    numbered = "[{} characters of this text are left out]"

    assert (15, ["user", "assistant", "user", "assistant"]) == (left_out, [one.role for one in kept])
    assert [numbered.format(10), f"bbbbb\n\n{numbered.format(5)}", "c" * 10, "d" * 10] == [one.content for one in kept]
    assert (said("a", "b"), 0) == shorten(said("a", "b"), 2)


@pytest.mark.parametrize("texts", [("a",), ("a", "b", "c")])
def test_a_conversation_ends_with_an_answer(texts: tuple[str, ...]) -> None:
    """The question is asked after it."""
    with pytest.raises(ValidationError, match="it ends with one"):
        Instructions(context_messages=said(*texts))
