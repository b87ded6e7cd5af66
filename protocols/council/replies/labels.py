"""The notation of labels and numbers shared by all forms of a ranking, and what a form finds.

A label is a letter behind a word for an answer (``Response C``, ``Antwort C``, ``回答C``), or a letter alone where
a mark shows that it is meant as one. Behind the number of a list any one word may precede the letter. ``A`` and
``I`` are words of English, so they need a sign of their own; letters of other alphabets are no labels, because the
third letter of the Cyrillic one looks like a B.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from protocols import council
from protocols.council.model import BallotForm
from protocols.council.wording import SHARED, WORD_NUMBERS, place_in_words
from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns

_PATTERNS = compile_patterns(council.__name__, "replies_labels")

HEAD = _PATTERNS["head"]
"""A label at the head of what is looked at."""

ITEM_HEAD = _PATTERNS["item_head"]
"""A label behind a number: also any one word and a capital letter."""

_CONNECTED = _PATTERNS["connected"]
_RELATED = re.compile(r"[ \t]{0,3}(?:\([^()]{0,80}\)[ \t]{0,3})?(?:>|≻|→|≥|≺|<|\b(?:or|oder|ou|или)\b|或)")

MENTION = _PATTERNS["mention"]
"""A label in running text. ``Answer B`` may be an option of the question there, and a letter alone a word."""

PLACE_WORDS = "|".join(sorted(map(re.escape, WORD_NUMBERS), key=len, reverse=True))
"""The words for places, as alternatives of an expression."""

NUMBER = lazy_pattern(_PATTERNS["number"].pattern.replace("<words>", PLACE_WORDS), re.IGNORECASE)
"""The number of a place, before a label."""

AFTER_NUMBER = _PATTERNS["after_number"]
TIED = re.compile(_PATTERNS["tie"].pattern, re.IGNORECASE)

_SCORED = _PATTERNS["scored"]

_ALONE = re.compile(r"[\W_]{0,6}(?P<plain>\d{1,3}(?:[.,]\d{1,2})?)\W{0,6}")


class Labelled(NamedTuple):
    """Labels at one place, and their end."""

    letters: tuple[str, ...]
    end: int
    is_doubtful: bool = False
    """Nothing says what the labels have to do with each other, or with what follows."""
    is_listed: bool = False
    """They are joined by commas or ``and``, which may tie them or put them in order."""


def letter_of(found: re.Match[str] | None) -> str | None:
    """Return the letter that one of the patterns of this module found."""
    named = found.groupdict() if found else {}
    letters = (named.get(group) for group in ("worded", "glued", "bare", "named", "joined"))
    return next((letter.upper() for letter in letters if letter), None)


def labels_at(text: str, at: int, head: re.Pattern[str] = HEAD) -> Labelled | None:
    """Return the label at ``at`` with those that are tied to it; ``None`` when there is none."""
    found = head.match(text, at)
    first = letter_of(found)
    if found is None or first is None:
        return None
    letters, end, is_weak = [first], found.end(), False
    while (joint := _CONNECTED.match(text, end)) and (another := HEAD.match(text, joint.end())):
        letters.append(letter_of(another) or "")
        end, is_weak = another.end(), is_weak or joint["weak"] is not None
    rest = text[end:]
    are_shared = SHARED.search(rest[:80]) is not None
    is_unclear = is_weak and not are_shared and re.search(r"\w", rest[:80]) is not None
    follows = _RELATED.match(text, end) is not None
    return Labelled(tuple(letters), end, is_unclear or follows, is_weak and not are_shared)


def number_of(found: re.Match[str]) -> int:
    """Return the number that ``NUMBER`` found."""
    named = found.groupdict()
    digits = next((named[group] for group in ("hash", "named", "ordinal", "listed") if named.get(group)), None)
    return int(digits) if digits else place_in_words(named["word"])


def number_alone(text: str) -> float | None:
    """Return the number that is the only text after a label."""
    found = _ALONE.fullmatch(text)
    return float(found["plain"].replace(",", ".")) if found else None


def score_in(text: str) -> float | None:
    """Return the score that ``text`` gives, ``8/10``, ``85 points`` or stars; ``None`` when it gives none."""
    if stars := text.count("⭐") + text.count("★"):
        return float(stars)
    found = _SCORED.search(text)
    said = (found["score"] or found["named"]) if found else None
    return float(said.replace(",", ".")) if said else None


Places = tuple[tuple[str, ...], ...]
"""Letters by place, best first; letters that share a place are in one tuple."""

PAIR = 2
"""Fewer letters than this are no order."""


class Found(NamedTuple):
    """An order that was read in one form, or why the form cannot be used."""

    form: BallotForm
    places: Places = ()
    repairs: tuple[str, ...] = ()
    is_sure: bool = True
    """Its writer numbered the places or put signs between them; otherwise the order of writing is taken for it."""
    flaw: str = ""
    """Why it cannot be used, though it is a ranking; the ballot is void then."""
    gap: str = ""
    """Why it cannot be used unless it places every label."""
    at: float = 0
    """The line with which it begins, counted from the header; a value between two lines has half a number."""

    @property
    def letters(self) -> list[str]:
        """All letters, best first."""
        return [letter for place in self.places for letter in place]


class Numbered(NamedTuple):
    """Letters with the number that their writer gave them."""

    number: float
    letters: tuple[str, ...]


def by_number(entries: Iterable[Numbered]) -> Places:
    """Return the letters by place: equal numbers are one place."""
    ordered = sorted(entries, key=lambda entry: entry.number)
    return tuple(
        tuple(letter for entry in group for letter in entry.letters)
        for _, group in groupby(ordered, key=lambda entry: entry.number)
    )


def in_order(letters: Iterable[str]) -> Places:
    """Return each letter at a separate place."""
    return tuple((letter,) for letter in letters)


def are_places(numbers: Sequence[float]) -> bool:
    """Return whether ``numbers`` can be all places of one ranking, ties counted in any of the three usual ways.

    They are 1, 2, 2, 4 (the next place is left out), 1, 2, 2, 3 (it is not) or 1, 2.5, 2.5, 4 (the mean of the places).
    """
    counts = sorted(Counter(numbers).items())
    above, usual = 0, True
    dense = [number for number, _ in counts] == list(range(1, len(counts) + 1))
    for number, times in counts:
        usual = usual and number in {above + 1, above + (times + 1) / 2}
        above += times
    return bool(counts) and (dense or usual)


def do_rise(scores: Sequence[float]) -> bool:
    """Return whether a later one of ``scores`` is higher than one before it."""
    return any(later > earlier for earlier, later in pairwise(scores))
