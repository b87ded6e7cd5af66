"""Arguments on a topic: written ones, otherwise labelled filler for any topic.

Every statement is short enough to be a claim. The figures of filler are random and prove nothing, and cite a
work that calls itself a placeholder. Statements written for a topic are common knowledge, and cited as such.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from rehearsal.models.written_texts import read_script, written_for

Pairs = tuple[tuple[str, str], ...]
Ways = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Theme:
    """One stock of arguments; ``{n}`` of ``{m}`` in a fact are figures to be filled in."""

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
    own_facts: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    """Facts by anchor, in the order in which they are brought in; ``facts`` follow when they are used up."""


@cache
def theme_of(topic: str) -> Theme:
    """Return what is written for ``topic``, else filler."""
    written = written_for(topic)
    return _read(written.debate) if written is not None and written.debate else FILLER


def _read(content: Mapping[str, Any]) -> Theme:
    """Return the arguments of a file."""
    lists: dict[str, Any] = {name: tuple(content[name]) for name in ("inferences", "assumptions", "open", "concerns")}
    pairs: dict[str, Any] = {
        name: tuple((one, other) for one, other in content[name]) for name in ("risks", "alternatives")
    }
    own: dict[str, Any] = (
        {"ways": content["positions"], "own_facts": content["facts"]} if "positions" in content else {}
    )
    facts = tuple(read_script("filler")["debate"]["facts"])
    return Theme(content["it"], facts, **lists, **pairs, **own)


FILLER = _read(read_script("filler")["debate"])
"""For any topic that nothing is written for."""

WAYS: Ways = read_script("filler")["positions"]
"""What a position says, by anchor and lean. No two of them share more than the topic's words."""
