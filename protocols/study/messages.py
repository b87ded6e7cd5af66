"""Messages between the workflows of a study: batch, budget, shards, and results of deliberations."""

from pydantic import Field

from protocols.flaws import Degraded
from protocols.model_call import FrozenModel, ModelId, Spending
from protocols.study.model import SHARD_SIZE, Amount, ArmUse, Counts, PauseReason, RunSettings, StudyName
from protocols.study.outages import FailureCause, FailureJump, Outage, ProviderNews, ProviderWatch


class UndecidedInstance(FrozenModel):
    """The counts of an instance if it is not run again."""

    tally: Counts
    cause: FailureCause


class ShardInput(FrozenModel):
    """The argument of the workflow ``Shard``: some instances of one study, and whom to ask for leave."""

    study: StudyName
    number: int = Field(ge=1)
    numbers: tuple[int, ...] = Field(min_length=1, max_length=SHARD_SIZE)
    """The instances, in the order in which they begin."""
    budget_id: str
    priority: int = Field(default=4, ge=1, le=5)
    again: bool = False
    # the rest is what one run hands to the next
    tally: Counts = Counts()
    spent_before: dict[int, Amount] = Field(default_factory=dict)
    """What instances that are to be run again were charged already."""
    asked: tuple[int, ...] = ()
    """The instances for which the budget was asked, and of these"""
    granted: tuple[int, ...] = ()
    """those that may begin."""
    undecided: dict[int, UndecidedInstance] = Field(default_factory=dict)
    """Instances that lost every call of a provider; the budget decides their outcome."""
    turns: dict[str, int] = Field(default_factory=dict)
    """The turn of the budget in which it sent the last signal of each name."""


class PermitRequest(FrozenModel):
    """A request for a permit, with the plan of the deliberation."""

    number: int
    estimate: Amount
    arm: str = ""
    charged: Amount = Amount()
    """What was charged for it before, which is not reserved again."""
    is_free: bool = False
    """Whether it costs nothing, as one that runs again after a reset: no budget holds it back."""


class Settlement(FrozenModel):
    """The end of an instance, with its spending beyond what was charged before."""

    number: int
    used: Amount
    took: Amount | None = None
    """What the whole deliberation took, if it has a verdict: the arm's next reservations follow it."""
    is_priced: bool = True
    """Whether all its dollars are known."""


class ShardReport(FrozenModel):
    """Argument of the budget's signal ``report``: a shard's requests and settlements together."""

    shard_id: str
    wanted: tuple[PermitRequest, ...] = ()
    settled: tuple[Settlement, ...] = ()
    trouble: PauseReason | None = None
    """Credit, key or settings: no deliberation would fare better, so nothing is to start until a user has looked."""
    tally: Counts = Counts()
    """The outcomes since the last exchange."""
    is_leaving: bool = False
    """It was withdrawn: deliberations with a permit or waiting for one will never start."""
    providers: tuple[ProviderNews, ...] = ()
    """What the settled deliberations say about their providers, in the order in which they ended."""
    failures: tuple[FailureCause, ...] = ()
    """Why those failed that are counted as failed or lost in ``tally``."""


class Permits(FrozenModel):
    """Argument of the shard's signal ``permit``: the instances that may start."""

    numbers: tuple[int, ...]
    turn: int = 0
    """The turn of the budget that sends it: an activity that is tried again sends it again."""


class Resolution(FrozenModel):
    """Argument of the shard's signal ``resolve``: decisions about instances without an answer of a provider."""

    again: tuple[int, ...] = ()
    """To be run again; they ask for leave anew and are not counted."""
    counted: tuple[int, ...] = ()
    """Counted as they ended: the provider answered other deliberations meanwhile."""
    turn: int = 0
    """As in ``Permits``."""


class ShardSignals(FrozenModel):
    """Argument of ``signal_shards``: what the budget has for its shards, by their workflow ids."""

    permits: dict[str, Permits]
    resolutions: dict[str, Resolution]


class RunChange(FrozenModel):
    """Argument of the budget's signal ``change``: a change by hand, forwarded by the batch."""

    number: int = Field(ge=1)
    """Counted by the batch; the budget's status has the last applied one."""
    terms: RunSettings | None = None
    pause: PauseReason | None = None
    resume: bool = False


class BudgetInput(FrozenModel):
    """The argument of the workflow ``Budget``: on what terms deliberations of a study begin."""

    study: StudyName
    batch_id: str
    batch_run: str
    """The name that the run of the batch which opened it has drawn; a reset repeats it."""
    terms: RunSettings
    used: Amount = Amount()
    pause: PauseReason | None = None
    # the rest is what one run hands to the next
    reserved: dict[str, dict[int, PermitRequest]] = Field(default_factory=dict)
    """By shard: the instances that have a permit."""
    queue: tuple[tuple[str, PermitRequest], ...] = ()
    """Who waits for leave, by shard, in the order in which they asked."""
    tally: Counts = Counts()
    orders: int = Field(default=0, ge=0)
    """The number of the last applied change."""
    watch: ProviderWatch = ProviderWatch()
    resolutions: dict[str, Resolution] = Field(default_factory=dict)
    """By shard, what is to be sent at the end of this turn."""
    recent: tuple[FailureCause, ...] = ()
    """The latest deliberations that ended, the newest last; one without a cause has a verdict."""
    learned: dict[str, ArmUse] = Field(default_factory=dict)
    """By arm, what completed deliberations took."""
    statuses: int = Field(default=0, ge=0)
    """How often the batch has got a status."""
    turns: int = Field(default=0, ge=0)
    """The last turn in which the shards were sent something: a moment in milliseconds, of an older version a count."""


class BudgetStatus(FrozenModel):
    """Argument of the batch's signal ``budget_status``: the budget's status, sent on change; also its result."""

    batch_run: str
    used: Amount
    reserved: Amount
    in_flight: int
    waiting: int
    pause: PauseReason | None = None
    tally: Counts = Counts()
    """The outcomes that the shards have reported."""
    orders: int = Field(default=0, ge=0)
    """The number of the last applied change."""
    outages: tuple[Outage, ...] = ()
    failure_jump: FailureJump | None = None
    learned: dict[str, ArmUse] = Field(default_factory=dict)


class LostCallInfo(FrozenModel):
    """A call that a deliberation lost, as far as a study asks about it."""

    model: ModelId = ModelId("")
    error_type: str = ""
    message: str = ""


class DeliberationOutcome(FrozenModel):
    """The part of a deliberation's result, of any protocol, that a study reads."""

    stop_reason: str
    degraded: Degraded = Degraded()
    spent: Spending | None = None
    """``None`` when it was cancelled without a report."""
    failed: tuple[LostCallInfo, ...] = ()
