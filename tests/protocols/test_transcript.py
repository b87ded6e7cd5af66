"""The ordered turns."""

import pytest

from protocols.model_call import Answered, FurtherCall
from protocols.transcript import turns_of
from tests.fakes.calls import model_call
from tests.fakes.models import CUT, answered


def notes(reply: Answered) -> list[tuple[str, str]]:
    """Text and note of each turn that ``reply`` makes."""
    return [(one.text, one.note) for one in turns_of(reply, "review", 2)]


def test_a_reply_is_one_turn() -> None:
    """A turn has who said what, when, as which model, and under which name."""
    (said,) = turns_of(answered(model_call(), "One."), "review", 2, "Response A")
    assert ("p1", "lab:small", 2, "review", "One.", "Response A", "") == (
        *(said.participant, said.model, said.round, said.stage, said.text, said.label, said.note),
    )


def test_a_reply_that_was_cut_off_is_marked() -> None:
    """The turn says that it ends where the model was stopped."""
    assert [("Half a", "cut off by its length")] == notes(answered(model_call(), f"Half a{CUT}"))


@pytest.mark.parametrize(
    ("kind", "outcome", "other", "told"),
    [
        (
            "again",
            "replaced",
            "Hm.",
            [("Hm.", "could not be used; asked again: Say ONE."), ("ONE", "the answer to being asked again")],
        ),
        ("again", "replaced", "", [("ONE", "the answer to being asked again")]),
        (
            "longer",
            "replaced",
            "O",
            [
                ("O", "cut off by its length; twice the length was allowed once more"),
                ("ONE", "the answer to being asked again"),
            ],
        ),
        (
            "again",
            "unclear",
            "Hm!",
            [
                ("ONE", "could not be used; asked again: Say ONE. The further reply: could not be used either."),
                ("Hm!", "the answer to being asked again; could not be used either"),
            ],
        ),
        (
            "again",
            "timeout",
            "",
            [("ONE", "could not be used; asked again: Say ONE. The further reply: lost (timeout).")],
        ),
    ],
)
def test_the_first_reply_of_a_turn_that_was_asked_again_stays_visible(
    kind: str, outcome: str, other: str, told: list[tuple[str, str]]
) -> None:
    """Both replies are turns, in the order in which they were written, and their notes say what happened."""
    made = {"kind": kind, "call_id": "x", "sentence": "Say ONE.", "outcome": outcome, "other": other}
    reply = answered(model_call(), "ONE").model_copy(update={"further": FurtherCall.model_validate(made)})
    assert told == notes(reply)
