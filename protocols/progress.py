"""The progress of a running deliberation, in one form for every protocol.

The workflow answers the query ``state`` with a ``Progress``; the Web UI's details, the terminal's bars and ``--json``
all show this one value.
"""

from typing import Literal, get_args

from protocols.branch import Origin
from protocols.flaws import Degraded
from protocols.model_call import FrozenModel, ModelId, ParticipantId, Spending
from protocols.spending_cap import CapReport

SeatStatus = Literal["ready", "running", "answered", "flawed", "lost", "skipped"]
"""``flawed``: its model answered, and the answer has a flaw that degrades the result."""
StageStatus = Literal["ready", "running", "completed", "skipped"]
MARKS = dict(zip(get_args(SeatStatus), "·…✓!✗–", strict=True)) | {"completed": "✓"}
"""The mark of each status on screens."""
BUDGET = "budget"
"""The stage in the list of a deliberation that waits for a higher budget."""


class Seat(FrozenModel):
    """The progress of one participant in one stage."""

    participant: ParticipantId
    model: ModelId
    name: str = ""
    """The seat's name on screens, where it has one."""
    stage: str = ""
    round: int = 1
    status: SeatStatus = "ready"
    call_id: str | None = None
    """The activity that is or was asked last; its heartbeats carry the tokens so far."""
    note: str = ""
    """Why it was lost or skipped, in one line."""
    expected_tokens: int | None = None
    """How long its answer is likely to be: while it writes, its bar runs to 90 against this."""

    @property
    def label(self) -> str:
        """The name of the seat on screens: the one that was given, else its id."""
        return self.name or self.participant


class StageBar(FrozenModel):
    """The progress of one stage."""

    name: str
    status: StageStatus = "ready"
    done: int = 0
    of: int = 0


class Progress(FrozenModel):
    """The progress of a deliberation."""

    protocol: str
    title: str
    round: int = 1
    rounds: int | None = None
    """The most rounds there can be; ``None`` where the protocol has a fixed number."""
    stage: str = "ready"
    phase: str = ""
    """The stage in one word for a screen, where the protocol has such words: ``GENERATE``, ``REFINE`` …"""
    stages: tuple[StageBar, ...] = ()
    seats: tuple[Seat, ...] = ()
    """Those of the present stage."""
    earlier: tuple[Seat, ...] = ()
    """Those of the stages that are closed, as they were at the end; where rounds are counted, of this round."""
    findings: str = ""
    """The results of the stages so far, as plain aligned text: a tally, the opinions of the rounds."""
    waits_for: str = ""
    """What it waits for beside models, in one line: a user, and until when; blank when it does not."""
    spent: Spending = Spending()
    budget: CapReport | None = None
    """What it may spend, where it is limited, and what counts against that so far."""
    degraded: Degraded = Degraded()
    """What was lost or mended so far: every count, and the latest flaws."""
    sources: tuple[str, ...] = ()
    """The latest of the pages that providers named, one in a line."""
    source_count: int = 0
    """How many they named."""
    stop_reason: str | None = None
    """Set when it ended: ``verdict``, ``stopped``, ``failed``, or the protocol's own reason."""
    rehearsal: bool = False
    """Scripted models answer, not real ones."""
    branch: Origin | None = None
    """Where it branched off another deliberation, when it did."""

    @property
    def names(self) -> dict[ParticipantId, str]:
        """The names of the seats that have one, as far as they were asked."""
        return {seat.participant: seat.name for seat in (*self.earlier, *self.seats) if seat.name}
