"""JSON objects in the replies of models: fenced or not, prose around them, sound or broken.

An object inside another is part of it. The protocol decides what a reply means by its objects, and which of them
counts; here they are found, in their order. A broken one is repaired by json-repair, where it is worth
that and no longer than its ``Limits``: the library takes more than quadratic time over ruins.

A text is decoded about once, from however many braces it is tried: where an attempt fails, every object that is open
there fails at the same place, and is not tried again. What is left, such as objects in the strings of others, has one
budget for all attempts together.
"""

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from json_repair import repair_json
from pydantic import JsonValue

from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns

_T = TypeVar("_T")

_MOST_OBJECTS = 500
"""The last, and the first: it may hold them all."""

_MOST_MENDED = 3

_SPARE = 1_000_000
"""Characters that failed attempts may go over beside one pass over the text."""
_DEEPEST = 2_000
"""Characters that a nesting too deep to be decoded is counted for."""
_MOST_SEARCHED = 300_000
"""Characters in which the ends of broken objects are looked for; those behind are not mended."""

_OPENED = lazy_pattern(r"\{(?=\s{0,200}[\"'“`\w/#])")
_TOKEN = lazy_pattern(r"\"[^\"\\]*+(?>(?:\\.[^\"\\]*+)*)\"|[{}\[\]\"]", re.DOTALL)
_MARK = lazy_pattern(r"[\"“”{\[(]")

_FENCE_OPENING = lazy_pattern(r"```\w{0,20}\s{0,9}")
_PATTERNS = compile_patterns(__package__, "json_in_text")
_LOOKED_BACK = 240


class RepeatedKeys(dict[str, JsonValue]):
    """An object with several values for some names; it contains the last ones."""

    names: frozenset[str] = frozenset()


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    fields = dict(pairs)
    if len(fields) == len(pairs):
        return fields
    doubled = RepeatedKeys(fields)
    doubled.names = frozenset(name for name, value in pairs if value != fields[name])
    return doubled


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_object)


class Limits(NamedTuple):
    """The limits on repairs of a broken object."""

    reach: int = 10_000
    """Characters; it is taken for cut off there."""
    marks: int = 300
    """Quotes and brackets; with more it is given up."""


class JsonMatch(NamedTuple):
    """The content of an object."""

    value: JsonValue
    start: int = 0
    end: int = 0
    """Its position in ``text``; of one that was cut in the middle of a text, that text is no part."""
    text: str = ""
    is_mended: bool = False

    @property
    def written(self) -> str:
        """Return the object as written."""
        return self.text[self.start : self.end]


class _RepeatedKeyError(ValueError):
    """An object gives a key twice."""


class TooManyAttemptsError(ValueError):
    """The text opens more objects that cannot be decoded than it is worth decoding."""


