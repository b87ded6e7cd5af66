"""Branches from an earlier round: the rounds and random draws shared with the original deliberation.

A branch is an independent deliberation. Up to and including a round it equals its origin: the same draws,
hence the same questions, hence the answers that were paid for there. After that round it continues alone, with other
models for some seats or with fresh samples of the same ones.
"""

import hashlib
import json
from collections.abc import Collection

from pydantic import Field

from protocols.model_call import Failed, FrozenModel, ModelId, ParticipantId
from protocols.panel import CHAIR, Panel, name_of


class RandomDraws(FrozenModel):
    """The random draws of a deliberation; a protocol leaves unused ones empty."""

    secret: str = ""
    """What nonces are made from."""
    order: tuple[ParticipantId, ...] = ()
    """Who speaks under which label, A first."""
    labels: dict[ParticipantId, float] = Field(default_factory=dict)
    """By which the answers of a council are put into the order of their labels."""
    shown: dict[ParticipantId, tuple[float, ...]] = Field(default_factory=dict)
    """By which each reviewer's answers are put into the order in which it sees them."""
    nonces: dict[ParticipantId, str] = Field(default_factory=dict)

    def require(self, **drawn_for: Collection[ParticipantId]) -> None:
        """Check that every named value was drawn, for exactly these seats.

        Args:
            drawn_for: By the name of a field, the seats that it must have.

        Raises:
            ValueError: one has other seats, or none.
        """
        for name, seats in drawn_for.items():
            if set(getattr(self, name)) != set(seats):
                there = ", ".join(sorted(getattr(self, name))) or "none"
                raise ValueError(f"draws: {name} is for the seats {there}, and it must be for {', '.join(seats)}")


UNDRAWN = RandomDraws()
"""Of a deliberation in which nothing is random."""


def derived_draws(seed: str, panel: Panel) -> RandomDraws:
    """Return draws for ``panel``, for any protocol, which follow from ``seed`` alone and are unknown without it."""
    seats = [seat.id for seat in panel.participants]

    def digits(count: int, *names: str) -> str:
        return hashlib.sha256(json.dumps([seed, *names]).encode()).hexdigest()[:count]

    return RandomDraws(
        secret=digits(16, "secret"),
        order=tuple(sorted(seats, key=lambda seat: digits(6, "order", seat))),
        labels={seat: int(digits(6, "label", seat), 16) for seat in seats},
        shown={seat: tuple(int(digits(6, "shown", seat, one), 16) for one in seats) for seat in seats},
        nonces={seat: digits(10, "nonce", seat) for seat in (*seats, CHAIR)},
    )


class BranchState(FrozenModel):
    """The state that a deliberation passes to a branch: the answer to the query ``branch_state``."""

    draws: RandomDraws
    rounds: int = Field(ge=0)
    """Rounds that were completed; the stages of a council count as its rounds."""
    lost: tuple[Failed, ...] = ()
    """The lost calls of this run; those of earlier runs are in the ledger."""


class Origin(FrozenModel):
    """The origin of a branch, and its differences."""

    of: str = Field(min_length=1)
    """The deliberation that it left."""
    through_round: int = Field(ge=1)
    """The last round that both have in common."""
    seats: dict[ParticipantId, ModelId] = Field(default_factory=dict)
    """The models that sit behind these seats from the next round on."""

    @property
    def as_text(self) -> str:
        """Return one line for display."""
        changes = ", ".join(f"{seat} is {name_of(model)}" for seat, model in self.seats.items())
        return f"a branch of {self.of} after round {self.through_round}" + (f"; from then on {changes}" * bool(changes))


class Branch(Origin):
    """The branch part of an input. It travels with the run, which never queries its origin."""

    draws: RandomDraws
    lost: tuple[Failed, ...] = ()
    """The lost calls of the origin: in a shared round they are lost here too, without a call."""
    earlier: tuple[Origin, ...] = ()
    """Where the origin was a branch itself: what was different in it, as far as that happened in a shared round."""

    def seats_from(self, round_number: int) -> dict[ParticipantId, ModelId]:
        """Return the seats with another model from ``round_number`` on."""
        turnings = (one for one in (*self.earlier, self) if one.through_round + 1 == round_number)
        return {seat: model for one in turnings for seat, model in one.seats.items()}

    @property
    def origin(self) -> Origin:
        """Return the origin, as stored in a result."""
        return Origin(of=self.of, through_round=self.through_round, seats=self.seats)
