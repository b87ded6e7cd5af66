"""What a branch shares with the deliberation that it leaves, while its rounds are held.

Every round is entered here first. In a shared one each call carries the origin's id, so that its answer is looked up
and never bought; a call that was lost there is lost here without asking anybody. The round after the last shared one
is entered with the changes, and from then on nothing is special.
"""

from collections.abc import Iterable, Mapping

from protocols.branch import Branch, BranchState, RandomDraws
from protocols.model_call import Failed, ModelCall, ModelId, ParticipantId

_NOBODY: Mapping[ParticipantId, ModelId] = {}


class SharedRounds:
    """How far a deliberation is still the same as another one; without a ``branch`` it never is."""

    def __init__(self, branch: Branch | None) -> None:
        self._branch = branch
        self._lost = {reply.call_id: reply for reply in branch.lost} if branch else {}
        self._of: str | None = None

    @property
    def is_sharing(self) -> bool:
        """Whether the present round is shared."""
        return self._of is not None

    def enter(self, round_number: int) -> Mapping[ParticipantId, ModelId]:
        """A round begins, 1 first; the models that sit behind other seats from now on."""
        branch = self._branch
        if branch is None:
            return _NOBODY
        self._of = branch.of if round_number <= branch.through_round else None
        return branch.seats_from(round_number)

    def marked(self, call: ModelCall) -> ModelCall:
        """``call``, saying with whom its answer is shared."""
        return call if self._of is None else call.model_copy(update={"shared_with": self._of})

    def lost(self, call: ModelCall) -> Failed | None:
        """How a shared ``call`` was lost in the origin; ``None`` when it was not, as far as this is known here."""
        return None if self._of is None else self._lost.get(call.call_id)

    def heritage(self, dice: RandomDraws, rounds: int, lost: Iterable[tuple[ModelCall, Failed]]) -> BranchState:
        """What a branch of this one needs; what was inherited is handed on."""
        known = self._lost | {call.call_id: reply for call, reply in lost}
        return BranchState(dice=dice, rounds=rounds, lost=tuple(known.values()))
