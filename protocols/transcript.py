"""The ordered turns of a deliberation: what each participant said, in which round and stage."""

from protocols.exchange import Frozen, ModelId, ParticipantId


class Turn(Frozen):
    """One contribution of one participant."""

    participant: ParticipantId
    model: ModelId
    round: int = 1
    stage: str
    text: str
    label: str | None = None
    """The name under which peers saw it, when they saw it under another name."""


class Transcript(Frozen):
    """Everything that was said, in the order in which the protocol took note of it."""

    turns: tuple[Turn, ...] = ()

    def of_stage(self, stage: str) -> tuple[Turn, ...]:
        """The turns of one stage."""
        return tuple(turn for turn in self.turns if turn.stage == stage)
