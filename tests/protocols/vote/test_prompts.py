"""The prompts of a vote, and the seats that are asked."""

import pytest
from pydantic import ValidationError

from protocols.model_call import ModelCall
from protocols.panel import Panel
from protocols.vote import prompts
from tests.fakes.baselines import LETTERS, QUESTION, sampled_input, vote_input


def calls(**changes: object) -> list[ModelCall]:
    """The calls of all samples."""
    inp = sampled_input(**changes)
    return [prompts.answer(inp, seat) for seat in inp.seats]


def test_samples_differ_only_in_their_identity() -> None:
    """Every sample asks the same words under an id of its own."""
    asked = calls(samples=12)

    assert ["answer-p1-s01", "answer-p1-s12"] == [asked[0].call_id, asked[-1].call_id]
    assert (12, 1) == (len({call.call_id for call in asked}), len({call.messages for call in asked}))


def test_every_sample_is_asked_the_question_as_it_was_asked() -> None:
    """Nothing is added to the question: it asks for the form of its answer itself."""
    assert {QUESTION} == {call.messages[0].content for call in calls(answer=LETTERS)}


@pytest.mark.parametrize(
    ("samples", "given", "temperature"), [(1, None, None), (5, None, 0.7), (5, 0.0, 0.0), (1, 1.2, 1.2)]
)
def test_the_temperature(samples: int, given: float | None, temperature: float | None) -> None:
    """Several samples need one, so 0.7 is in where none is set; what is set is kept, zero too."""
    assert {temperature} == {c.sampling.temperature for c in calls(samples=samples, sampling={"temperature": given})}


def test_samples_of_several_models_are_seats_in_panel_order() -> None:
    """Models x samples: the samples of a model follow each other; with one sample the panel's seats are asked."""
    panel = Panel.of(("a/one", "a/two"), "a/one")

    assert ["p1-s01", "p1-s02", "p2-s01", "p2-s02"] == [seat.id for seat in vote_input(panel=panel, samples=2).seats]
    assert panel.participants == vote_input(panel=panel).seats


@pytest.mark.parametrize(("field", "value"), [("samples", 0), ("samples", 65), ("question", " ")])
def test_what_cannot_be_asked(field: str, value: object) -> None:
    """Between 1 and 64 samples of a question that states something."""
    with pytest.raises(ValidationError):
        sampled_input(**{field: value})


def test_a_vote_has_at_most_128_calls() -> None:
    """Models and samples are limited together, and the message multiplies them."""
    with pytest.raises(ValidationError, match=r"3 models with 64 samples each are 192 calls, .* at most 128"):
        vote_input(samples=64)
