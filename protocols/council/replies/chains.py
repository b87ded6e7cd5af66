"""Rankings without numbers: signs between labels, enumerations, one label a line, labels in running text."""

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from protocols import council
from protocols.council.replies.labels import (
    HEAD,
    MENTION,
    NUMBER,
    PAIR,
    Found,
    Labelled,
    Places,
    do_rise,
    in_order,
    labels_at,
    letter_of,
    number_alone,
    score_in,
)
from protocols.council.wording import DOUBT, SHARED
from protocols.text_files import compile_patterns

_PATTERNS = compile_patterns(council.__name__, "replies_chains")
_SEPARATED = _PATTERNS["separated"]
_BETTER = _PATTERNS["better"]
_ALONE = _PATTERNS["alone"]
_FIRST_WORDS = _PATTERNS["first_words"]
_MOST_PIECES = 60


def chained(lines: Iterable[str]) -> list[Found]:
    """Return the orders that signs put labels in: ``C > A = D > B``."""
    signed = [(at, line) for at, line in enumerate(lines) if _BETTER.search(line) or "=" in line or "≈" in line]
    return [found._replace(at=at) for at, line in signed if (found := _chain(line))]


def is_rising(line: str) -> bool:
    """Return whether ``line`` is a chain written with "is worse than"."""
    pieces = _PATTERNS["worse"].split(line)
    return len(pieces) >= PAIR and all(_ALONE.fullmatch(_without_number(piece)) for piece in pieces)


def enumerated(lines: Iterable[str]) -> list[Found]:
    """Return the orders of labels that are separated by commas or ``then``."""
    uncounted = [(at, line) for at, line in enumerate(lines) if not _PATTERNS["counted"].match(line)]
    return [found._replace(at=at) for at, line in uncounted if (found := _enumeration(line))]


def listed(lines: Sequence[str], orders: Sequence[Sequence[str]]) -> list[Found]:
    """Return the order of labels at the heads of lines.

    A list with a remark on each label in one of ``orders``, that of the labels and that of the answers as shown, is no
    ranking: it is a judgement of each answer.
    """
    heads = [(at, labels_at(line, 0), line) for at, line in enumerate(lines)]
    clear = (
        (at, labels, line) for at, labels, line in heads if labels and not (labels.is_doubtful or labels.is_listed)
    )
    entries = [(at, labels, line[labels.end :]) for at, labels, line in clear]
    if not entries:
        return []
    if not _FIRST_WORDS.search(entries[0][2]):
        entries = list(takewhile(lambda entry: not _FIRST_WORDS.search(entry[2]), entries))
    letters = [labels.letters for _, labels, _ in entries]
    said = [bool(_FIRST_WORDS.search(rest)) for _, _, rest in entries]
    scores = [score for _, _, rest in entries if (score := _score(rest)) is not None]
    falls = len(scores) == len(entries) and not do_rise(scores)
    if scores and not falls:
        return [Found("listed", flaw="scores in place of places")]
    written = [letter for place in letters for letter in place]
    if written in [list(order) for order in orders] and len(entries) >= PAIR and any(said) and not falls:
        return [Found("listed", flaw="remarks in the order of the answers")]
    return [Found("listed", tuple(letters), ("list without numbers",), is_sure=False, at=entries[0][0])]


def mentioned(text: str, known: Sequence[str]) -> list[Found]:
    """Return the order in which running text names all labels, each once, in neutral words."""
    letters = [letter_of(found) or "" for found in MENTION.finditer(text)]
    if sorted(letters) != sorted(known) or len(letters) < PAIR or DOUBT.search(text) or SHARED.search(text):
        return []
    return [Found("mentions", in_order(letters), ("read from mentions",), is_sure=False)]


def _score(said: str) -> float | None:
    score = score_in(said)
    return number_alone(said) if score is None else score


