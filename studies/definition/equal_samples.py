"""Samples of equal cost: as many votes as another arm costs, decided once for an arm and recorded with it.

``samples = "like ARM"`` is the largest number of samples that costs no more than a deliberation of ARM on average, at
least 1. Both sides have one basis. Where deliberations of ARM and of an arm that asks the same models once or more have
ended in this study, it is what they took; else it is the plan of both, because a plan that is too high for one model is
too high for both sides. Dollars are compared, or tokens where a price is unknown.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import JsonValue

from parley.options.equal_cost import VoteOptions
from protocols.study.learning import mean_use
from protocols.study.model import ArmUse
from protocols.vote.model import MOST_SAMPLES, MOST_VOTES
from studies.definition.estimate import StudyEstimator
from studies.definition.grid import Arm


class Decided(NamedTuple):
    """The number of samples of one arm."""

    arm: str
    like: str
    samples: int
    basis: str
    """``recorded``, ``measured`` or ``planned``."""

    @property
    def sentence(self) -> str:
        """The decision for a screen."""
        return f"{self.arm}: samples = {self.samples}, like {self.like} ({self.basis})"


def decide_samples(
    arms: tuple[Arm, ...], outlook: StudyEstimator, recorded: Mapping[str, Any], learned: Mapping[str, ArmUse]
) -> tuple[Decided, ...]:
    """Return the decision for every arm whose samples are like another arm's cost.

    ``recorded`` are the arms in the content of the study in the ledger, ``learned`` is what each arm took there.
    """
    return tuple(_decided(arm, arms, outlook, recorded, learned) for arm in arms if arm.like)


def with_samples(arms: tuple[Arm, ...], decided: tuple[Decided, ...]) -> tuple[Arm, ...]:
    """Return ``arms`` with the decided numbers of samples."""
    numbers = {one.arm: one.samples for one in decided}
    return tuple(_sampled(arm, numbers[arm.name]) if arm.name in numbers else arm for arm in arms)


def _decided(
    arm: Arm, arms: tuple[Arm, ...], outlook: StudyEstimator, recorded: Mapping[str, Any], learned: Mapping[str, ArmUse]
) -> Decided:
    like = arm.like or ""
    known: JsonValue = recorded.get(arm.name, {}).get("options", {}).get("samples")
    if isinstance(known, int) and recorded[arm.name].get("like") == like:
        return Decided(arm.name, like, known, "recorded")
    most = min(MOST_SAMPLES, MOST_VOTES // len(arm.models))
    if (measured := _measured(arm, arms, like, learned)) is not None:
        return Decided(arm.name, like, max(1, min(most, measured)), "measured")
    other = next(one for one in arms if one.name == like)
    cost = outlook.each(other)
    low, high = 1, most
    while low < high:
        middle = (low + high + 1) // 2
        each = outlook.each(_sampled(arm, middle))
        is_within = each.usd <= cost.usd if each.usd and cost.usd else each.tokens <= cost.tokens
        low, high = (middle, high) if is_within else (low, middle - 1)
    return Decided(arm.name, like, low, "planned")


def _measured(arm: Arm, arms: tuple[Arm, ...], like: str, learned: Mapping[str, ArmUse]) -> int | None:
    """Return how many samples the measured cost of ``like`` buys; ``None`` where one of the two is not measured."""
    of_sample = next((one for one in arms if one.name in learned and _is_same_sample(one, arm)), None)
    if of_sample is None or like not in learned or not isinstance(of_sample.options, VoteOptions):
        return None
    cost, sample = learned[like], learned[of_sample.name]
    is_priced = all(use.usd.count == use.tokens.count and use.used.usd for use in (cost, sample))
    whole, part = mean_use(cost), mean_use(sample)
    each = (part.usd if is_priced else part.tokens) / of_sample.options.samples_each
    return int((whole.usd if is_priced else whole.tokens) / each + 1e-9) if each else None


def _is_same_sample(one: Arm, arm: Arm) -> bool:
    """Return whether a sample of ``one`` is a sample of ``arm``: the same models and settings, as far as they cost."""
    own = {"preset", "samples", "models", "panel", "seed", "temperature", "top_p"}  # of which none is of the cost
    first, second = ((each.panel.participants, each.options.model_dump(exclude=own)) for each in (one, arm))
    return isinstance(one.options, VoteOptions) and not one.like and first == second


def _sampled(arm: Arm, samples: int) -> Arm:
    return arm._replace(options=arm.options.model_copy(update={"samples": samples}))
