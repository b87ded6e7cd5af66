"""Outages of providers: the evidence for them, and the record of each."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from protocols.model_call import FrozenModel

MOST_OUTAGES = 10
"""Outages that a study shows, the latest ones."""


class Outage(FrozenModel):
    """A time in which a study began nothing because one provider did not answer."""

    provider: str
    cause: str
    """The type of the error by which its calls were lost, for example ``provider.unavailable``."""
    message: str = Field(default="", max_length=200)
    """The message of one of these calls."""
    since: datetime
    """The first sign of it, which is some seconds before the study paused."""
    until: datetime | None = None
    """``None`` while it lasts."""
    ended_by: Literal["answers", "person", "other"] | None = None
    """``answers`` of the provider, a ``person``'s command, or an ``other`` cause that paused the study instead."""
    checks: int = Field(default=0, ge=0)
    """How often the study looked whether the provider answers again."""
    trials: int = Field(default=0, ge=0)
    """Deliberations that began during the outage to try the provider."""
    reruns: int = Field(default=0, ge=0)
    """Deliberations that lost every call of the provider and are run again, each time counted."""

    @property
    def as_text(self) -> str:
        """One line with the provider, the times, the cause, how it ended, and the repeated deliberations."""
        is_same_day = self.until is not None and self.until.date() == self.since.date()
        until = f"{self.until:{'%H:%M:%S' if is_same_day else '%Y-%m-%d %H:%M:%S'}} UTC" if self.until else "now"
        ended = {"answers": "; it answers again", "person": "; a user ended the pause"}.get(self.ended_by or "", "")
        again = f"; run again: {self.reruns:,}" if self.reruns else ""
        span = f"{self.since:%Y-%m-%d %H:%M:%S} to {until}"
        return f"paused for {self.provider}, {span} ({self.cause}: {self.message}){ended}{again}"


class FailureCause(FrozenModel):
    """The commonest error of one deliberation; empty for a completed one."""

    error_type: str = ""
    message: str = Field(default="", max_length=200)


class FailureJump(FrozenModel):
    """Far more of the latest deliberations failed than of those before."""

    failed: int
    """Of the latest ``of``."""
    of: int
    failed_before: int
    """Of the ``of_before`` that ended earlier."""
    of_before: int
    cause: FailureCause
    """The commonest one among the latest failures."""
    remedy: str

    @property
    def as_text(self) -> str:
        """The warning: the failures, their cause, and the remedy."""
        before = f" ({self.failed_before:,} of the {self.of_before:,} before)" if self.of_before else ""
        return (
            f"{self.failed} of the last {self.of} deliberations failed{before}. Commonest cause: "
            f"{self.cause.error_type}, {self.cause.message.rstrip('. ')}. What to do: {self.remedy}"
        )


class ProviderNews(FrozenModel):
    """One deliberation's evidence about one provider: it answered, or calls of it were lost for one cause."""

    provider: str
    cause: str = ""
    """The type of the error; empty when the provider answered."""
    message: str = Field(default="", max_length=200)
    number: int
    """The instance that ended."""
    is_partial: bool = False
    """Whether the provider is away for some of the calls and answered others, which may have been before."""
    is_undecided: bool = False
    """Whether the instance is neither counted nor run again until the budget decides."""


class Streak(FrozenModel):
    """Deliberations in a row that lost every call of one provider for one cause."""

    cause: str
    message: str
    since: datetime
    length: int = 0
    undecided: tuple[tuple[str, int], ...] = ()
    """Shard and instance, for each of them that waits for a decision."""


class ProviderWatch(FrozenModel):
    """The state of the providers of a study, as the budget keeps it."""

    streaks: dict[str, Streak] = Field(default_factory=dict)
    partial: dict[str, tuple[tuple[str, int], ...]] = Field(default_factory=dict)
    """By provider, shard and instance of each undecided deliberation that it answered in part."""
    outages: tuple[Outage, ...] = ()
    check_at: datetime | None = None
    """When the running deliberations are looked at next."""
    check_pause: float = 0.0
    """Seconds between the last two checks; grows while nothing changes."""
    trial: tuple[str, int] | None = None
    """Shard and instance of the deliberation that began last to try the provider."""
    is_trial_due: bool = False
    stuck: tuple[int, ...] = ()
    """Instances that were seen waiting for the provider that is away: an answer to one of them ends the outage."""
    lost: tuple[int, ...] = ()
    """The latest instances that lost every call of the provider that is away: a trial takes one of them."""


class SurveyRequest(FrozenModel):
    """Argument of ``survey_calls``: the instances of a study whose waiting calls are looked at."""

    study: str
    numbers: tuple[int, ...]


class ProviderCalls(FrozenModel):
    """The calls of one provider for which running deliberations wait."""

    provider: str
    deliberations: int = 0
    """How many of them wait for such a call."""
    stuck: tuple[int, ...] = ()
    """Of these, the instances of which every such call has failed because the provider is away."""
    answering: int = 0
    """Calls that are receiving an answer right now."""
    cause: str = ""
    """The commonest type of error among the failed calls."""
    message: str = Field(default="", max_length=200)
    since: datetime | None = None
    """When the earliest of the failed calls failed first."""
    failed_at: datetime | None = None
    """When one of the failed calls failed last."""


class CallSurvey(FrozenModel):
    """The result of ``survey_calls``: one entry for each provider with waiting calls."""

    providers: tuple[ProviderCalls, ...] = ()
