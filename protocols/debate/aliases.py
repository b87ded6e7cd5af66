"""The names of debaters in prompts: seat and model in the open, or labels that never change."""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase

from protocols.lazy_patterns import lazy_pattern
from protocols.model_call import ParticipantId
from protocols.panel import Panel, name_of

Aliases = Mapping[ParticipantId, str]
"""Seat to name."""

_WORD = lazy_pattern(r"\w+")
_JOINED = lazy_pattern(r"[,;&+\n、，；]|\s(?:and|und|et|y|e|や|和)\s")
_AROUND = " \t*_[](){}\"'`“”‘’.:-–•"
"""Marks around a name."""


def open_aliases(panel: Panel) -> Aliases:
    """Return ``p1 (claude-sonnet-4)`` for each seat, with the model that has it now."""
    return {p.id: f"{p.id} ({name_of(p.model).rpartition('/')[2]})" for p in panel.participants}


def labels(dealt: Sequence[ParticipantId]) -> Aliases:
    """Return ``Expert A``, ``Expert B`` … for each seat, in the order that was drawn for the whole debate."""
    return {seat: f"Expert {ascii_uppercase[n]}" for n, seat in enumerate(dealt)}


def seat_of(names: Aliases, said: str) -> ParticipantId | None:
    """Return the seat with that name, or with its short form (``p1``, ``A``); ``None`` without a match."""
    words = " ".join(_WORD.findall(said.lower()))
    exact = [seat for seat, name in names.items() if words == _telling(name) or said.strip().lower() == name.lower()]
    mentioned = [seat for seat, name in names.items() if f" {_mention(name)} " in f" {words} "]
    found = exact or mentioned
    return found[0] if len(found) == 1 else None


def find_seats(names: Aliases, said: str) -> list[tuple[str, ParticipantId | None]]:
    """Return every name in ``said`` with its seat; a text may list several.

    A model's name counts only where the debaters are shown with their models and one of them alone has it.
    """
    is_one = said.strip().lower() in {name.lower() for name in names.values()}
    parts = [said] if is_one else [part for part in (one.strip(_AROUND) for one in _JOINED.split(said)) if part]
    return [(part, _seat(names, part)) for part in parts]


def _seat(names: Aliases, said: str) -> ParticipantId | None:
    model = said.strip(_AROUND).lower().rpartition("/")[2]
    models = [seat for seat, name in names.items() if model and name.lower().endswith(f" ({model})")]
    return seat_of(names, said) or (models[0] if len(models) == 1 else None)


def _telling(name: str) -> str:
    first, _, rest = name.lower().partition(" ")
    return rest if first == "expert" else first


def _mention(name: str) -> str:
    """Return the pattern for ``name`` in a sentence, in which a single letter may be an article."""
    return name.lower() if name.lower().startswith("expert ") else _telling(name)
