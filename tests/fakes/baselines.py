"""Baselines of equal cost to try things with: inputs of both, scripts that answer, and replies."""

import re
from collections.abc import Mapping
from typing import Any

from protocols.answers import AnswerForm
from protocols.mixture import prompts as mixture
from protocols.mixture.model import AGGREGATOR, MixtureInput
from protocols.model_call import Answered, CallTimeouts, Failed, ModelCall
from protocols.panel import Panel
from protocols.vote import prompts as vote
from protocols.vote.model import VoteInput
from tests.fakes.calls import model_call
from tests.fakes.models import Script, answered
from tests.fakes.seed_panel import SEED_COUNCIL

QUESTION = "What is six times seven?"

LETTERS = AnswerForm(kind="choice", choices=("A", "B", "C", "D"))
NUMBER = AnswerForm(kind="number")

_SHOWN = re.compile(r'<answer name="(Answer \d+)" nonce="[a-p]+">\n(.*?)\n</answer', re.DOTALL)


def sampled_input(**changes: Any) -> VoteInput:
    """Three samples of one model for a number, with ``changes``."""
    return vote_input(**{"panel": Panel.of(SEED_COUNCIL[:1], SEED_COUNCIL[0]), "samples": 3} | changes)


def vote_input(**changes: Any) -> VoteInput:
    """Three models vote on a number, with ``changes``."""
    panel = Panel.of(SEED_COUNCIL[:3], SEED_COUNCIL[0])
    return VoteInput.model_validate(_given(panel, vote.PACK) | changes)


def mixture_input(**changes: Any) -> MixtureInput:
    """Three proposers in two layers and an aggregator of its own, with ``changes``."""
    panel = Panel.of(SEED_COUNCIL[:3], SEED_COUNCIL[3], chair_seat=AGGREGATOR)
    return MixtureInput.model_validate(_given(panel, mixture.PACK) | changes)


def concluding(answers: Mapping[str, str | Exception] | None = None, usual: str = "42") -> Script:
    """Everyone ends with ``usual``; ``answers`` say otherwise by call id, and an exception is a loss."""

    def script(call: ModelCall) -> str | Exception | Failed:
        said = (answers or {}).get(call.call_id, usual)
        return said if isinstance(said, Exception) else final(said, call.call_id)

    return script


def final(answer: str, thought: str = "I thought about it") -> str:
    """A reply that ends with ``answer``; without one it has none."""
    return f"{thought}.\n\nFINAL ANSWER: {answer}" if answer else f"{thought}, and I cannot say."


def shown_answers(call: ModelCall) -> dict[str, str]:
    """Name to text of the answers in a prompt, in the order in which they are there."""
    return dict(_SHOWN.findall(call.messages[-1].content))


def said_by(participant: str, text: str, reader: str = "vote.answer", **changes: Any) -> Answered:
    """A reply of ``participant``, read for a number unless ``form`` says otherwise."""
    form = changes.pop("form", NUMBER).model_dump(mode="json")
    read_as = {"reader": reader, "needs": {"form": form}}
    call = model_call(participant=participant, read_as=read_as, model=f"lab:{participant}")
    return answered(call, text).model_copy(update=changes)


def _given(panel: Panel, prompts: Any) -> dict[str, Any]:
    return {
        "question": QUESTION,
        "title": "six times seven",
        "panel": panel,
        "prompts": prompts,
        "answer": NUMBER,
        "patience": CallTimeouts(attempts=2),
    }
