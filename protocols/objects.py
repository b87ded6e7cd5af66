"""JSON objects in what a model says: fenced or not, prose around them, sound or broken.

An object that lies in another is part of it. What a reply means by its objects, and which of them counts, is its room's
to say; here they are found, in the order in which they stand. A broken one is mended by json-repair, where it is worth
that and no longer than its ``Limits``: the library takes more than quadratic time over ruins.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from json_repair import repair_json
from pydantic import JsonValue

_T = TypeVar("_T")

_MOST_OBJECTS = 500
"""The last, and the first: it may hold them all."""

_MOST_MENDED = 3

_OPENED = re.compile(r"\{(?=\s{0,200}[\"'“`\w/#])")
_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|[{}\"]", re.DOTALL)
_MARK = re.compile(r"[\"“”{\[(]")

_DECODER = json.JSONDecoder(strict=False)


class Limits(NamedTuple):
    """How much of a broken object is mended."""

    reach: int = 10_000
    """Characters; it is taken for cut off there."""
    marks: int = 300
    """Quotes and brackets; with more it is given up."""


class Found(NamedTuple):
    """What an object holds."""

    value: JsonValue
    start: int = 0
    end: int = 0
    """Where it stands in ``text``; of one that was cut in the middle of a text, that text is no part."""
    text: str = ""
    is_mended: bool = False

    @property
    def written(self) -> str:
        """It, as it was written."""
        return self.text[self.start : self.end]


def read_objects(
    said: str,
    read: Callable[[Found], Iterable[_T]],
    is_worth_mending: Callable[[str], bool],
    limits: Limits = Limits(),  # noqa: B008 - a value that never changes
) -> Iterator[_T]:
    """Whatever ``read`` makes of the objects in ``said``; a mended one of which it makes nothing hides none inside."""
    text, end, mended = _unwrapped(said), 0, 0
    starts = [opened.start() for opened in _OPENED.finditer(text)]
    for start in (*starts[:-_MOST_OBJECTS][:1], *starts[-_MOST_OBJECTS:]):
        if start < end:
            continue
        sound = _decoded(text, start)
        if sound:
            value, end = sound
            yield from read(Found(value, start, end, text))
        elif mended < _MOST_MENDED and is_worth_mending(region := _region(text, start, limits.reach)):
            mended += 1
            found = list(read(Found(_mended(region, limits.marks), start, start + len(region), text, is_mended=True)))
            end = start + len(region) if found else end
            yield from found


def _unwrapped(said: str) -> str:
    """What a reply holds that is one JSON string; any other is itself."""
    inside, _ = (_decoded(said, 0) if said.startswith('"') else None) or ("", 0)
    return inside if isinstance(inside, str) and inside else said


def _decoded(text: str, start: int) -> tuple[JsonValue, int] | None:
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def _region(text: str, start: int, reach: int) -> str:
    """The object that opens at ``start``, up to the brace that closes it or to where it was cut."""
    depth, end = 0, min(len(text), start + reach)
    for token in _TOKEN.finditer(text, start, end):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if token[0] == '"':
            return text[start : token.start()]
        if not depth:
            return text[start : token.end()]
    return text[start:end]


def _mended(region: str, marks: int) -> JsonValue:
    if len(_MARK.findall(region)) > marks:
        return None
    try:
        mended: JsonValue = repair_json(region, return_objects=True, skip_json_loads=True)
    except (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return None  # the library asserts what a ruin does not keep
    return mended
