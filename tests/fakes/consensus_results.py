"""Results of consensuses that were never held, for what is done with results."""

from typing import Any

from protocols.consensus.model import ConsensusResult, Conversation, ConversationMessage, RoundSummary, Speaker
from protocols.model_call import LostCall, ModelId, ParticipantId, Spending
from protocols.transcript import Turn

ROUNDS = (
    RoundSummary(
        round=1,
        opinions={"generator": "NO", "refiner": "YES", "validator": None},
        stances={"generator": "accept", "refiner": "objection"},
        draft_by=ParticipantId("validator"),
        draft_changed=True,
    ),
    RoundSummary(
        round=2,
        opinions={"generator": "NO", "refiner": "NO", "validator": "NO"},
        stances={"generator": "accept", "refiner": "accept", "validator": "accept"},
        draft_by=ParticipantId("generator"),
        draft_changed=True,
    ),
)
"""The refiner objects and the validator's opinion is not obtained; then all accept."""


def lost_check(**changes: Any) -> LostCall:
    """The validator's opinion, which was not obtained."""
    given = {
        "participant": "validator",
        "model": "openrouter:maker/three",
        "stage": "consensus_check",
        "round": 1,
        "kind": "api_error",
        "error_type": "provider.unavailable",
        "message": "three is down",
        "attempts": 6,
    }
    return LostCall.model_validate({**given, **changes})


def consensus_result(**changes: Any) -> ConsensusResult:
    """Two rounds until all accepted, and a curator."""
    given = {
        "conversation": _conversation(),
        "deliberation_id": "consensus-why-000001",
        "question": "Why?",
        "verdict": "Because, polished.",
        "draft": "Because.",
        "draft_by": "generator",
        "written_by": "curator",
        "consensus_achieved": True,
        "stop_reason": "consensus",
        "partial": True,
        "rounds": ROUNDS,
        "checks": (_turn("refiner", "consensus_check", "Say more.", 1),),
        "curation": _turn("curator", "curator", "Because, polished.", 2),
        "failed": (lost_check(),),
        "spent": Spending(calls=13, prompt_tokens=1000, completion_tokens=234, usd=0.0123, calls_of_unknown_cost=1),
        "prompts": "1@abcdef012345",
    }
    return ConsensusResult.model_validate({**given, **changes})


def unagreed(stop_reason: str, **changes: Any) -> ConsensusResult:
    """A consensus that ended for ``stop_reason`` after a round in which not all accepted."""
    given = {
        "verdict": "Because.",
        "written_by": "draft",
        "consensus_achieved": False,
        "stop_reason": stop_reason,
        "rounds": ROUNDS[:1],
        "draft_by": "validator",
        "curation": None,
    }
    return consensus_result(**{**given, **changes})


def _conversation() -> Conversation:
    return Conversation(
        consensus_id="consensus-why-000001",
        user_question="Why?",
        messages=(_message("generator", "First.", 1), _message("generator", "Because.", 2)),
        rounds_completed=2,
        consensus_achieved=True,
        total_tokens=1234,
        total_cost=0.0123,
    )


def _message(speaker: Speaker, content: str, number: int) -> ConversationMessage:
    return ConversationMessage(speaker=speaker, content=content, round=number, consensus_opinion="NO")


def _turn(seat: str, stage: str, text: str, number: int) -> Turn:
    return Turn(
        participant=ParticipantId(seat),
        model=ModelId(f"openrouter:maker/{seat}"),
        round=number,
        stage=stage,
        text=text,
    )
