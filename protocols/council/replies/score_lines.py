"""Scores in lists and running text: by answer and criterion, in either order, or numbers alone behind a label."""

import re
from collections.abc import Sequence

from protocols import council
from protocols.council.replies.labels import HEAD, MENTION, labels_at, letter_of
from protocols.council.replies.score_values import SCORE, WEIGHT, Cells, CriterionOf, put, score_of, with_plain_digits
from protocols.council.wording import holds_score_word
from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns

_PATTERNS = compile_patterns(council.__name__, "replies_score_lines")
_LINK, _PAIR, _BETWEEN, _APART = (_PATTERNS[name] for name in ("link", "pair", "between", "apart"))
_BEFORE = lazy_pattern(f"{SCORE.pattern}{_PATTERNS['for_what'].pattern}", re.IGNORECASE)
_LOOKED_BACK = 60
_MOST_WORDS = 3
"""Of a heading."""


class LineReader:
    """The reader of the lines of one section; it keeps the label and the criterion that a heading names."""

    def __init__(self, criteria: Sequence[str], names: re.Pattern[str], criterion_of: CriterionOf) -> None:
        self._criteria, self._names, self._criterion_of = criteria, names, criterion_of
        self._cells: Cells = {}
        self._label = self._criterion = ""
        self._headings: list[str] = []
        """The criteria in the order in which they are first named; a blank one for headings in other words."""

    def read(self, lines: Sequence[str]) -> Cells:
        """Return the scores in ``lines``; of a row of a table only its headings count."""
        orders = (line for line in lines if _is_heading(line, len(self._criteria)))
        self._headings = [self._name(found) for line in orders for found in self._names.finditer(line)]
        for line in lines:
            self._headings += map(self._name, self._names.finditer(line))
            if "|" not in line:
                self._read_line(WEIGHT.sub("", with_plain_digits(line)))
        return self._cells

    def _read_line(self, line: str) -> None:
        head, named = labels_at(line, 0, HEAD), list(self._names.finditer(line))
        if head is not None and len(head.letters) == 1:
            self._read_answer(head.letters[0], line[head.end :])
            return
        if not named and _is_heading(line, len(self._criteria)):
            self._headings.append("")
        if named and not line[: named[0].start()].strip(" \t*_#`>•·–—-.0123456789)("):
            if self._read_criterion(named[0], line):
                return
            if not line[named[0].end() :].strip(" \t*_:：`()") and not self._label:
                self._criterion = self._name(named[0])
                return
        mention = MENTION.search(line)
        if mention is not None and (letter := letter_of(mention)) and (not named or mention.start() < named[0].start()):
            self._label = letter
        self._read_criteria(line, named)

    def _read_answer(self, letter: str, rest: str) -> None:
        """Read the text behind the label of an answer."""
        named = list(self._names.finditer(rest))
        if named:
            self._label, self._criterion = letter, ""
            self._read_criteria(rest, named)
            return
        scores = _only_scores(rest)
        if self._criterion and len(scores) == 1:
            self._put(letter, self._criterion, scores[0])
        elif len(scores) == len(self._criteria) and self._are_in_order():
            for name, score in zip(self._criteria, scores, strict=True):
                self._put(letter, name, score)
        else:
            self._label = letter
            self._criterion = "" if not scores else self._criterion

    def _are_in_order(self) -> bool:
        """Return whether nothing above says that bare scores are in another order than the one asked for."""
        ahead = list(dict.fromkeys(self._headings))
        return len(self._criteria) == 1 or ahead == [name for name in self._criteria if name in ahead]

    def _read_criteria(self, line: str, named: Sequence[re.Match[str]]) -> None:
        """Read each criterion with the score behind it, or before it, as that of the first one is."""
        if not self._label:
            return
        ahead = [_BEFORE.search(line[max(0, found.start() - _LOOKED_BACK) : found.start()]) for found in named]
        for found, before in zip(named, ahead, strict=True):
            link = _LINK.match(line, found.end())
            behind = SCORE.match(line, link.end() if link else found.end())
            score = before or behind if ahead[0] else behind or before
            if score is not None:
                self._put(self._label, self._name(found), score_of(score))

    def _read_criterion(self, named: re.Match[str], line: str) -> bool:
        """Read a line that begins with a criterion and has a score behind each label; whether it is one."""
        rest, is_one = line[named.end() :], False
        for found in (*MENTION.finditer(rest), *_PAIR.finditer(rest)):
            letter = letter_of(found) if "worded" in found.groupdict() else found["letter"]
            link = _LINK.match(rest, found.end())
            score = SCORE.match(rest, link.end() if link else found.end())
            if letter and score:
                is_one = True
                self._put(letter, self._name(named), score_of(score))
        if is_one:
            self._label = ""
        return is_one

    def _name(self, found: re.Match[str]) -> str:
        return self._criterion_of(found[0]) or ""

    def _put(self, letter: str, name: str, score: float | None) -> None:
        put(self._cells, (letter,), name, score)


def _is_heading(line: str, criteria: int) -> bool:
    """Return whether a line without scores can be a heading for so many ``criteria``, and perhaps for the answers."""
    parts = [part for part in _BETWEEN.split(line) if part.strip(" \t*_#`:.-–—")]
    if len(parts) == 1 and not line.rstrip().endswith((":", ".")) and not holds_score_word(line):
        parts = line.split()
    is_short = all(len(part.split()) <= _MOST_WORDS for part in parts)
    return is_short and len(parts) in {criteria, criteria + 1} and not re.search(r"\d", line)


def _only_scores(rest: str) -> list[float | None]:
    """Return the scores of a text that has nothing else; none for any other text."""
    said = rest.strip(" \t*_:：=`()–—-.")
    scores: list[float | None] = []
    at = 0
    while at < len(said):
        found = SCORE.match(said, at)
        if found is None:
            return []
        scores.append(score_of(found))
        apart = _APART.match(said, found.end())
        at = apart.end() if apart else found.end() + (found.end() < len(said))
        if apart is None and found.end() < len(said):
            return []
    return scores
