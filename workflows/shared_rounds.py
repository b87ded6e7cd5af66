"""The rounds that a branch shares with its origin.

In a shared round each call names the origin, so that its answer is looked up and never paid again; a call that failed
there fails here without a call. The round after the last shared one begins with the changed models.
"""

from collections.abc import Iterable, Mapping

from protocols.branch import Branch, BranchState, RandomDraws
from protocols.model_call import Failed, ModelCall, ModelId, ParticipantId

_NONE: Mapping[ParticipantId, ModelId] = {}


class SharedRounds:
    """The shared rounds of one branch; without a ``branch`` there are none."""

    def __init__(self, branch: Branch | None) -> None:
        self._branch = branch
        self._lost = {reply.call_id: reply for reply in branch.lost} if branch else {}
        self._of: str | None = None

    @property
    def is_sharing(self) -> bool:
        """True when the present round is shared."""
        return self._of is not None

    def enter(self, round_number: int) -> Mapping[ParticipantId, ModelId]:
        """Begin a round, 1 first, and return the models that replace others from it on."""
        branch = self._branch
        if branch is None:
            return _NONE
        self._of = branch.of if round_number <= branch.through_round else None
        return branch.seats_from(round_number)

    def mark(self, call: ModelCall) -> ModelCall:
        """Return ``call`` with the origin that has its answer."""
        return call if self._of is None else call.model_copy(update={"shared_with": self._of})

    def lost_reply(self, call: ModelCall) -> Failed | None:
        """Return how a shared ``call`` failed in the origin; ``None`` when no failure of it is known."""
        return None if self._of is None else self._lost.get(call.call_id)

    def branch_state(self, draws: RandomDraws, rounds: int, lost: Iterable[tuple[ModelCall, Failed]]) -> BranchState:
        """Return the state that a branch of this deliberation needs, including the losses of its origin."""
        known = self._lost | {call.call_id: reply for call, reply in lost}
        return BranchState(draws=draws, rounds=rounds, lost=tuple(known.values()))
