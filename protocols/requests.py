"""What a person may ask of a deliberation that runs, whatever its protocol: the arguments of its updates."""

from pydantic import Field

from protocols.exchange import Frozen, ModelId, ParticipantId


class ReplaceParticipant(Frozen):
    """Argument of the update ``replace_participant``: put another model behind a seat."""

    participant: ParticipantId
    model: ModelId


class StopRequest(Frozen):
    """Argument of the update ``stop``: end now with what there is; nothing more is asked or paid."""

    reason: str = Field(default="stopped by a person", max_length=500)


class StopAfterRound(Frozen):
    """Argument of the update ``stop_after_round``: let this round come to its end and begin no other."""

    reason: str = Field(default="stopped by a person after the round", max_length=500)


class AcceptDraft(Frozen):
    """Argument of the update ``accept_draft``: a person takes the present draft for the verdict."""

    reason: str = Field(default="accepted by a person", max_length=500)


class RaiseLimit(Frozen):
    """Argument of the update ``raise_limit``: allow so many rounds in all."""

    max_rounds: int
