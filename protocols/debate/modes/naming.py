"""Under which names debaters are shown to each other: openly by seat and model, or under labels that never shift."""

import re
from collections.abc import Mapping, Sequence
from string import ascii_uppercase

from protocols.exchange import ParticipantId
from protocols.panel import Panel, name_of

Names = Mapping[ParticipantId, str]
"""Seat to name."""

_WORD = re.compile(r"\w+")


def open_names(panel: Panel) -> Names:
    """``p1 (claude-sonnet-4)`` …: the seat, which stays, and the model that sits there now."""
    return {p.id: f"{p.id} ({name_of(p.model).rpartition('/')[2]})" for p in panel.participants}


def labels(dealt: Sequence[ParticipantId]) -> Names:
    """``Expert A``, ``Expert B`` …, in the order in which they were dealt once for the whole debate."""
    return {seat: f"Expert {ascii_uppercase[n]}" for n, seat in enumerate(dealt)}


def seat_of(names: Names, said: str) -> ParticipantId | None:
    """Who is meant by ``said``: a name as it was shown, or its telling part (``p1``, ``A``); ``None`` if nobody is."""
    words = " ".join(_WORD.findall(said.lower()))
    exact = [seat for seat, name in names.items() if words == _telling(name) or said.strip().lower() == name.lower()]
    mentioned = [seat for seat, name in names.items() if f" {_mention(name)} " in f" {words} "]
    found = exact or mentioned
    return found[0] if len(found) == 1 else None


def _telling(name: str) -> str:
    first, _, rest = name.lower().partition(" ")
    return rest if first == "expert" else first


def _mention(name: str) -> str:
    """What stands for ``name`` in a sentence, where a letter alone may be an article."""
    return name.lower() if name.lower().startswith("expert ") else _telling(name)
