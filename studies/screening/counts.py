"""Counts of the results of a screening."""

from collections import Counter
from typing import get_args

from pydantic import Field

from parley.errors import FAILED, FLAGGED, VERDICT
from protocols.model_call import FrozenModel, Spending
from protocols.plurals import counted
from protocols.spending import sum_spending
from studies.screening.judging import Outcome, Screened

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

_WORDS = {"not_flagged": "not flagged"}


class Counts(FrozenModel):
    """The number of prompts by result, and their spending."""

    prompts: int = 0
    outcomes: dict[Outcome, int] = Field(default_factory=dict)
    guessed: int = 0
    """Prompts whose number keywords guessed in part; they are among the flagged or the others."""
    degraded: int = 0
    """Prompts with a finding, on the way to which something was lost or could not be used as it was meant."""
    reused: int = 0
    """Prompts that were asked and paid for before: by an earlier call, or for an earlier prompt of the same text."""
    spent: Spending = Spending()
    """By all of them, the reused and those without a finding included."""

    def with_one(self, screened: Screened) -> "Counts":
        """Return the counts with one prompt more."""
        metrics = screened.metrics
        counted = Counter(self.outcomes)
        counted[screened.outcome] += 1
        return Counts(
            prompts=self.prompts + 1,
            outcomes=dict(counted),
            guessed=self.guessed + bool(metrics and metrics.guessed),
            degraded=self.degraded + bool(metrics and metrics.degraded.is_degraded),
            reused=self.reused + screened.is_reused,
            spent=sum_spending((self.spent, screened.spent)),
        )

    @property
    def as_text(self) -> str:
        """The counts in one line."""
        parts = [f"{self.outcomes.get(one, 0):,} {_WORDS.get(one, one)}" for one in OUTCOMES]
        beside = {"guessed by keywords": self.guessed, "degraded": self.degraded, "asked before": self.reused}
        more = [f"{count:,} {words}" for words, count in beside.items() if count]
        return f"{counted(self.prompts, 'prompt')}: {', '.join(parts)}{'; of these ' if more else ''}{', '.join(more)}"

    def exit_code(self, *, flags: bool) -> int:
        """Return the exit code of a screening; a flagged prompt has its own where ``flags`` is set."""
        if flags and self.outcomes.get("flagged"):
            return FLAGGED
        judged = self.outcomes.get("flagged", 0) + self.outcomes.get("not_flagged", 0)
        return VERDICT if judged == self.prompts else FAILED
