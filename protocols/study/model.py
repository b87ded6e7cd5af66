"""The values of a study: the inputs, messages and results of its workflows."""

import re
from math import fsum
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from protocols.flaws import FlawKind, total
from protocols.model_call import FrozenModel
from protocols.study.outages import FailureJump, Outage

STUDY_NAME = r"^[a-z0-9][a-z0-9-]{0,59}$"
"""What a study may be called: the first part of the ids of all its deliberations."""

MOST_IN_FLIGHT = 1500
"""Deliberations of one study at once. A schedule may have 2,000 children pending; no shard comes near it."""

SHARD_SIZE = 100
"""Instances of one shard: about a thousand events of history."""

StudyName = Annotated[str, Field(pattern=STUDY_NAME)]

MOST_LOSSES = 1000
"""The largest number of deliberations in a row that may have to be lost before a study pauses."""

_DECIMALS = 12

PauseCause = Literal["person", "budget", "credit", "key", "config", "provider"]
"""Why no deliberation starts any more: a user paused, the cap is reached, a provider's account is empty (402), a key is
refused (401), a worker's settings do not fit (no such provider, no key), or a provider is away. Only the last one ends
by itself."""


def protocol_of(workflow_type: str) -> str:
    """Return the protocol of a workflow type, as its deliberations have it: of an arm ``majority`` that is ``vote``."""
    return re.sub(r"(?<=.)([A-Z])", r"-\1", workflow_type).lower()


class Amount(FrozenModel):
    """Money and tokens, as reserved, used or allowed."""

    usd: float = Field(default=0.0, ge=0)
    """US dollars, as far as known."""
    tokens: int = Field(default=0, ge=0)
    """Prompt and completion tokens together."""


def sum_amounts(*amounts: Amount) -> Amount:
    """Return the sum of all ``amounts``."""
    usd = fsum(amount.usd for amount in amounts)
    return Amount(usd=round(usd, _DECIMALS), tokens=sum(amount.tokens for amount in amounts))


class Budget(FrozenModel):
    """The most a study may use; ``None`` sets no limit."""

    usd: float | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, gt=0)


class RatioSums(FrozenModel):
    """The count, the sum and the squared deviations of ratios."""

    count: int = Field(default=0, ge=0)
    total: float = Field(default=0.0, ge=0)
    deviations: float = Field(default=0.0, ge=0)
    """The sum of the squares of their differences from their mean."""


class ArmUse(FrozenModel):
    """The plan and the use of the completed deliberations of one arm; see ``learning``."""

    planned: Amount = Amount()
    """Of all of them together; dollars of those whose cost is known."""
    used: Amount = Amount()
    usd: RatioSums = RatioSums()
    """Dollars used to dollars planned, of those whose cost is known."""
    tokens: RatioSums = RatioSums()


class RunSettings(FrozenModel):
    """Settings that can be changed while a study runs."""

    window: int = Field(default=20, ge=1, le=MOST_IN_FLIGHT)
    """Deliberations at once, over all shards."""
    cap: Budget = Budget()
    priority: int = Field(default=4, ge=1, le=5)
    """Of the deliberations, 1 is served first; those that a user starts alone have 2."""
    pause_after_losses: int = Field(default=5, ge=1, le=MOST_LOSSES)
    """Deliberations in a row that lost every call of one provider for one cause; so many pause the study."""


class PauseReason(FrozenModel):
    """The reason for which nothing starts."""

    cause: PauseCause
    reason: str = Field(max_length=900)
    """What is wrong and what to do, in a few sentences."""
    provider: str = ""
    """The provider that is away, where that is the cause."""


class Counts(FrozenModel):
    """Counts of how the instances of a shard or study ended, each counted once."""

    completed: int = Field(default=0, ge=0)
    """Ended with a verdict, degraded ones included."""
    failed: int = Field(default=0, ge=0)
    """Ended without a verdict, and not by a user; a line in the ledger has the reason."""
    missing: int = Field(default=0, ge=0)
    """Ended without a line of their own in the ledger: terminated, or never startable."""
    cancelled: int = Field(default=0, ge=0)
    """Ended by a user; they run again when the study continues."""
    degraded: int = Field(default=0, ge=0)
    """Of the completed: something was lost or could not be used as it was meant."""
    flaws: dict[FlawKind, int] = Field(default_factory=dict)
    """By kind, over everything that was not cancelled or terminated."""
    calls: int = Field(default=0, ge=0)
    calls_of_unknown_cost: int = Field(default=0, ge=0)
    calls_of_unknown_tokens: int = Field(default=0, ge=0)
    unanswered_requests: int = Field(default=0, ge=0)
    """Of calls whose cost is known, the requests without an answer, which may be billed beside it."""
    used: Amount = Amount()

    @property
    def ended(self) -> int:
        """The number of instances that have ended in any way."""
        return self.completed + self.failed + self.missing + self.cancelled


