"""Arguments of the updates of a running deliberation, the same for every protocol."""

from pydantic import Field

from protocols.model_call import FrozenModel, ModelId, ParticipantId

MOST_ROUNDS = 50
"""Rounds that a deliberation may be allowed after it was started."""


class ReplaceParticipant(FrozenModel):
    """Argument of the update ``replace_participant``: put another model behind a seat."""

    participant: ParticipantId
    model: ModelId


class StopRequest(FrozenModel):
    """Argument of the update ``stop``: end now with the result so far; no further call is made."""

    reason: str = Field(default="stopped by a user", max_length=500)


class StopAfterRound(FrozenModel):
    """Argument of the update ``stop_after_round``: finish this round and start no other."""

    reason: str = Field(default="stopped by a user after the round", max_length=500)


class AcceptDraft(FrozenModel):
    """Argument of the update ``accept_draft``: a user takes the present draft for the verdict."""

    reason: str = Field(default="accepted by a user", max_length=500)


class AddRounds(FrozenModel):
    """Argument of the update ``add_rounds``: allow more rounds."""

    rounds: int = Field(default=1, ge=1, le=MOST_ROUNDS)
    """How many more than are allowed now."""
    focus: str = Field(default="", max_length=500)
    """A question for the first of them, where the protocol's rounds have one."""


def refuse_rounds(limit: int, request: AddRounds) -> None:
    """Refuse more rounds than a deliberation may have.

    Raises:
        ValueError: there would be more than 50.
    """
    if limit + request.rounds > MOST_ROUNDS:
        rest = f"ask for {MOST_ROUNDS - limit} or fewer" if limit < MOST_ROUNDS else "no more can be added"
        raise ValueError(f"there are at most {MOST_ROUNDS} rounds, and {limit} are allowed already; {rest}")
