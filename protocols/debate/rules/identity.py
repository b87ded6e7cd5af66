"""When two claims are one, and when two sources are (section 7.7).

Two claims are one when nearly all of their words are the same, and they hold the same numbers and as many negations:
"rents fell by 10 %" and "rents fell by 20 %" are two claims, and so are "it is safe" and "it is not safe".
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

_SAME = 17, 20
"""0.85 as a fraction: no share misses it by the dust of a division."""
_WORD = re.compile(r"\w+(?:'\w+)?")
_NUMBER = re.compile(r"(?:(?<![\w.,])[-−])?\d+(?:[.,]\d+)*")
_NEGATIONS = frozenset(("not", "no", "never", "without", "cannot", "none", "neither", "nor"))
_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?(?:www\.)?", re.IGNORECASE)

_KEPT = 16_384
"""More texts than the longest debate has: each is compared with all that follow, and taken apart once."""


class Sense(NamedTuple):
    """What is compared of a claim."""

    words: Counter[str]
    total: int
    numbers: tuple[str, ...]
    negations: int


@lru_cache(maxsize=_KEPT)
def sense(text: str) -> Sense:
    """What is compared of ``text``."""
    plain = text.lower().replace("’", "'")
    words = _WORD.findall(plain)
    numbers = tuple(sorted(number.replace("−", "-") for number in _NUMBER.findall(plain)))
    return Sense(Counter(words), len(words), numbers, sum(map(_is_negation, words)))


def is_same(one: Sense, other: Sense) -> bool:
    """Whether the two are one claim."""
    if one.negations != other.negations or one.numbers != other.numbers:
        return False
    share, whole = _SAME
    needed = share * (one.total + other.total)
    return 0 < needed <= 2 * whole * _common(one, other)


class Texts:
    """Texts by id, among which one is looked for that says the same.

    What says the same shares most words, so it holds one of any few more words than may differ: the rarest of them
    tell which texts have to be compared at all. In a long debate these are next to none.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._senses: dict[str, Sense] = {}
        self._holding: dict[str, list[str]] = {}
        for at, text in texts.items():
            self.add(at, text)

    def add(self, at: str, text: str) -> None:
        """One text more."""
        self._senses[at] = sense(text)
        for word in self._senses[at].words:
            self._holding.setdefault(word, []).append(at)

    def nearest(self, text: str) -> str | None:
        """The id of the one that says the same as ``text``; of several the most alike, then the first."""
        asked = sense(text)
        might = {at for word in self._telling(asked) for at in self._holding.get(word, ())}
        same = [at for at in self._senses if at in might and is_same(asked, self._senses[at])] if might else []
        return max(same, key=lambda at: _likeness(asked, self._senses[at]), default=None)

    def _telling(self, asked: Sense) -> Iterator[str]:
        """Words enough that whatever says the same has one of them."""
        share, whole = _SAME
        may_differ = asked.total - -(-share * asked.total // (2 * whole - share))
        for word in sorted(asked.words, key=lambda word: (len(self._holding.get(word, ())), word)):
            yield word
            may_differ -= asked.words[word]
            if may_differ < 0:
                return


@lru_cache(maxsize=_KEPT)
def address(url: str) -> str:
    """``url`` without what makes no difference: scheme, ``www.``, the mark within the page, a slash at the end."""
    rest = _SCHEME.sub("", url.strip(), count=1).partition("#")[0]
    host, slash, path = rest.partition("/")
    return (host.lower() + slash + path).rstrip("/")


@lru_cache(maxsize=_KEPT)
def title_words(title: str) -> str:
    """``title`` as it is compared: its words, in small letters."""
    return " ".join(_WORD.findall(title.lower().replace("’", "'")))


def _is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def _common(one: Sense, other: Sense) -> int:
    return (one.words & other.words).total()


def _likeness(one: Sense, other: Sense) -> float:
    return _common(one, other) / (one.total + other.total)