def whole_object(text: str) -> dict[str, JsonValue] | None:
    """Return the JSON object that ``text`` is as a whole; ``None`` when it is anything else.

    A code fence around it is left out. An object that gives a key twice is none, because it does not say which of the
    two values is meant.
    """
    inside = _unfenced(text.strip())
    if not inside.startswith("{"):
        return None
    try:
        value: JsonValue = json.loads(inside, strict=False, object_pairs_hook=unrepeated, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def follows_schema(text: str, needs: Mapping[str, JsonValue]) -> bool:
    """Return whether ``text`` is one whole object and a JSON schema was sent for it."""
    return needs.get("asked_with_schema") is True and whole_object(text) is not None


def read_objects(
    said: str,
    read: Callable[[JsonMatch], Iterable[_T]],
    is_worth_mending: Callable[[str], bool],
    limits: Limits = Limits(),  # noqa: B008 - a value that never changes
) -> Iterator[_T]:
    """Yield the result of ``read`` for each object in ``said`` that is not introduced as another's.

    A repaired one without a result hides none inside, and what is not worth repairs has nothing inside that is.

    Raises:
        TooManyAttemptsError: the attempts to decode went over more characters than they may.
    """
    text, end, mended, worthless = _unwrapped(said), 0, 0, 0
    decoder = _Decoder(text)
    for start in _starts(text):
        if start < end:
            continue
        sound = decoder.decode(start)
        if _is_of_another(text, start):
            end = sound[1] if sound else start + len(decoder.region(start, limits.reach))
        elif sound:
            value, end = sound
            yield from read(JsonMatch(value, start, end, text))
        elif mended < _MOST_MENDED:
            closed = start + len(region := decoder.region(start, limits.reach))
            if closed != worthless and is_worth_mending(region):
                mended += 1
                found = list(read(JsonMatch(_mended(region, limits.marks), start, closed, text, is_mended=True)))
                end = closed if found else end
                yield from found
            else:
                worthless = closed


def _is_of_another(text: str, start: int) -> bool:
    """Return whether words before ``start`` say that it is another's; they hold braces only in brackets."""
    looked = max(0, start - _LOOKED_BACK)
    behind = 0 if ")" in text[looked:start] else max(text.rfind("{", looked, start), text.rfind("}", looked, start)) + 1
    return _PATTERNS["of_another"].search(text, max(looked, behind), start) is not None


def _unfenced(text: str) -> str:
    if not (text.startswith("```") and text.endswith("```")):
        return text
    opening, _, inside = text.partition("\n")
    return inside.removesuffix("```").strip() if _FENCE_OPENING.fullmatch(opening) else text


def unrepeated(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """Return the object of ``pairs``; a key that is given twice is an error."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _RepeatedKeyError
    return value


def _refused(constant: str) -> JsonValue:
    raise ValueError(constant)


def _starts(text: str) -> Iterator[int]:
    """Return the starts of the first object and of the last ones."""
    first, last = None, deque[int](maxlen=_MOST_OBJECTS)
    for opened in _OPENED.finditer(text):
        first = opened.start() if first is None else first
        last.append(opened.start())
    if first is not None and first != last[0]:
        yield first
    yield from last


def _unwrapped(said: str) -> str:
    """Return the content of a reply that is one JSON string; any other is returned unchanged."""
    inside, _ = (_Decoder(said).decode(0) if said.startswith('"') else None) or ("", 0)
    return inside if isinstance(inside, str) and inside else said


class _Decoder:
    """A decoder of values in one text, with a limit on the cost of failures."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._failed: set[int] = set()
        self._left, self._searchable = _SPARE + len(text), _MOST_SEARCHED
        self._cut, self._ends = 0, dict[int, int]()

    def decode(self, start: int) -> tuple[JsonValue, int] | None:
        """Return the value at ``start`` and where it ends; ``None`` when there is none."""
        if start in self._failed:
            return None
        to_end = len(self._text) - start
        try:
            return _DECODER.raw_decode(self._text, start)
        except json.JSONDecodeError as error:
            self._failed.update(_open_at(self._text, start, error.pos))
            # The position of a string without an end is where it begins, but all that follows was gone over.
            self._spend(to_end if error.msg.startswith("Unterminated") else error.pos - start)
        except RecursionError:
            self._spend(min(to_end, _DEEPEST))
        except ValueError:
            self._spend(to_end)  # an integer with more digits than Python converts
        return None

    def region(self, start: int, reach: int) -> str:
        """Return the object that opens at ``start``, up to its closing brace or the cut."""
        end = min(len(self._text), start + min(reach, self._searchable))
        if end != self._cut:
            self._cut, self._ends = end, {}
        if start not in self._ends:
            self._ends |= _ends(self._text, start, end)
        found = self._text[start : self._ends.get(start, end)]
        self._searchable -= len(found)
        return found

    def _spend(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0:
            raise TooManyAttemptsError("objects are opened too often and never closed")


def _open_at(text: str, start: int, end: int) -> list[int]:
    """Return the starts of the objects and lists open at ``end``; the text from ``start`` is sound JSON."""
    opened: list[int] = []
    for token in _TOKEN.finditer(text, start, end):
        if token[0] in "{[":
            opened.append(token.start())
        elif token[0] in "}]" and opened:
            opened.pop()
    return opened


def _ends(text: str, start: int, end: int) -> dict[int, int]:
    """Return where each object from ``start`` on ends, up to the closing brace or the cut at ``end``."""
    opened, ends = list[int](), dict[int, int]()
    for token in _TOKEN.finditer(text, start, end):
        if token[0] == "{":
            opened.append(token.start())
        elif token[0] == "}":
            ends[opened.pop()] = token.end()
        if not opened or token[0] == '"':
            return ends | dict.fromkeys(opened, token.start())
    return ends | dict.fromkeys(opened, end)


def _mended(region: str, marks: int) -> JsonValue:
    """Return the content of a broken object; ``None`` of a ruin, and of one with a comment of correction."""
    if len(_MARK.findall(region)) > marks or _PATTERNS["corrected"].search(_PATTERNS["string"].sub('""', region)):
        return None
    try:
        mended: JsonValue = repair_json(region, return_objects=True, skip_json_loads=True)
    except (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return None  # the library asserts what a ruin does not keep
    return mended
