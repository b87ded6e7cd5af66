"""Results of councils that were never held, for what is done with results."""

from functools import cache
from typing import Any

from protocols.anonymity import Labels
from protocols.council import rules
from protocols.council.model import (
    AggregateRank,
    Ballot,
    CouncilMetadata,
    CouncilResult,
    Stage1Entry,
    Stage2Entry,
    Stage3Entry,
    SubmittedBallot,
)
from protocols.model_call import LostCall, ModelId, ParticipantId, Spending, Usage
from protocols.transcript import Transcript, Turn

MODELS = {ParticipantId("p1"): ModelId("openrouter:maker/one"), ParticipantId("p2"): ModelId("openrouter:maker/two")}


def lost_call(**changes: Any) -> LostCall:
    """A participant that was lost to its provider."""
    given = {
        "participant": "p3",
        "model": "openrouter:maker/three",
        "stage": "opinion",
        "kind": "api_error",
        "error_type": "provider.unavailable",
        "message": "three is down",
        "attempts": 6,
    }
    return LostCall.model_validate({**given, **changes})


def council_result(**changes: Any) -> CouncilResult:
    """Two participants answered and ranked, one was lost, the chair concluded."""
    return CouncilResult.model_validate({**_given(), **changes})


@cache
def _given() -> dict[str, Any]:
    labels = Labels(authors=tuple(MODELS))
    ballots = tuple(_ballot(seat, own) for seat, own in (("p1", "Response A"), ("p2", "Response B")))
    tally = rules.tally(labels, MODELS, ballots, exclude_self_votes=False)
    return {
        "stage1": (Stage1Entry(model="maker/one", response="because", usage=Usage(), provider="openrouter"),),
        "stage2": (Stage2Entry(model="maker/one", ranking="A then B", parsed_ranking=("Response A", "Response B")),),
        "stage3": Stage3Entry(model="maker/chair", response="The council concludes.", usage=Usage()),
        "metadata": CouncilMetadata(
            label_to_model={"Response A": "maker/one", "Response B": "maker/two"},
            aggregate_rankings=(AggregateRank(model="maker/one", average_rank=1.0, votes=2),),
        ),
        "deliberation_id": "council-why-000001",
        "question": "Why?",
        "verdict": "The council concludes.",
        "synthesis": "chair",
        "stop_reason": "verdict",
        "partial": True,
        "labels": labels,
        "ballots": ballots,
        "tally": tally,
        "failed": (lost_call(),),
        "spent": Spending(calls=5, prompt_tokens=1000, completion_tokens=234, usd=0.0123, calls_of_unknown_cost=1),
        "transcript": Transcript(
            turns=(
                Turn(
                    participant=ParticipantId("p1"), model=MODELS[ParticipantId("p1")], stage="opinion", text="because"
                ),
            )
        ),
        "prompts": "1@abcdef012345",
    }


def _ballot(seat: str, own: str) -> SubmittedBallot:
    return SubmittedBallot(
        reviewer=ParticipantId(seat),
        model=MODELS[ParticipantId(seat)],
        own_label=own,
        shown_order=("Response A", "Response B"),
        ballot=Ballot(ranking=("Response A", "Response B"), standing="complete", found_as="numbered"),
    )
