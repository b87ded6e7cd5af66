"""Repetitions of the prompt in a reply, which are not the model's own assessment.

A text that is judged may hold an object with scores, or sentences that ask for one, and a model that talks about it
repeats them: indented otherwise, in other quotation marks, with 1 for 1.0. So not the characters are compared but the
scores and the words. Scores that are shown together count as repeated unless they come with a reasoning that is the
model's own.

Only text between the prompt's marks can be planted; a text without marks is taken whole.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import permutations

from protocols.fire_circle.scores import NUMBER, PERCENT, WHOLE, amount_written, name_of_score, resolved

OWN = "You"
"""The name over the model's own words of an earlier round: saying them again is no echo."""

_OPENED = re.compile(r'<answer name="(?P<name>[^"\n]{0,200})" nonce="(?P<nonce>[^"\n]{1,40})">\n')
_SCORED = re.compile(
    r"(?<![^\W\d_])([^\W\d_]{1,24}+(?:[ _](?:score|value)s?)?)(?:\s?\([TIF]\))?[\\\"'“”`*_ ]{0,6}"
    r"(?:[:=：|]|\bis\b|\bof\b|(?<=[为是はが]))[\s\\\"'“”`*_]{0,8}(?:\{[^{}:]{0,40}:[\s\\\"']{0,8})?"
    rf"{NUMBER}(?:\s?(?:{PERCENT}|{WHOLE}))?",
    re.IGNORECASE,
)
_NO_WORD = re.compile(r"(?:\\[nrt]|[\W_])+")
_FEWEST = 3
"""Words that a reasoning must have to be one; of a language without blanks as many letters as make so many words."""

_Pair = tuple[str, float]


class Shown:
    """The text shown to a model, searched only on demand."""

    def __init__(self, text: str) -> None:
        """Take the text of the prompt, with its marks."""
        self._text = text

    def has_scores(self, scores: Mapping[str, float | None]) -> bool:
        """Return whether these two or three scores occur in it one after the other."""
        given = [(name, score) for name, score in scores.items() if score is not None]
        return any(order in self._together for order in permutations(given))

    def has_score(self, name: str, score: float | None) -> bool:
        """Return whether this one score occurs in it."""
        return (name, score) in self._together

    def has_words(self, said: str) -> bool:
        """Return whether ``said`` occurs in it literally, or is too short to be original."""
        words = _words(said)
        is_short = len(words.split()) < _FEWEST and (words.isascii() or len(words) < _FEWEST * 2)
        return is_short or f" {words} " in self._words

    @cached_property
    def _material(self) -> str:
        return "\n\n".join(_fenced(self._text)) or self._text

    @cached_property
    def _words(self) -> str:
        return f" {_words(self._material)} "

    @cached_property
    def _together(self) -> set[tuple[object, ...]]:
        """The scores, each alone, and those of two and three that follow each other; of three also the outer two."""
        first = _scored(self._material)
        second, third = first[1:], first[2:]
        pairs = {*zip(first, second, strict=False), *zip(first, third, strict=False)}
        return {*first, *pairs, *zip(first, second, third, strict=False)}


def _fenced(text: str) -> Iterator[str]:
    end = 0
    while opened := _OPENED.search(text, end):
        mark = f'\n</answer nonce="{opened["nonce"]}">'
        closed = text.find(mark, opened.end() - 1)
        if closed < 0:
            return
        if opened["name"] != OWN:
            yield text[opened.end() : closed]
        end = closed + len(mark)


def _scored(text: str) -> list[_Pair]:
    found = _SCORED.findall(text)
    known = {one: _pair(*one) for one in set(found)}
    return [pair for one in found if (pair := known[one])]


def _pair(key: str, number: str, percent: str, whole: str) -> _Pair | None:
    name = name_of_score(key)
    share = resolved({name: amount_written(number, percent, whole)}, "")[name] if name else None
    return None if name is None or share is None else (name, share)


def _words(text: str) -> str:
    return _NO_WORD.sub(" ", text.lower()).strip()
