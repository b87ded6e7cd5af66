"""Results of the baselines of equal cost that were never held, for what is done with results."""

from collections.abc import Mapping, Sequence
from typing import Any

from protocols.mixture.model import LayerCount, MixtureResult
from protocols.model_call import LostCall, ModelId, ParticipantId, Spending
from protocols.transcript import Transcript, Turn
from protocols.vote.model import VoteResult
from protocols.votes import Vote, count

_COMMON: dict[str, Any] = {
    "question": "What is 17 * 23?",
    "verdict": "Seventeen times twenty is 340, and 51 more.\n\nFINAL ANSWER: 391",
    "answer": "391",
    "stop_reason": "verdict",
    "partial": False,
    "spent": Spending(calls=5, prompt_tokens=100, completion_tokens=234, usd=0.0123, calls_of_unknown_cost=0),
    "prompts": "1@abcdef012345",
}


def votes_of(answers: Sequence[str | None], letter: str = "s") -> tuple[Vote, ...]:
    """One vote for each answer, in order."""
    return tuple(
        Vote(voter=ParticipantId(f"{letter}{n}"), model=ModelId(f"openrouter:maker/m{n}"), answer=answer)
        for n, answer in enumerate(answers, start=1)
    )


def sampled(answers: Sequence[str | None] = ("391", "390", "391", None, "391"), **changes: Any) -> VoteResult:
    """Five samples, of which three agree and one abstains."""
    cast = votes_of(answers)
    return _vote(cast, {"models": 1, "samples": len(cast), **changes})


def voted(answers: Sequence[str | None] = ("391", "390"), **changes: Any) -> VoteResult:
    """Two votes that tie."""
    cast = votes_of(answers, "p")
    return _vote(cast, {"models": len(cast), "samples": 1, **changes})


def _vote(cast: Sequence[Vote], changes: Mapping[str, Any]) -> VoteResult:
    tally = count(cast)
    given = {
        **_COMMON,
        "deliberation_id": "vote-what-000001",
        "decided_by": tally.decided_by,
        "asked": len(cast),
        "votes": cast,
        "tally": tally,
        "transcript": _transcript("answer", cast),
    }
    return VoteResult.model_validate({**given, **changes})


def mixed(**changes: Any) -> MixtureResult:
    """Two layers of three proposers, of whom one was lost in both, and an aggregator."""
    layers = (_layer(1, 3, ("391", "390")), _layer(2, 3, ("391", "391")))
    given = {
        **_COMMON,
        "deliberation_id": "mixture-what-000001",
        "decided_by": "aggregator",
        "aggregator": "maker/m1",
        "partial": True,
        "layers": layers,
        "zombies": ("p3",),
        "failed": (_lost(),),
        "transcript": _transcript("layer-1", layers[0].votes),
    }
    return MixtureResult.model_validate({**given, **changes})


def _layer(number: int, asked: int, answers: Sequence[str]) -> LayerCount:
    cast = votes_of(answers, "p")
    return LayerCount(number=number, asked=asked, answered=len(answers), votes=cast, tally=count(cast))


def _transcript(stage: str, cast: Sequence[Vote]) -> Transcript:
    return Transcript(
        turns=tuple(
            Turn(participant=vote.voter, model=vote.model, stage=stage, text=f"I say {vote.answer}.") for vote in cast
        )
    )


def _lost() -> LostCall:
    return LostCall.model_validate(
        {
            "participant": "p3",
            "model": "openrouter:maker/m3",
            "stage": "layer-2",
            "round": 2,
            "kind": "api_error",
            "error_type": "provider.unavailable",
            "message": "m3 is down",
            "attempts": 6,
        }
    )
