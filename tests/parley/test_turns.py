"""Questions of several turns."""

from typing import Any

import pytest

from parley.errors import RequestError
from parley.turns import Turns, read_turns, text_of
from protocols.model_call import Message

ASKED = {"role": "user", "content": "Why?"}
ANSWERED = {"role": "assistant", "content": "Because."}
CONTEXT = (Message(role="user", content="Why?"), Message(role="assistant", content="Because."))


@pytest.mark.parametrize(
    ("asked", "turns"),
    [
        ("Why?", Turns("Why?")),
        (["Why?"], Turns("Why?")),
        (["Why?", "And now?"], Turns("And now?", ("Why?",))),
        ([ASKED, "And now?"], Turns("And now?", ("Why?",))),
        ([ASKED, ANSWERED, "And now?"], Turns("And now?", (), CONTEXT)),
        ([ASKED, ANSWERED, "A?", "B?"], Turns("B?", ("A?",), CONTEXT)),
    ],
    ids=str,
)
def test_turns_without_an_answer_are_asked(asked: Any, turns: Turns) -> None:
    """Those with an answer behind them are context."""
    assert turns == read_turns(asked)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ([], "the question ends with an answer, so nothing is asked"),
        ([ASKED, ANSWERED], "the question ends with an answer, so nothing is asked"),
        (["Why?", " "], "turn 2 is ' ', which cannot be asked"),
        (["Why?", 3], "turn 2 is '3', which cannot be asked"),
        ([{"role": "user"}], "which cannot be asked; a question of several turns is a list of texts"),
        ([{"role": "system", "content": "Be brief."}, "Why?"], "give it as the option system"),
        (["A?", ASKED, ANSWERED, "B?"], "must be a question and its answer in turn"),
        (["Why?"] * 52, "the question has 52 turns, and at most 50 are asked; give fewer"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_conversation_is_refused(asked: Any, told: str) -> None:
    """One sentence names the turn and the form."""
    with pytest.raises(RequestError) as refused:
        read_turns(asked)

    assert told in str(refused.value)


def test_all_of_a_conversation_counts_in_an_estimate() -> None:
    """Given answers too."""
    assert "Why?Because.And now?" == text_of([ASKED, ANSWERED, "And now?"])
