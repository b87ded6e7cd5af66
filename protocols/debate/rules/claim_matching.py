"""The comparison of claims and of sources (section 7.7).

Two claims are one when nearly all of their words are the same, with the same numbers and as many negations:
"rents fell by 10 %" and "rents fell by 20 %" are two claims, and so are "it is safe" and "it is not safe".
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

_SAME = 17, 20
"""0.85 as a fraction: no share misses it by the dust of a division."""
_WORD = re.compile(r"\w+(?:'\w+)?")
_NUMBER = re.compile(r"(?:(?<![\w.,])[-−])?\d+(?:[.,]\d+)*")
_NEGATIONS = frozenset(("not", "no", "never", "without", "cannot", "none", "neither", "nor"))
_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?(?:www\.)?", re.IGNORECASE)

_KEPT = 16_384
"""Each claim is compared with all that follow, and taken apart once."""


class Normalised(NamedTuple):
    """A claim in the form in which it is compared."""

    words: Counter[str]
    total: int
    numbers: tuple[str, ...]
    negations: int


@lru_cache(maxsize=_KEPT)
def normalise(text: str) -> Normalised:
    """Return ``text`` in the form in which claims are compared."""
    plain = text.lower().replace("’", "'")
    words = _WORD.findall(plain)
    numbers = tuple(sorted(number.replace("−", "-") for number in _NUMBER.findall(plain)))
    return Normalised(Counter(words), len(words), numbers, sum(map(_is_negation, words)))


def is_same(one: Normalised, other: Normalised) -> bool:
    """Return whether two claims are the same."""
    if one.negations != other.negations or one.numbers != other.numbers:
        return False
    share, whole = _SAME
    needed = share * (one.total + other.total)
    return 0 < needed <= 2 * whole * min(one.total, other.total) and needed <= 2 * whole * _common(one, other)


def nearest(text: str, texts: Mapping[str, str]) -> str | None:
    """Return the id of the most alike of ``texts`` that means the same; of equals the first."""
    asked = normalise(text)
    same = [(at, normalise(other)) for at, other in texts.items() if is_same(asked, normalise(other))]
    return max(same, key=lambda pair: _common(asked, pair[1]) / (asked.total + pair[1].total))[0] if same else None


@lru_cache(maxsize=_KEPT)
def address(url: str) -> str:
    """Return ``url`` without scheme, ``www.``, fragment and a slash at the end."""
    rest = _SCHEME.sub("", url.strip(), count=1).partition("#")[0]
    host, slash, path = rest.partition("/")
    return (host.lower() + slash + path).rstrip("/")


@lru_cache(maxsize=_KEPT)
def title_words(title: str) -> str:
    """Return the words of ``title`` in lower case, for comparison."""
    return " ".join(_WORD.findall(title.lower().replace("’", "'")))


def _is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def _common(one: Normalised, other: Normalised) -> int:
    return (one.words & other.words).total()
