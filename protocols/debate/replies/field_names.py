"""The names of a turn's fields in replies, and the values under each.

Names are compared by their letters alone: ``debateAlignment``, ``debate_alignment`` and "Debate alignment" are one.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar
from unicodedata import normalize

from pydantic import JsonValue

from protocols import debate
from protocols.text_files import read_toml

_T = TypeVar("_T")

NAMES: Mapping[str, tuple[str, ...]] = {
    field: tuple(names.split()) for field, names in read_toml(debate.__name__, "field_names.toml").items()
}
"""Fields by the names that models give them; if several are given, the first name of this list counts.

``held`` and ``sections`` are the headers of the modes: in the first the position is given, in the others perhaps."""

HEADERS = ("held", "sections")
_MARKS = ("position", "confidence", "vote", "stance")
_NO_LETTER = re.compile(r"\([^()]*\)|[\W\d_]")

_BESIDE = re.compile(
    r"(?:\s{0,3}[|;·,(.]\s{0,3}|\s{1,3}(?=\*\*))[*_]{0,3}"
    rf"((?:final |my )?(?:{'|'.join(name for mark in _MARKS[1:] for name in NAMES[mark])}))"
    r"[*_]{0,3}\s?[:：=][*_\s]{0,4}",
    re.IGNORECASE,
)
"""Another mark on the same line: "78% | Vote: MINOR"."""

Given = Mapping[str, list[tuple[int, JsonValue]]]
"""The values under each field, with the rank of the name that they were given under."""


def field_of(name: str) -> str | None:
    """Return the field for ``name``."""
    return _FIELDS.get(letters(name), (None, 0))[0]


def given(pairs: Iterable[tuple[str, JsonValue]]) -> Given:
    """Return the values by field; unknown names are left out."""
    found: dict[str, list[tuple[int, JsonValue]]] = {}
    for name, value in (piece for pair in pairs for piece in _pieces(*pair)):
        field, rank = _FIELDS.get(letters(name), (None, 0))
        if field and value not in (None, "", [], {}):
            found.setdefault(field, []).append((rank, {name: value} if field in HEADERS else value))
    return found


def one(fields: Given, field: str) -> JsonValue:
    """Return the last value under the best name of ``field``, because conclusions come last."""
    return min(reversed(fields.get(field, [])), key=lambda value: value[0], default=(0, None))[1]


def under(fields: Given, field: str, *names: str) -> JsonValue:
    """Return the last value for ``field`` under the first of ``names`` with one."""
    ranks = [NAMES[field].index(name) for name in names]
    return next((value for sought in ranks for rank, value in reversed(fields.get(field, [])) if rank == sought), None)


def agreed(fields: Given, field: str, read: Callable[[JsonValue], _T | None], later: Sequence[str] = ()) -> _T | None:
    """Return the reading of the values under the best name of ``field``; ``None`` when they or ``later`` differ."""
    values = fields.get(field, [])
    best = min((rank for rank, _ in values), default=0)
    found = [read(value) for rank, value in values if rank == best]
    return found[0] if found and all(value == found[0] for value in (*found, *map(read, later))) else None


def every(fields: Given, field: str) -> list[JsonValue]:
    """Return all that is given for ``field``, in its order."""
    return [value for _, value in fields.get(field, [])]


def entry_value(value: Mapping[str, JsonValue], *names: str) -> JsonValue:
    """Return the value of an entry under the first of ``names`` in it; names are compared by their letters."""
    doubled = getattr(value, "names", ())  # given twice, and not alike: which is meant is not known
    by_letters = {letters(key): inner for key, inner in value.items() if key not in doubled}
    return next((by_letters[name] for name in names if by_letters.get(name) not in (None, "", [], {})), None)


def _pieces(name: str, value: JsonValue) -> list[tuple[str, JsonValue]]:
    """Return a value, and the marks after it on its line."""
    if not isinstance(value, str) or field_of(name) not in _MARKS:
        return [(name, value)]
    first, *beside = _BESIDE.split(value)
    return [(name, first), *zip(beside[::2], beside[1::2], strict=True)]


def letters(name: str) -> str:
    """Return ``name`` without accents, capitals, brackets and other characters than letters."""
    return _NO_LETTER.sub("", normalize("NFKD", name[:80]).casefold())


_FIELDS = {letters(name): (field, rank) for field, names in NAMES.items() for rank, name in enumerate(names)}
