"""What every protocol says of the replies that it lost or could not use, with one script of faults for all of them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
from temporalio.testing import WorkflowEnvironment

from protocols.model_call import Failed, ModelCall
from protocols.panel import Panel
from protocols.progress import Progress
from tests.fakes import baselines
from tests.fakes.circles import assessing, baseline_of, circle_of
from tests.fakes.consensuses import accepting, consensus_input, shown_draft
from tests.fakes.councils import agreeable, council_input
from tests.fakes.debates import arguing, debate_of
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import CUT, Script, ScriptedModels, refused_by_provider
from tests.fakes.seed_panel import SEED_CHAIR, SEED_COUNCIL
from tests.workflows import holding
from tests.workflows.conftest import staff
from workflows import search_attributes
from workflows.consensus import ConsensusWorkflow
from workflows.council import CouncilWorkflow
from workflows.debate import DebateWorkflow
from workflows.fire_circle import FireCircleWorkflow
from workflows.fire_circle_baseline import FireCircleBaselineWorkflow
from workflows.mixture import MixtureWorkflow
from workflows.vote import VoteWorkflow

REFUSAL = "I'm sorry, but I can't help with that."
THINKING = "<think>Where do I begin?</think>"

FIVE = Panel.of((*SEED_COUNCIL[:4], "openrouter:maker/five"), SEED_CHAIR)
FOUND = {"lost": 1, "refused": 1, "cut": 1, "asked_again": 2}
"""One call is lost, one is refused, one is cut twice, and one is thinking alone and then answered."""


class Held(NamedTuple):
    """A deliberation of one protocol: what is asked, what all state who are at no fault, and whose calls are."""

    run: Any
    inp: Any
    usual: Script
    faults: Mapping[str, str]
    """By call id; in this order they are lost, refused, cut and asked again."""


def faults(lost: str, refused: str, cut: str, again: str) -> Mapping[str, str]:
    """The fault of each of these calls."""
    return {lost: "lost", refused: "refused", cut: "cut", again: "asked_again"}


def faulty(usual: Script, at: Mapping[str, str]) -> Script:
    """All say what is usual, but for the calls that are ``at`` fault."""

    def script(call: ModelCall) -> str | Exception | Failed:
        fault = at.get(call.call_id.removesuffix("-longer").removesuffix("-again"))
        said = usual(call)
        if fault is None or not isinstance(said, str) or call.call_id.endswith("-again"):
            return said
        replies: dict[str, str | Exception] = {
            "lost": refused_by_provider(),
            "refused": REFUSAL,
            "cut": f"{said}\n\nFor{CUT}",
            "asked_again": THINKING,
        }
        return replies[fault]

    return script


def agreeing_in_round_3(call: ModelCall) -> str | Exception | Failed:
    """The generator corrects the draft in round 2, and in round 3 all accept."""
    if call.stage == "consensus_check" and call.round < 3:
        return "I cannot accept this: the year is wrong."
    if call.stage == "generator" and call.round == 2:
        return f"{shown_draft(call)} It was in 1871."
    return accepting(call)


SEATS = faults("opinion-p1", "opinion-p2", "opinion-p3", "opinion-p4")
PROTOCOLS: dict[str, Held] = {
    "council": Held(CouncilWorkflow.run, council_input(panel=FIVE), agreeable, SEATS),
    "consensus": Held(
        ConsensusWorkflow.run,
        consensus_input(),
        agreeing_in_round_3,
        faults("r01-refiner", "r02-validator", "r01-generator", "r01-validator"),
    ),
    "fire circle": Held(FireCircleWorkflow.run, circle_of(6), assessing(), faults("r1-p1", "r2-p2", "r1-p3", "r1-p4")),
    "fire-circle-baseline": Held(
        FireCircleBaselineWorkflow.run, baseline_of(5), assessing(), faults("r1-p1", "r1-p2", "r1-p3", "r1-p4")
    ),
    "debate": Held(
        DebateWorkflow.run, debate_of(debaters=6), arguing(), faults("r01-p1", "r01-p2", "r01-p3", "r01-p4")
    ),
    "samples": Held(
        VoteWorkflow.run,
        baselines.sampled_input(samples=5),
        baselines.concluding(),
        faults("answer-p1-s01", "answer-p1-s02", "answer-p1-s03", "answer-p1-s04"),
    ),
    "vote": Held(
        VoteWorkflow.run,
        baselines.vote_input(panel=FIVE),
        baselines.concluding(),
        faults("answer-p1", "answer-p2", "answer-p3", "answer-p4"),
    ),
    "mixture": Held(
        MixtureWorkflow.run,
        baselines.mixture_input(),
        baselines.concluding(),
        faults("layer-1-p1", "layer-1-p2", "layer-1-p3", "layer-2-p1"),
    ),
}


OF_LAST_ROUND = {"consensus", "debate"}
"""Their screens show the seats of the last round, and the faults are in earlier ones."""


@pytest.mark.parametrize("name", PROTOCOLS)
async def test_what_was_lost_is_counted_in_result_record_and_column(env: WorkflowEnvironment, name: str) -> None:
    """One count of each kind in every protocol's result and in its line of the ledger, and the column says degraded.

    On screens the seat whose answer is cut has a mark of its own, and no tick.
    """
    held = PROTOCOLS[name]
    models, ledger = ScriptedModels(faulty(held.usual, held.faults)), FakeLedger()
    async with staff(env, models, ledger):
        handle = await holding.start(env, held.run, held.inp)
        result = await handle.result()
        shown = (await handle.describe()).typed_search_attributes
        progress = await handle.query("state", result_type=Progress)
    (entry,) = ledger.entries

    assert set(held.faults) <= {call.call_id for call in models.calls}
    assert FOUND == result.degraded.counts
    assert (FOUND, True) == (entry.flaws, entry.degraded)
    assert shown[search_attributes.DEGRADED] is True
    marked = [seat.participant for seat in (*progress.earlier, *progress.seats) if seat.status == "flawed"]
    assert len(marked) == (name not in OF_LAST_ROUND)
    assert {"cut"} >= {fault for seat in marked for call_id, fault in held.faults.items() if call_id.endswith(seat)}


LAST = {
    "council": "synthesis",
    "consensus": "curator",
    "debate": "synthesis",
    "samples": "answer",
    "vote": "answer",
    "mixture": "aggregation",
}
"""The stage whose reply is the verdict, by protocol; an assessment is numbers, so that no verdict of one can be cut."""


@pytest.mark.parametrize("name", LAST)
async def test_a_verdict_that_is_still_cut_is_partial(env: WorkflowEnvironment, name: str) -> None:
    """What was cut and cut again is the verdict with its mark: the deliberation is partial and has the flaw."""
    held, ledger = PROTOCOLS[name], FakeLedger()

    def script(call: ModelCall) -> str | Exception | Failed:
        said = held.usual(call)
        return f"{said}{CUT}" if call.stage == LAST[name] else said

    async with staff(env, ScriptedModels(script), ledger):
        handle = await holding.start(env, held.run, held.inp)
        result = await handle.result()
    (entry,) = ledger.entries

    assert (True, True) == (result.partial, entry.partial)
    assert result.verdict
    assert 0 < result.degraded.counts["cut"] == result.degraded.counts["asked_again"]
