"""The context of a call: its round, and the debate so far."""

from collections.abc import Callable
from typing import NamedTuple

from protocols.debate.aliases import Aliases
from protocols.debate.model.history import DebateHistory, RoundKind
from protocols.debate.model.io import DebateInput
from protocols.debate.modes import Mode, mode_of
from protocols.model_call import ModelCall, ParticipantId
from protocols.panel import Participant
from protocols.prompt_pack import numbered


class RoundContext(NamedTuple):
    """An occasion on which a seat is asked; ``attempt`` counts the earlier calls for the same, to another model."""

    round: int
    kind: RoundKind = "ordinary"
    attempt: int = 0

    def call_id(self, seat: ParticipantId) -> str:
        """Return ``r02-p1``; a further call to a replacing model has its number at the end."""
        return numbered(f"r{self.round:02}-{seat}", self.attempt)


class DebateView(NamedTuple):
    """The values from which a call is built."""

    inp: DebateInput
    course: DebateHistory
    names: Aliases
    """The names of the debaters in prompts."""
    secret: str
    """The run's own, from which the nonces are made."""

    @property
    def mode(self) -> Mode:
        """Return the mode with which the run started."""
        return mode_of(self.inp)


Build = Callable[[DebateView, Participant, RoundContext], ModelCall]
"""Makes the call for a seat beside the debaters."""
