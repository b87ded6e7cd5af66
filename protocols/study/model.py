"""The values of a study: what its schedules are asked, tell each other and say in the end."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from protocols.exchange import Frozen

STUDY_NAME = r"^[a-z0-9][a-z0-9-]{0,59}$"
"""What a study may be called: the first part of the ids of all its deliberations."""

MOST_IN_FLIGHT = 1500
"""Deliberations of one study at once. A schedule may have 2,000 children pending; no shard comes near it."""

SHARD_SIZE = 100
"""Instances of one shard: about a thousand events of history."""

StudyName = Annotated[str, Field(pattern=STUDY_NAME)]

PauseCause = Literal["person", "budget", "credit", "key", "config"]
"""Why nothing starts any more: a person said so, the cap is reached, a provider's account is empty (402), a key is
refused (401), or a worker's settings do not fit (no such provider, no key)."""


class Amount(Frozen):
    """Money and tokens: what is reserved, what was used, what may be used."""

    usd: float = Field(default=0.0, ge=0)
    """US dollars, as far as known."""
    tokens: int = Field(default=0, ge=0)
    """Prompt and completion tokens together."""


class Cap(Frozen):
    """The most a study may use; ``None`` sets no limit."""

    usd: float | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, gt=0)


class Terms(Frozen):
    """What a person may change while a study runs."""

    window: int = Field(default=20, ge=1, le=MOST_IN_FLIGHT)
    """Deliberations at once, over all shards."""
    cap: Cap = Cap()
    priority: int = Field(default=4, ge=1, le=5)
    """Of the deliberations, 1 is served first; those that a person starts alone have 3, the server's default."""


class Pause(Frozen):
    """Why nothing starts."""

    cause: PauseCause
    reason: str = Field(max_length=500)
    """One sentence that names what is wrong and what to do."""


class Tally(Frozen):
    """How the instances of a shard or of a study came out, each counted once."""

    held: int = Field(default=0, ge=0)
    """Ended with a verdict, degraded ones included."""
    failed: int = Field(default=0, ge=0)
    """Ended without a verdict; a line in the ledger says why."""
    lost: int = Field(default=0, ge=0)
    """Ended without a line of their own in the ledger: terminated, or never startable."""
    degraded: int = Field(default=0, ge=0)
    """Of the held: somebody was lost on the way."""
    calls: int = Field(default=0, ge=0)
    calls_of_unknown_cost: int = Field(default=0, ge=0)
    used: Amount = Amount()

    @property
    def ended(self) -> int:
        """How many have ended, however."""
        return self.held + self.failed + self.lost


class BatchInput(Frozen):
    """The argument of the workflow ``Batch``: which instances of a study are to be held.

    The study's rows, arms and instances stand in the ledger already.
    """

    study: StudyName
    title: str
    first: int = Field(default=0, ge=0)
    """The number of the first instance that this batch holds."""
    end: int = Field(ge=1)
    """The number after the last; ``extend`` raises it."""
    only: tuple[int, ...] | None = None
    """When set, these instances alone, in this order (``retry``); ``first`` and ``end`` are places in this list."""
    terms: Terms = Terms()
    before: Tally = Tally()
    """What earlier batches of this study came to, instances that are held again left out."""
    used_before: Amount = Amount()
    """What the study has used so far, whatever became of it: the cap counts from here."""
    again: bool = False
    """Whether these instances were held before and are held again."""
    rehearsal: bool = False
    # the rest is what one run hands to the next
    done_shards: int = Field(default=0, ge=0)
    tally: Tally = Tally()
    pause: Pause | None = None


class BatchResult(Frozen):
    """What a batch came to."""

    study: str
    stop_reason: Literal["done", "cancelled"]
    tally: Tally
    """Of the whole study, earlier batches included."""
    terms: Terms
    rehearsal: bool = False


class BatchState(Frozen):
    """The answer of the query ``state`` of a batch, and what its updates return."""

    study: str
    phase: Literal["running", "paused", "closing", "done", "cancelled"]
    pause: Pause | None = None
    instances: int
    in_flight: int = Field(ge=0)
    waiting: int = Field(default=0, ge=0)
    """Instances that asked the purse for leave and have none yet."""
    shards: int
    shards_done: int
    tally: Tally
    reserved: Amount = Amount()
    used: Amount = Amount()
    terms: Terms
    rehearsal: bool = False


class ShardInput(Frozen):
    """The argument of the workflow ``Shard``: some instances of one study, and whom to ask for leave."""

    study: StudyName
    number: int = Field(ge=1)
    numbers: tuple[int, ...] = Field(min_length=1, max_length=SHARD_SIZE)
    """The instances, in the order in which they begin."""
    purse_id: str
    priority: int = Field(default=4, ge=1, le=5)
    again: bool = False
    # the rest is what one run hands to the next
    tally: Tally = Tally()
    spent_before: dict[int, Amount] = Field(default_factory=dict)
    """What instances that are to be held again were charged already."""


class Wanted(Frozen):
    """An instance that asks for leave to begin, and what is reserved for it."""

    number: int
    estimate: Amount


class Settled(Frozen):
    """An instance that ended, and what it really took beyond what was charged for it before."""

    number: int
    used: Amount


class Exchange(Frozen):
    """Argument of the purse's signal ``exchange``: what a shard wants and what it settles, together."""

    shard_id: str
    wanted: tuple[Wanted, ...] = ()
    settled: tuple[Settled, ...] = ()
    trouble: Pause | None = None
    """Credit, key or settings: no deliberation would fare better, so nothing is to start until a person has looked."""


class Grants(Frozen):
    """Argument of the shard's signal ``granted``: who may begin."""

    numbers: tuple[int, ...]


class PurseInput(Frozen):
    """The argument of the workflow ``Purse``: on what terms deliberations of a study begin."""

    study: StudyName
    batch_id: str
    terms: Terms
    used: Amount = Amount()
    pause: Pause | None = None
    # the rest is what one run hands to the next
    reserved: dict[str, dict[int, Amount]] = Field(default_factory=dict)
    """By shard: who has leave, and what is reserved for each."""
    queue: tuple[tuple[str, Wanted], ...] = ()
    """Who waits for leave, by shard, in the order in which they asked."""


class PurseStanding(Frozen):
    """Argument of the batch's signal ``stand``: how the purse stands; sent when it changed."""

    used: Amount
    reserved: Amount
    in_flight: int
    waiting: int
    pause: Pause | None = None


class Instance(Frozen):
    """One deliberation to be held, as the activity ``load_instances`` brings it from the ledger."""

    number: int
    deliberation_id: str
    workflow: str
    """The name of the workflow: ``Council``, ``Consensus`` and so on."""
    title: str
    arm: str
    estimate: Amount
    input: JsonValue
    """The argument of the workflow, whole."""


class InstancesRequest(Frozen):
    """Argument of ``load_instances``."""

    study: StudyName
    numbers: tuple[int, ...]


class Instances(Frozen):
    """What ``load_instances`` returns, in the order asked for."""

    instances: tuple[Instance, ...]


class LostInstance(Frozen):
    """Argument of ``record_lost_instance``: an instance that ended without a line of its own in the ledger."""

    study: StudyName
    number: int
    deliberation_id: str
    error_type: str
    message: str = Field(max_length=500)