def add_counts(*tallies: Counts) -> Counts:
    """Return the sum of all ``tallies``."""
    names = Counts.model_fields.keys() - {"flaws", "used"}
    counts = {name: sum(getattr(one, name) for one in tallies) for name in names}
    used = sum_amounts(*(one.used for one in tallies))
    return Counts.model_validate({**counts, "flaws": total(one.flaws for one in tallies), "used": used})


class BatchInput(FrozenModel):
    """The argument of the workflow ``Batch``: the instances of a study to run.

    The study's rows, arms and instances are in the ledger already.
    """

    study: StudyName
    title: str
    first: int = Field(default=0, ge=0)
    """The number of the first instance that this batch holds."""
    end: int = Field(ge=1)
    """The number after the last; ``extend`` raises it."""
    only: tuple[int, ...] | None = None
    """When set, these instances alone, in this order (``retry``); ``first`` and ``end`` are places in this list."""
    terms: RunSettings = RunSettings()
    before: Counts = Counts()
    """The counts of earlier batches of this study, instances that are run again left out."""
    used_before: Amount = Amount()
    """What the study has used so far, however it ended: the cap counts from here."""
    again: bool = False
    """Whether these instances ran before and are run again."""
    rehearsal: bool = False
    under_other_id: bool = False
    """Whether the run has another id than its study: it then holds the batch as a child under the study's name."""
    # the rest is what one run hands to the next
    done_shards: int = Field(default=0, ge=0)
    assigned: int = Field(default=0, ge=0)
    """How many instances the shards before were given; the next shard continues behind them."""
    tally: Counts = Counts()
    pause: PauseReason | None = None
    outages: tuple[Outage, ...] = ()
    learned: dict[str, ArmUse] = Field(default_factory=dict)
    """By arm; also what earlier batches of the study took."""

    @property
    def last_place(self) -> int:
        """The place after the last instance, whether they are listed or not."""
        return self.end if self.only is None else min(self.end, len(self.only))


class BatchResult(FrozenModel):
    """The result of a batch."""

    study: str
    stop_reason: Literal["done", "cancelled"]
    tally: Counts
    """Of the whole study, earlier batches included."""
    terms: RunSettings
    rehearsal: bool = False
    outages: tuple[Outage, ...] = ()
    """The latest times in which a provider was away, in order."""


class BatchState(FrozenModel):
    """The answer of the query ``state`` of a batch, and what its updates return."""

    study: str
    phase: Literal["running", "paused", "closing", "done", "cancelled"]
    pause: PauseReason | None = None
    instances: int
    """Of the whole study as far as it is started: those of earlier batches that count, and those of this one."""
    in_flight: int = Field(ge=0)
    waiting: int = Field(default=0, ge=0)
    """Instances that asked the budget for leave and have none yet."""
    shards: int
    shards_done: int
    tally: Counts
    reserved: Amount = Amount()
    used: Amount = Amount()
    terms: RunSettings
    rehearsal: bool = False
    outages: tuple[Outage, ...] = ()
    """The latest times in which a provider was away, in order; the last one may be unfinished."""
    learned: dict[str, ArmUse] = Field(default_factory=dict)
    """By arm, what completed deliberations took, from which the reservations of the next ones follow."""
    failure_jump: FailureJump | None = None
    """Set when far more of the latest deliberations failed than of those before."""


class PauseRequest(FrozenModel):
    """Argument of the update ``pause``: no deliberation starts; running ones continue."""

    reason: str = Field(default="", max_length=400)


class ResumeRequest(FrozenModel):
    """Argument of the update ``resume``: the cause of the pause is repaired."""


class WindowChange(FrozenModel):
    """Argument of the update ``set_window``: how many deliberations run at once from now on."""

    window: int = Field(ge=1, le=MOST_IN_FLIGHT)


class Extension(FrozenModel):
    """Argument of the update ``extend``: the study has more instances now; ``end`` is the number after the last."""

    end: int = Field(ge=1)


class Instance(FrozenModel):
    """One deliberation to run, as the activity ``load_instances`` returns it from the ledger."""

    number: int
    deliberation_id: str
    workflow: str
    """The name of the workflow: ``Council``, ``Consensus`` and so on."""
    title: str
    arm: str
    estimate: Amount
    input: JsonValue
    """The argument of the workflow, whole."""
    charged: Amount = Amount()
    """What holding it before was charged: its answered calls are paid for and are not asked again."""
    is_free: bool = False
    """It has a verdict that lacks nothing, so that each of its calls is found in the journal."""


class InstancesRequest(FrozenModel):
    """Argument of ``load_instances``."""

    study: StudyName
    numbers: tuple[int, ...]


class Instances(FrozenModel):
    """The result of ``load_instances``, in the order of the request."""

    instances: tuple[Instance, ...]


class MissingInstance(FrozenModel):
    """Argument of ``record_missing_instance``: an instance that ended without writing a result."""

    study: StudyName
    number: int
    deliberation_id: str
    error_type: str
    message: str = Field(max_length=500)
