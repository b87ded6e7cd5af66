"""Branches to try things with: what a deliberation hands to one that continues from one of its rounds."""

from typing import Any

from protocols.branch import Branch, RandomDraws
from protocols.model_call import Failed, ModelCall

OLD = "deliberation-old"
OTHER = "openrouter:new/model"
_SEATS = ("p1", "p2", "p3", "p4")

DRAWS = {
    "council": RandomDraws.model_validate(
        {
            "labels": {seat: 0.1 * number for number, seat in enumerate(_SEATS)},
            "shown": dict.fromkeys(_SEATS, (0.4, 0.1, 0.3, 0.2)),
            "nonces": {seat: f"{number:010x}" for number, seat in enumerate((*_SEATS, "chair"), start=1)},
        }
    ),
    "consensus": RandomDraws(secret="5ec4e7"),
    "circle": RandomDraws(secret="5ec4e7"),
    "debate": RandomDraws.model_validate({"secret": "5ec4e7", "order": ("p2", "p3", "p1")}),
}
"""By protocol: what its origin threw."""


def branch_of(protocol: str, through_round: int, seats: dict[str, str] | None = None, **changes: Any) -> Branch:
    """A branch of ``OLD`` with the draws of ``protocol``."""
    given = {"of": OLD, "through_round": through_round, "seats": seats or {}, "draws": DRAWS[protocol]}
    return Branch.model_validate({**given, **changes})


def lost_as(call_id: str, participant: str) -> Failed:
    """How a call was lost in the origin."""
    given = {"kind": "api_error", "call_id": call_id, "participant": participant, "model": "openrouter:old/model"}
    return Failed.model_validate({**given, "error_type": "provider.bad_request", "message": "refused then"})


def rounds_of(calls: list[ModelCall]) -> tuple[set[int], set[int]]:
    """The rounds of the calls that are shared, and of those that are not."""
    shared = {call.round for call in calls if call.shared_with == OLD}
    return shared, {call.round for call in calls if call.shared_with is None}
