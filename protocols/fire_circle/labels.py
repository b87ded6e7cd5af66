"""Scores after their names in a text, as lines, sentences and tables, and their repetitions from the prompt.

Models compute in the reply: "Local assessment: T=0.1, I=0.2, F=0.9" is a step, and "B gives F=0.9" is another's. So
lines count that begin with a score's name, and a sentence only if only the writer's own words for a result
lead up to it ("My final scores are"). Text of the prompt is left out like quotations.

A text that is judged may hold an object with scores, or sentences that ask for one, and a model that talks about it
repeats them: indented otherwise, in other quotation marks, with 1 for 1.0. So not the characters are compared but the
scores and the words. Scores that are shown together count as repeated unless they come with a reasoning that is the
model's own. Only text between the prompt's marks can be planted; a text without marks is taken whole.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, permutations
from typing import NamedTuple

from protocols.fire_circle.scores import (
    AMOUNT,
    SCORES,
    Amount,
    amount_in,
    amount_of,
    amount_written,
    name_of_score,
    resolved,
)
from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns, read_toml

_FEWEST = 2
"""Scores that belong together before they are an assessment."""

_PATTERNS = compile_patterns(__package__, "labels")
_LABELLED = lazy_pattern(
    r"(?<![^\W\d_])(?<![\d.])(?P<name>(?:عدم )?[^\W\d_]{1,24}+)(?!['’])"
    rf"(?:[*_]{{0,3}}\s?[(（](?:\w{{1,16}}[)）]|{_PATTERNS['beside'].pattern}))?"
    r"(?:[ _](?:scores?|values?|level|wert)\b)?"
    r"[ *_\"'“”`]{0,6}(?:[:=：|≈]|(?<=\s)[—–-](?=\s)"
    r"|[(（](?=\d?[.,%\d])|(?<=\s)(?:is|of|at|von|ist|de|est|es|di|è)\s|(?<=[为是はがは]))"
    r"[ *_\"'“”`~≈\\]{0,6}"
    rf"(?:{AMOUNT}(?!{_PATTERNS['overruled'].pattern})|(?P<void>(?:between |from )?[-+−–.<>]?\s?\d))",
    re.IGNORECASE,
)
"""A label and its number; ``void`` where what follows is no plain number: a range, a change, another fraction."""

_AT_ONCE = _PATTERNS["at_once"]
_ECHOED = lazy_pattern(r"^(?:[^\S\n]*>|[^\n]*\(round \d)[^\n]*$", re.MULTILINE)
"""A quotation, or a peer's numbers as the prompt shows them."""

_CUT_NUMBER = lazy_pattern(r"(?<![\d.,/])\d+[.,]?\Z")
_CUT_IN_OBJECT = lazy_pattern(r"[\d.,]+\Z")
"""A whole number at the very end may be the beginning of another; in an object that is still open, any number may."""

_MOST_LABELS = 1_000
"""With more of them a text is no assessment."""

_MOST_TABLES = 20
_MOST_ROWS = 20
_LONGEST_HEAD = 60

_USED = lazy_pattern(r"[\d|]")
_DIGIT = lazy_pattern(r"\d")
_WORD = lazy_pattern(r"[^\W\d_]+")
_OWN = frozenset(read_toml(__package__, "keywords.toml")["words"]["of_results"].split())
"""Text allowed before the first label of a line whose scores are the writer's result."""


class _Line(NamedTuple):
    """A line, and its labelled scores: the start of the label, its name, its number."""

    text: str
    labels: list[tuple[int, str, Amount | None]]


_Group = dict[str, Amount | None]
"""Adjacent scores, each once."""

OWN = "You"
"""The name over the model's own words of an earlier round: saying them again is no echo."""

_OPENED = lazy_pattern(r'<answer name="(?P<name>[^"\n]{0,200})" nonce="(?P<nonce>[^"\n]{1,40})">\n')
_SCORED = lazy_pattern(
    r"(?<![^\W\d_])([^\W\d_]{1,24}+(?:[ _](?:score|value)s?)?)(?:\s?\([TIF]\))?[\\\"'“”`*_ ]{0,6}"
    r"(?:[:=：|→]|\b(?:is|of|to|be|at|as|equals?|auf|à|a|на)\b|(?<=\s)(?=[.\d])|(?<=[为是はが]))[\s\\\"'“”`*_]{0,8}(?:\{[^{}:]{0,40}:[\s\\\"']{0,8})?"
    rf"{AMOUNT}",
    re.IGNORECASE,
)
_NO_WORD = lazy_pattern(r"(?:\\[nrt]|[\W_])+")
_FEWEST_WORDS = 3
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
        is_short = len(words.split()) < _FEWEST_WORDS and (words.isascii() or len(words) < _FEWEST_WORDS * 2)
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


