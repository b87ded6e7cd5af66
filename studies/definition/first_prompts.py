"""The first prompt of every arm, side by side: what a study compares must differ by protocol alone."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ledger.studies.records import EnteredArm
from protocols.consensus import prompts as consensus
from protocols.consensus.model import ConsensusInput
from protocols.council import prompts as council
from protocols.council.model import CouncilInput
from protocols.debate.model.io import DebateInput
from protocols.debate.modes.aliases import labels, open_aliases
from protocols.debate.modes.table import MODES
from protocols.debate.prompts import calls as debate
from protocols.debate.prompts.call_context import DebateView, RoundContext
from protocols.debate.rules.round_steps import start_debate
from protocols.fire_circle import prompts as circle
from protocols.fire_circle.modes import EvaluateInput, FireCircleInput
from protocols.mixture import prompts as mixture
from protocols.mixture.model import MixtureInput
from protocols.model_call import Message, ModelCall
from protocols.vote import prompts as vote
from protocols.vote.model import VoteInput
from studies.definition.load import LoadedStudy

_SECRET = "dry-run"  # noqa: S105 - it hides nothing: nobody is asked
"""What the codes of a prompt are made from when nobody is asked."""


_JUDGING = frozenset({"FireCircle", "Evaluate"})


class FirstPrompt(NamedTuple):
    """What the first participant of an arm is asked first about the study's first row."""

    arm: str
    participant: str
    model: str
    messages: tuple[Message, ...]
    question: str
    """What the arm is asked; blank where it judges a prompt."""

    @property
    def has_question(self) -> bool:
        """Whether the question stands in the prompt word for word."""
        return any(self.question in message.content for message in self.messages)


def first_prompts(study: LoadedStudy) -> tuple[FirstPrompt, ...]:
    """Return the first prompt of each arm, in the order of the arms."""
    arms = study.entered().arms
    return tuple(_first(arm, _CALLS[arm.workflow](arm.template)) for arm in arms)


def _first(arm: EnteredArm, call: ModelCall) -> FirstPrompt:
    question = "" if arm.workflow in _JUDGING else str(arm.template["question"])
    return FirstPrompt(arm.arm, call.participant, call.model, call.messages, question)


def _council(whole: Mapping[str, Any]) -> ModelCall:
    inp = CouncilInput.model_validate(whole)
    return council.opinion(inp, inp.panel.participants[0], ())


def _consensus(whole: Mapping[str, Any]) -> ModelCall:
    inp = ConsensusInput.model_validate(whole)
    return consensus.answer(inp, inp.panel.participants[0], consensus.Occasion("generator", 1))


def _debate(whole: Mapping[str, Any]) -> ModelCall:
    inp = DebateInput.model_validate(whole)
    names = labels(inp.seats) if MODES[inp.mode].is_anonymous else open_aliases(inp.panel)
    call, _ = debate.turn(
        DebateView(inp, start_debate(inp), names, _SECRET), inp.panel.participants[0], RoundContext(1)
    )
    return call


def _circle(whole: Mapping[str, Any]) -> ModelCall:
    inp = FireCircleInput.model_validate(whole)
    return circle.baseline(inp, circle.Seat(inp.panel.participants[0], 1), secret=_SECRET)


def _evaluate(whole: Mapping[str, Any]) -> ModelCall:
    inp = EvaluateInput.model_validate(whole)
    return circle.baseline(inp, circle.Seat(inp.panel.participants[0], 1), secret=_SECRET)


def _vote(whole: Mapping[str, Any]) -> ModelCall:
    inp = VoteInput.model_validate(whole)
    return vote.answer(inp, inp.seats[0])


def _mixture(whole: Mapping[str, Any]) -> ModelCall:
    inp = MixtureInput.model_validate(whole)
    return mixture.proposal(inp, inp.panel.participants[0], 1, {}, (), secret=_SECRET)


_CALLS: Mapping[str, Callable[[Mapping[str, Any]], ModelCall]] = {
    "Council": _council,
    "Consensus": _consensus,
    "Debate": _debate,
    "FireCircle": _circle,
    "Evaluate": _evaluate,
    "Vote": _vote,
    "Mixture": _mixture,
}
"""By workflow, the first call that its schedule makes."""
