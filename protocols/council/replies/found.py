"""The result of one form of ranking: letters by place, and its reliability."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from protocols.council.model import BallotForm

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