def labelled(text: str, shown: Shown, *, only_lines: bool = False) -> Mapping[str, float | None]:
    """Return the scores that a text gives as its own, ``None`` for a contradictory or unusable one.

    With ``only_lines`` no sentence counts, only lines that begin with a score's name.
    """
    cut = _CUT_IN_OBJECT if text.count("{") > text.count("}") else _CUT_NUMBER
    kept = filter(_USED.search, _ECHOED.sub("", cut.sub("", text)).split("\n"))
    lines: list[_Line] = []
    left = _MOST_LABELS
    for line in kept:
        lines.append(_Line(line, list(islice(_labels(line), left))))
        left -= len(lines[-1].labels)
        if not left:
            return {}
    stated = _kept([*_stated(lines), *_tables(lines)], text, shown)
    if not only_lines and ("falsehood" not in stated or len(stated) < _FEWEST):
        stated = _kept(_mentioned(lines), text, shown)
    return {name: next(iter(found)) if len(found) == 1 else None for name, found in stated.items()}


def _kept(groups: Iterable[_Group], said: str, shown: Shown) -> dict[str, set[float | None]]:
    """Return all values of a score, without groups repeated from the prompt."""
    kept: dict[str, set[float | None]] = {}
    for group in groups:
        scores = resolved(group, said)
        alone = next(iter(scores.items()))
        is_echo = shown.has_scores(scores) if len(scores) > 1 else shown.has_score(*alone)
        for name, score in () if is_echo else scores.items():
            kept.setdefault(name, set()).add(score)
    return kept


def _stated(lines: Iterable[_Line]) -> Iterator[_Group]:
    """Return the scores at the beginnings of lines; a block ends when a score recurs."""
    starts = (one for one in lines if one.labels and not any(map(str.isalpha, one.text[: one.labels[0][0]])))
    return _grouped(label for one in starts for label in one.labels)


def _mentioned(lines: Iterable[_Line]) -> Iterator[_Group]:
    """Return the scores in sentences given as a result; those on two lines belong together."""
    own = [one for one in lines if one.labels and _is_own(one.text[: one.labels[0][0]])]
    at_once = [found for one in lines if (found := _AT_ONCE.search(one.text)) and _is_own(one.text[: found.start()])]
    for found in at_once:
        yield {name: Amount(float(number)) for name, number in zip(SCORES, found.groups(), strict=True)}
    if not at_once:
        yield from _grouped(label for one in own for label in one.labels)


def _grouped(labels: Iterable[tuple[int, str, Amount | None]]) -> Iterator[_Group]:
    group: _Group = {}
    for _, name, amount in labels:
        if name in group:
            yield group
            group = {}
        group[name] = amount
    if group:
        yield group


def _is_own(before: str) -> bool:
    return not _PATTERNS["of_evaluator"].match(before) and all(map(_OWN.__contains__, _WORD.findall(before.lower())))


def _labels(line: str) -> Iterator[tuple[int, str, Amount | None]]:
    for found in _LABELLED.finditer(line) if _DIGIT.search(line) else ():
        label = found["name"]
        name = name_of_score(label.rstrip("为是はが") or label)
        if name and (len(label) > 1 or label in "TIF" or not label.isascii()):
            yield found.start(), name, None if found["void"] else amount_in(found)


def _tables(lines: Sequence[_Line]) -> Iterator[_Group]:
    """Return the scores below their names, in a table with a head."""
    rows = [_cells(one.text) if one.text.count("|") > 1 else [] for one in lines]
    heads = (number for number, row in enumerate(rows) if len(_names(row)) >= _FEWEST)
    for head in islice(heads, _MOST_TABLES):
        names = [name_of_score(cell) for cell in rows[head]]
        for row in rows[head + 1 : head + _MOST_ROWS]:
            if len(row) != len(names):
                break
            if any(map(_DIGIT.search, row)):
                cells = zip(names, row, strict=True)
                yield {name: amount_of(cell.strip("*` ")) for name, cell in cells if name}


def _names(row: Sequence[str]) -> set[str]:
    return {name for cell in row if len(cell) < _LONGEST_HEAD and (name := name_of_score(cell))}


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|", _MOST_ROWS)]


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