def _chain(line: str) -> Found | None:
    if _PATTERNS["at_least"].search(line):
        return None
    pieces = [piece for piece in _BETTER.split(line)[:_MOST_PIECES] if piece.strip(" .*_|$\\")]
    read = [_piece(piece, is_first=number == 0) for number, piece in enumerate(pieces)]
    while read and read[-1] is None:
        read.pop()
    places = tuple(letters for letters in read if letters)
    if len(places) < len(read) or sum(map(len, places)) < PAIR:
        return None
    return Found("chain", places) if len(places) > 1 or SHARED.search(line) or _PATTERNS["equal"].search(line) else None


def _piece(piece: str, *, is_first: bool) -> tuple[str, ...] | None:
    """Return the labels of one place of a chain; the first one may follow other words."""
    said = _without_number(piece)
    labels = labels_at(said, 0)
    if is_first:
        return _first_piece(said, labels)
    if labels:
        return labels.letters
    mentions = {letter_of(found) for found in MENTION.finditer(said[:200])}
    only = mentions.pop() if len(mentions) == 1 else None
    return (only,) if only else None


def _first_piece(said: str, labels: Labelled | None) -> tuple[str, ...] | None:
    lead = _PATTERNS["lead"].match(said)
    if lead and (led := labels_at(said, lead.end())):
        return led.letters
    if labels and not re.search(r"\w{2}", _PATTERNS["bracketed"].sub("", said[labels.end :])):
        return labels.letters
    last = letter_of(_PATTERNS["ends_piece"].search(said[-20:]))
    return (last,) if last else None


def _without_number(piece: str) -> str:
    said = piece.lstrip(" \t.,;:|(")
    number = NUMBER.match(said)
    return said[number.end() :].lstrip(" .):") if number and HEAD.match(said, number.end()) else said


def _enumeration(line: str) -> Found | None:
    lead = _PATTERNS["lead"].match(line)
    for start in dict.fromkeys((0, lead.end() if lead else 0)):
        pieces = [piece for piece in _SEPARATED.split(line[start:])[:_MOST_PIECES] if piece and piece.strip()]
        bracketed = filter(None, map(_PATTERNS["bracketed"].search, pieces))
        if do_rise([score for found in bracketed if (score := _score(found[0])) is not None]):
            return Found("listed", flaw="scores in place of places")
        places = _places(pieces)
        if places and sum(map(len, places)) >= PAIR:
            return Found("listed", places, ("labels in the order written",), is_sure=False)
    return None


def _places(pieces: Sequence[str]) -> Places | None:
    """Return the places of an enumeration; its last ``and`` ends it, any other ties two labels."""
    places: list[tuple[str, ...]] = []
    separators = 0
    last_sign = ""
    for piece in pieces:
        if _SEPARATED.fullmatch(piece):
            last_sign, separators = piece.strip(), separators + 1
            continue
        letters = _pair(piece)
        if letters is None:
            is_rest = bool(places) and separators >= 1 and not HEAD.match(piece) and not re.search(r"\b[A-Z]\b", piece)
            return tuple(places) if is_rest else None
        ends = piece is pieces[-1] and last_sign in {",", "、", "，"}
        places += in_order(letters) if len(letters) > 1 and ends and not SHARED.search(piece) else [letters]
    return tuple(places) if separators else None


def _pair(piece: str) -> tuple[str, ...] | None:
    """Return the labels of a piece without other text: one, or several joined by ``and``."""
    parts = [part for part in _PATTERNS["and"].split(_PATTERNS["opening_and"].sub("", piece.strip())) if part.strip()]
    letters = [_lone(part, is_last=part is parts[-1]) for part in parts]
    return tuple(letter for letter in letters if letter) if all(letters) and letters else None


def _lone(part: str, *, is_last: bool) -> str | None:
    """Return the only label in ``part``; after the last one, a closing phrase is allowed."""
    alone = _ALONE.fullmatch(_without_number(part))
    if alone:
        return str(alone["bare"]).upper()
    labels = labels_at(part, 0) if is_last else None
    return labels.letters[0] if labels and _PATTERNS["order_words"].match(part, labels.end) else None
