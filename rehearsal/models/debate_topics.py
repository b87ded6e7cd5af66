"""Arguments on a topic: written ones, otherwise labelled filler for any topic.

Every statement is short enough to be a claim. The figures of filler are rolled and prove nothing, and whoever says one
cites a work that calls itself a placeholder. What is written for a topic is common knowledge, and is cited as such.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from rehearsal.models.written_texts import written_for

Pairs = tuple[tuple[str, str], ...]
Ways = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Theme:
    """One stock of arguments; ``{n}`` of ``{m}`` in a fact are figures to be filled in."""

    name: str
    it: str
    """The proposal, as a thing that can be done."""
    facts: tuple[str, ...]
    inferences: tuple[str, ...]
    assumptions: tuple[str, ...]
    open: tuple[str, ...]
    concerns: tuple[str, ...]
    risks: Pairs
    """What can go wrong, and what lessens it."""
    alternatives: Pairs
    """What else could be done, and why it is not."""
    ways: Ways = field(default_factory=lambda: MappingProxyType({}))
    """Positions by anchor and lean; where there are none, those that fit any topic."""
    own_facts: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Facts by anchor, in the order in which they are brought in; ``facts`` follow when they are used up."""


@cache
def theme_of(topic: str) -> Theme:
    """Return what is written for ``topic``, else filler."""
    written = written_for(topic)
    return _read(written.debate) if written is not None and written.debate else FILLER


FILLER = Theme(
    "filler",
    "the proposal",
    (
        "Filler figure: {n} of {m} trials were kept after a year",
        "Filler figure: {n} of {m} people asked were in favour",
        "Filler figure: it took {n} days where {m} were planned",
        "Filler figure: {n} of {m} reports named a cost",
    ),
    (
        "Filler inference: trials that last show what plans cannot",
        "Filler inference: what must come first decides the date",
        "Filler inference: plans that slip by days will slip by months",
        "Filler inference: costs named early are paid once",
    ),
    (
        "Filler assumption: what held elsewhere will hold here",
        "Filler assumption: those who decide also carry the cost",
        "Filler assumption: there is time to try it in steps",
        "Filler assumption: people say what they mean",
    ),
    ("Filler question: whether it still matters in five years", "Filler question: who pays once things change"),
    (
        "Filler concern: those who are hurt are not asked",
        "Filler concern: nobody owns it once the trial ends",
        "Filler concern: the counts are older than they look",
        "Filler concern: a way back is planned and never practised",
    ),
    (
        ("Filler risk: it fails in silence", "name a sign that stops it"),
        ("Filler risk: costs grow unseen", "publish them each month"),
        ("Filler risk: one group carries it all", "share it by rule"),
        ("Filler risk: it cannot be undone", "practise the way back first"),
    ),
    (
        ("Filler: waiting a year", "the costs of waiting are certain"),
        ("Filler: a small trial alone", "it shows no side effects"),
        ("Filler: leaving it to each place", "the differences would grow"),
        ("Filler: a rule for all at once", "no way back is left"),
    ),
)
"""For any topic that nothing is written for."""


def _read(told: Mapping[str, Any]) -> Theme:
    """Return the arguments of a file."""
    return Theme(
        name=told["name"],
        it=told["it"],
        facts=FILLER.facts,
        inferences=tuple(told["inferences"]),
        assumptions=tuple(told["assumptions"]),
        open=tuple(told["open"]),
        concerns=tuple(told["concerns"]),
        risks=_pairs(told["risks"]),
        alternatives=_pairs(told["alternatives"]),
        ways=told["positions"],
        own_facts={anchor: tuple(facts) for anchor, facts in told["facts"].items()},
    )


def _pairs(told: Any) -> Pairs:
    return tuple((one, other) for one, other in told)


WAYS: dict[str, dict[str, str]] = {
    "Risk-Attentive": {
        "for": "Go ahead with {it}, but only behind a tested way back and a sign that stops it.",
        "against": "Hold back from {it}: the worst day is dear, comes late and cannot be undone.",
        "between": "Before a word on {it}, every failure mode needs its guard; until then neither yes nor no is safe.",
    },
    "Implementation-Focused": {
        "for": "Start small with {it} this year: one owner, one budget line, one date to weigh results.",
        "against": "Nobody has the hands, money or months that {it} would take; do cheaper things first.",
        "between": "Whether {it} works is a matter of plan and price, and both are still missing here.",
    },
    "Evidence-Calibrated": {
        "for": "What was measured elsewhere speaks for {it}, within bounds that we should state and check.",
        "against": "Figures offered for {it} are thin, old or picked; they bear no such step.",
        "between": "Data on {it} point both ways; I would commit to a range and to what narrows that.",
    },
    "Systems-Aware": {
        "for": "Seen over ten years, {it} pays through what follows from it, if neighbours move along.",
        "against": "Second-order effects of {it} eat up its gains: load shifts, habits bend, others answer.",
        "between": "Long after today {it} changes who depends on whom; such loops deserve watching before judging.",
    },
}
"""What a position says, by anchor and lean. No two of them share more than the topic's words."""
