"""One score as models write it: ``8``, ``8/10``, ``8 von 10``, ``7,5``, ``80 %``, ``８``, ``٨``, ``eight``.

A score counts as it was meant or not at all: of another scale than 10 or 100, outside 1 to 10, a range, or one of two
numbers that differ, it is none.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence

from pydantic import JsonValue

from protocols import council
from protocols.council.rubric import HIGHEST, LOWEST
from protocols.text_files import compile_patterns, read_toml

_PATTERNS = compile_patterns(council.__name__, "replies_score_values")
_SIGNED = re.compile(r"[^\w\n]{0,9}(?<!\S)[-–−]\d")
_BRACKETED = re.compile(r"\([^()]{0,120}\)")
_WORDS = {
    word: float(number)
    for number, words in read_toml(council.__name__, "wording.toml")["score_numbers"].items()
    for word in words
}
_INNER = ("score", "value", "points", "rating", "punkte", "note", "分数", "评分", "得分")
_LONGEST = 120
_HUNDRED = 100

SCORE = _PATTERNS["score"]
"""A score within a line: ``number``, and what it is of: ``whole`` or ``percent``."""
WEIGHT = _PATTERNS["weight"]
"""The weight of a criterion beside its name."""

Cells = dict[tuple[str, str], float | None]
"""By letter and criterion; ``None`` where the writer's score cannot be read."""

CriterionOf = Callable[[str], str | None]
"""Returns the criterion that a heading names."""


def put(cells: Cells, letters: Sequence[str], name: str, score: float | None) -> None:
    """Add the score of ``letters`` for a criterion; one that differs from an earlier one makes both unreadable."""
    for letter in letters if name else ():
        place = (letter, name)
        cells[place] = score if cells.get(place, score) == score else None


def with_plain_digits(text: str) -> str:
    """Return ``text`` with the digits of all scripts as those of ASCII, and their decimal signs as points."""
    table = {ord(char): str(unicodedata.decimal(char)) for char in set(text) if char.isdecimal() and not char.isascii()}
    return text.translate(table | {ord("٫"): ".", ord("∕"): "/", ord("⁄"): "/", ord("／"): "/"})


def score_in_cell(text: str) -> float | None:
    """Return the score in a cell without other text; remarks in brackets are left out."""
    said = with_plain_digits(text[:_LONGEST])
    bare = _BRACKETED.sub(" ", said).strip(" \t*_`~|.:：-–—=()") or said.strip(" ()")
    if _SIGNED.match(said) or _PATTERNS["corrected"].match(said):
        return None
    if (word := _WORDS.get(bare.casefold())) is not None:
        return word
    found = _PATTERNS["alone"].fullmatch(bare)
    return score_of(found) if found else None


def score_of(found: re.Match[str]) -> float | None:
    """Return the score of a match of ``SCORE``; ``None`` for one of another scale."""
    number = float(found["number"].replace(",", "."))
    whole = float(found["whole"]) if found["whole"] else (float(_HUNDRED) if found["percent"] else None)
    if whole == _HUNDRED:
        number, whole = number / HIGHEST, None
    if whole not in {None, float(HIGHEST)}:
        return None
    return number if LOWEST <= number <= HIGHEST else None


def score_of_value(value: JsonValue) -> float | None:
    """Return the score that a value of JSON is."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if LOWEST <= value <= HIGHEST else None
    if isinstance(value, str):
        return score_in_cell(value)
    if isinstance(value, dict):
        inner = [value[key] for key in value if key.casefold() in _INNER]
        return score_of_value(inner[0]) if len(inner) == 1 and not isinstance(inner[0], dict) else None
    return None
