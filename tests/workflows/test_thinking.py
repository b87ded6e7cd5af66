"""What a model thinks reaches no peer, no chair and no result, in any protocol and however it is written."""

from collections.abc import Callable
from itertools import cycle
from typing import Any

import pytest
from temporalio.testing import WorkflowEnvironment

from protocols.final_answer_prompt import with_ending
from protocols.model_call import ModelCall
from protocols.panel import name_of
from rehearsal.faults.table import FAULTS
from rehearsal.models.behaviours import THOUGHT_FORMS, reply_of, thinking
from rehearsal.models.model_selection import select_model
from rehearsal.models.prompt_recognition import recognise
from rehearsal.models.replies import Speaker
from tests.fakes.baselines import NUMBER, QUESTION, mixture_input, sampled_input, vote_input
from tests.fakes.circles import baseline_of, circle_of
from tests.fakes.consensuses import consensus_input
from tests.fakes.councils import council_input
from tests.fakes.debates import debate_of
from tests.fakes.models import Script
from tests.workflows import holding
from workflows.consensus import ConsensusWorkflow
from workflows.council import CouncilWorkflow
from workflows.debate import DebateWorkflow
from workflows.fire_circle import FireCircleWorkflow
from workflows.fire_circle_baseline import FireCircleBaselineWorkflow
from workflows.mixture import MixtureWorkflow
from workflows.vote import VoteWorkflow

MARKER = "Marginal note to myself"
ASKED = with_ending(QUESTION, NUMBER)

PROTOCOLS: dict[str, tuple[Any, Callable[[], Any]]] = {
    "council": (CouncilWorkflow.run, council_input),
    "consensus": (ConsensusWorkflow.run, lambda: consensus_input(max_rounds=2)),
    "fire-circle": (FireCircleWorkflow.run, lambda: circle_of(3)),
    "fire-circle-baseline": (FireCircleBaselineWorkflow.run, lambda: baseline_of(3)),
    "debate": (DebateWorkflow.run, lambda: debate_of(max_rounds=2, reask=True, summaries="llm")),
    "samples": (VoteWorkflow.run, lambda: sampled_input(question=ASKED)),
    "vote": (VoteWorkflow.run, lambda: vote_input(question=ASKED)),
    "mixture": (MixtureWorkflow.run, lambda: mixture_input(question=ASKED)),
}


def thinking_aloud() -> Script:
    """Scripted models that all think in their replies, each reply in another form."""
    forms = cycle(name for name in THOUGHT_FORMS if name != "think-unclosed")

    def script(call: ModelCall) -> str:
        part = select_model(name_of(call.model), FAULTS)
        cue = recognise([message.model_dump() for message in call.messages])
        return thinking(next(forms), reply_of(part.behaviour, Speaker(7, part.speaker), cue).text or "")

    return script


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_nobody_is_shown_what_another_one_thought(env: WorkflowEnvironment, protocol: str) -> None:
    """No call and no part of the result holds a word of it, and nothing is lost for it."""
    run, asked = PROTOCOLS[protocol]
    result, models = await holding.hold(env, run, asked(), thinking_aloud())

    assert len(models.calls) >= 3
    assert not any(MARKER in message.content for call in models.calls for message in call.messages)
    assert MARKER not in result.model_dump_json()
    assert not result.degraded.counts.get("unread", 0)
