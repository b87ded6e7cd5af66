"""The scripted models of the baselines of equal cost: the rooms' own prompts, recognised and answered."""

from collections.abc import Mapping

import pytest

from protocols.answers import AnswerForm, reading
from protocols.final_answer_prompt import with_ending
from protocols.mixture import prompts as mixture
from protocols.mixture.model import MixtureInput
from protocols.mixture.readers import read_proposal
from protocols.model_call import ModelCall
from protocols.panel import Panel, name_of
from protocols.vote import prompts as vote
from protocols.vote.model import VoteInput
from rehearsal.models.prompt_recognition import RecognisedPrompt, recognise
from tests.rehearsal.listening import QUESTION
from tests.rehearsal.test_consensus_play import said

NUMBER = AnswerForm(kind="number")
CHOICE = AnswerForm(kind="choice", choices=("A", "B", "C"))
SUM = with_ending("What is 17 * 23?", NUMBER)
FORMED = with_ending("What is 7 x 8?\nA) 54\nB) 56\nC) 63", CHOICE)

MODELS = ("rehearsal:lab/one", "rehearsal:lab/two", "rehearsal:lab/three")
PANEL = Panel.of(MODELS, MODELS[0])
SHOWN = {"Answer 1": "Roughly 400.\n\nFINAL ANSWER: 400", "Answer 2": "It is 391.\n\nFINAL ANSWER: 391"}


def cue_of(call: ModelCall) -> RecognisedPrompt:
    """What the rehearsal server understands of a call."""
    return recognise([{"role": "user", "content": call.messages[-1].content}])


def heard(call: ModelCall) -> str:
    """What comes back on a call."""
    return said(name_of(call.model), call.messages[-1].content).text or ""


def mixed(question: str = SUM, form: AnswerForm = NUMBER) -> MixtureInput:
    """A mixture of three."""
    return MixtureInput(question=question, title="play", panel=PANEL, prompts=mixture.PACK, answer=form)


def refined(inp: MixtureInput, shown: Mapping[str, str] = SHOWN) -> ModelCall:
    """The call to a proposer of the second layer."""
    return mixture.proposal(inp, inp.panel.participants[1], 2, shown, (), secret="s")


def aggregated(inp: MixtureInput, shown: Mapping[str, str] = SHOWN) -> ModelCall:
    """The call to the aggregator."""
    return mixture.aggregation(inp, inp.panel.participants[0], 2, shown, secret="s")


@pytest.mark.parametrize("question", [SUM, FORMED, QUESTION, "Compare.\n\nQuestion:\nWhich?\n\nFINAL RANKING:\n"])
def test_prompts_of_the_real_mixture_are_recognised(question: str) -> None:
    """Refinement and aggregation are distinguished from reviews and syntheses, with all answers that they show."""
    inp = mixed(question, AnswerForm())
    cues = [cue_of(refined(inp)), cue_of(aggregated(inp))]

    assert ["proposal", "aggregation"] == [cue.stage for cue in cues]
    assert [tuple(SHOWN.items())] * 2 == [cue.answers for cue in cues]


def test_first_layer_and_votes_and_samples_are_first_answers() -> None:
    """A model that has seen no answers replies as in a council, whatever the protocol."""
    own = VoteInput(question=SUM, title="play", panel=PANEL, prompts=vote.PACK, answer=NUMBER)
    one = VoteInput(
        question=SUM,
        title="play",
        panel=Panel.of(MODELS[:1], MODELS[0]),
        prompts=vote.PACK,
        answer=NUMBER,
        samples=2,
    )
    seat = PANEL.participants[0]
    calls = (
        mixture.proposal(mixed(), seat, 1, {}, (), secret="s"),
        vote.answer(own, seat),
        vote.answer(one, one.seats[0]),
    )

    assert ["opinion"] * 3 == [cue_of(call).stage for call in calls]
    assert len({heard(call) for call in calls}) == 1


@pytest.mark.parametrize(("question", "form"), [(SUM, NUMBER), (FORMED, CHOICE)])
def test_every_stage_of_a_mixture_ends_with_a_final_answer(question: str, form: AnswerForm) -> None:
    """Where a form is asked for, each reply has an answer that the protocol reads."""
    inp = mixed(question, form)
    first = [mixture.proposal(inp, seat, 1, {}, (), secret="s") for seat in inp.panel.participants]
    shown = {f"Answer {n}": heard(call) for n, call in enumerate(first, start=1)}

    for call in (*first, refined(inp, shown)):
        assert read_proposal(heard(call), call.read_as.needs).answer is not None
    last = aggregated(inp, shown)
    assert reading(heard(last), last.read_as.needs).answer is not None


def test_open_question_is_answered_without_a_final_line() -> None:
    """A mixture asks an open question as it is, and no form is added to it."""
    inp = mixed(QUESTION, AnswerForm())

    assert not [call for call in (refined(inp), aggregated(inp)) if "FINAL ANSWER" in heard(call)]


def test_later_proposals_better_the_first() -> None:
    """A proposer who saw others' answers says what it would have said and more, where they have more to say."""
    inp = mixed(QUESTION, AnswerForm())
    seat = inp.panel.participants[0]
    others = {f"Answer {n}": said(f"lab/other-{n}", QUESTION).text or "" for n in range(1, 5)}
    first = heard(mixture.proposal(inp, seat, 1, {}, (), secret="s"))
    second = heard(mixture.proposal(inp, seat, 2, others, (), secret="s"))

    assert second.startswith(first)
    assert "The other answers add to this: " in second
