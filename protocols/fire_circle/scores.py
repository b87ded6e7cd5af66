"""The three scores by name and number: "Falschheit": 0,85, "falsity (F)": "85 %", {"falsehood": {"score": 0.85}}.

A number counts as it was meant or not at all. A share of a hundred or of ten counts where the reply itself says so: in
the value (``85%``, ``8/10``) or once for all of them ("on a scale from 0 to 100"). Nothing is clamped.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from pydantic import JsonValue

from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns, read_toml

SCORES = ("truth", "indeterminacy", "falsehood")

_WORDS: Mapping[str, list[str]] = read_toml(__package__, "score_names.toml")
NAMES: Mapping[str, str] = {name: score for score in SCORES for name in _WORDS[score]}
"""What a score is called, in the languages in which models answer, in small letters."""

_MOST = ("out_of", "max", "maximum", "scale")
_WHOLES = frozenset((1.0, 10.0, 100.0))

_LONGEST_KEY = 60
_HIGHEST = 100.0
"""No scale goes further."""

_WORD = lazy_pattern(r"[^\W\d_]+")

_WHOLE = r"(?:/|out of|von|sur|de|su|из|满分)\s?(?P<whole>1(?:\.0{1,3}|00?)?)(?![\d.,]\d|\d)"
_PERCENT = (
    r"(?P<percent>[%％]|percent\b|pct\b|per cent\b|Prozent\b|pour ?cent\b|por ciento\b|por cento\b|per cento\b|процент)"
)
_NUMBER = r"(?P<number>\d{1,9}(?:[.,]\d{1,99})?|[.,]\d{1,99})"
AMOUNT = rf"{_NUMBER}(?:\s?(?:{_PERCENT}|{_WHOLE}))?"
"""A number as it is written in a text, with a point or a comma, and what it is a share of."""

_AMOUNT = lazy_pattern(
    rf"\s{{0,9}}[~≈]?\s?{AMOUNT}\s{{0,9}}(?:\([^()\d]{{1,80}}\)|[-–—:]\s[^\d]{{1,200}})?\s{{0,9}}",
    re.ASCII | re.IGNORECASE,
)
_PATTERNS = compile_patterns(__package__, "scores")
_SCALE = _PATTERNS["scale"]


class Amount(NamedTuple):
    """A number as written, and the unit of its share; ``None`` if unstated."""

    number: float
    whole: float | None = None


def name_of_score(key: str) -> str | None:
    """Return the score that a key names: ``truth`` for "T", "**Truth (T)**", "truth_score" and "Wahrheit"."""
    return _name(key) if len(key) <= _LONGEST_KEY else None


@lru_cache(maxsize=4096)
def _name(key: str) -> str | None:
    words = [word for word in _WORD.findall(key.lower()) if word not in _WORDS["beside"]]
    named = {NAMES.get(word) for word in words}
    is_one = len(named) == 1 and sum(len(word) > 1 for word in words) <= 1
    return named.pop() if is_one else NAMES.get(key.strip().lower())


def amount_of(value: JsonValue) -> Amount | None:
    """Return the only number in a value; ``None`` for none or an unclear one."""
    if isinstance(value, dict):
        return _inner_amount({key.strip().lower(): inner for key, inner in value.items()})
    if isinstance(value, str):
        found = _AMOUNT.fullmatch(value)
        return amount_in(found) if found else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return Amount(abs(float(value))) if 0 <= value <= _HIGHEST else None


def amount_in(found: re.Match[str]) -> Amount:
    """Return what a match of ``AMOUNT`` gives."""
    return amount_written(found["number"], found["percent"], found["whole"])


def amount_written(number: str, percent: str | None, whole: str | None) -> Amount:
    """Return the amount whose parts are written so."""
    counted = float(number.replace(",", "."))
    if percent:
        return Amount(counted, 100.0)
    return Amount(counted, float(whole) if whole else None)


def resolved(given: Mapping[str, Amount | None], said: str) -> dict[str, float | None]:
    """Return the amounts as scores from 0 to 1; ``said`` may name the reply's scale.

    A scale is taken where some number is above 1 and none is a fraction of 1: 85 of a hundred beside 0.5 is unclear.
    """
    plain = [one.number for one in given.values() if one and one.whole is None]
    scale = 1.0
    if any(number > 1 for number in plain) and not any(number % 1 and number < 1 for number in plain):
        scale = _scale(said)
    return {name: one and _share(one, scale) for name, one in given.items()}


def _share(amount: Amount, scale: float) -> float | None:
    whole = amount.whole or scale
    if whole > 1 and 0 < amount.number < 1:
        return None  # 0.85 % may be meant as 0.85
    share = round(amount.number / whole, 9)
    return share if 0 <= share <= 1 and amount.number <= whole else None


def _scale(said: str) -> float:
    scales = {100.0 if found["percent"] else float(found["span"] or found["whole"]) for found in _SCALE.finditer(said)}
    return scales.pop() if len(scales) == 1 else 1.0


def _inner_amount(fields: Mapping[str, JsonValue]) -> Amount | None:
    inner = (fields.get(key) for key in _WORDS["inner"])
    found = [amount for value in inner if not isinstance(value, dict) and (amount := amount_of(value))]
    whole = next((fields[key] for key in _MOST if key in fields), None)
    if len(found) != 1 or (whole is not None and whole not in _WHOLES):
        return None
    return found[0]._replace(whole=float(whole)) if isinstance(whole, int | float) else found[0]
