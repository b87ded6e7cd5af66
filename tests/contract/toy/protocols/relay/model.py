"""The values of a relay."""

from typing import Literal

from protocols.deliberation import DeliberationInput, DeliberationResult
from protocols.model_call import FrozenModel
from protocols.transcript import Transcript

STAGE = "leg"

StopReason = Literal["verdict", "stopped", "budget", "cancelled", "no_answers", "participant_lost"]


class RelayInput(DeliberationInput):
    """The input of a relay."""

    ANSWER_READERS = frozenset({"relay.leg"})

    backwards: bool = False
    """The last model of the panel begins."""


class Leg(FrozenModel):
    """The reading of a reply."""

    words: int


class RelayResult(DeliberationResult):
    """The result of a relay."""

    protocol: Literal["relay"] = "relay"
    stop_reason: StopReason
    transcript: Transcript

    def scores(self) -> dict[str, float | None]:
        """Return the number of legs."""
        return {"legs": len(self.transcript.turns)}
