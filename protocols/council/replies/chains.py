"""Rankings without numbers: signs between labels, enumerations, one label a line, labels in running text."""

import re
from collections.abc import Iterable, Sequence

from protocols.council.replies.found import PAIR, Found, Places, in_order
from protocols.council.replies.labels import HEAD, MENTION, NUMBER, Labelled, labels_at, letter_of, number_alone, score_in
from protocols.council.wording import DOUBT, SHARED

_BETTER = re.compile(r"(?<![<=-])>{1,3}(?!=)|[≻→➔⟶›»]|-{1,2}>|=>|&gt;")
_WORSE = re.compile(r"<{1,3}|[≺←]|&lt;")
_AT_LEAST = re.compile(r"≥|>=|⩾")
_SEPARATED = re.compile(
    r"(?P<next>[,;]?\s{0,2}\b(?:then|followed by|next|dann|danach|gefolgt von|puis|luego|depois|poi)\b|[;；、]|,\s?)", re.IGNORECASE
)
_AND = re.compile(r"\s{1,2}(?:and|und|et|y|e|и)\s{1,2}", re.IGNORECASE)
_LEAD = re.compile(r"[^\n]{0,120}?(?::|\b(?:is|are|ist|est|es))[ \t]{1,3}", re.IGNORECASE)
_ENDS_PIECE = re.compile(r"(?:^|[^\w'’])(?P<bare>[A-Z])\W{0,6}$")
_ALONE = re.compile(
    r"[\W_]{0,12}(?:(?:response|answer|antwort|r[eé]ponse|respuesta|resposta|risposta|回答|응답)[\W_]{0,6})?(?P<bare>[a-z])"
    r"[\W_]{0,6}(?:\([^()]{0,80}\)\W{0,6})?",
    re.IGNORECASE,
)
_FIRST_WORDS = re.compile(r"[\w'’]+")
_COUNTED = re.compile(r"[\W_]{0,8}\d{1,2}[.):]")
_MOST_PIECES = 60


def chained(lines: Iterable[str]) -> list[Found]:
    """Return the orders that signs put labels in: ``C > A = D > B``."""
    found = [_chain(line) for line in lines if _BETTER.search(line) or "=" in line or "≈" in line]
    return [one for one in found if one]


def is_rising(line: str) -> bool:
    """Return whether ``line`` is a chain written with "is worse than"."""
    pieces = _WORSE.split(line)
    return len(pieces) >= PAIR and all(_ALONE.fullmatch(_without_number(piece)) for piece in pieces)


def enumerated(lines: Iterable[str]) -> list[Found]:
    """Return the orders of labels that commas or ``then`` stand between."""
    return [found for line in lines if not _COUNTED.match(line) and (found := _enumeration(line))]


def listed(lines: Sequence[str], orders: Sequence[Sequence[str]]) -> list[Found]:
    """Return the order of labels that stand one on a line, each at its line's head.

    A list that says something of each in one of ``orders``, that of the labels and that of the answers as shown, is no
    ranking: answers are judged in that way.
    """
    entries = [(labels, line) for line in lines if (labels := labels_at(line, 0)) and not _is_unclear(labels)]
    if not entries:
        return []
    letters = [labels.letters for labels, _ in entries]
    said = [bool(_FIRST_WORDS.search(line[labels.end :])) for labels, line in entries]
    scores = [score for labels, line in entries if (score := _score(line[labels.end :])) is not None]
    falls = len(scores) == len(entries) and all(a >= b for a, b in zip(scores, scores[1:], strict=False))
    if scores and not falls:
        return [Found("listed", flaw="scores in place of places")]
    written = [letter for place in letters for letter in place]
    if written in [list(order) for order in orders] and len(entries) >= PAIR and any(said) and not falls:
        return [Found("listed", flaw="remarks in the order of the answers")]
    return [Found("listed", tuple(letters), ("list without numbers",), is_sure=False)]


def mentioned(text: str, known: Sequence[str]) -> list[Found]:
    """Return the order in which running text names all labels, each once, in words that leave it as it is."""
    letters = [letter_of(found) or "" for found in MENTION.finditer(text)]
    if sorted(letters) != sorted(known) or len(letters) < PAIR or DOUBT.search(text):
        return []
    return [Found("mentions", in_order(letters), ("read from mentions",), is_sure=False)]


def _score(said: str) -> float | None:
    score = score_in(said)
    return number_alone(said) if score is None else score


def _is_unclear(labels: Labelled) -> bool:
    return labels.is_doubtful or labels.is_listed


def _chain(line: str) -> Found | None:
    if _AT_LEAST.search(line):
        return None
    pieces = [piece for piece in _BETTER.split(line)[:_MOST_PIECES] if piece.strip(" .*_|$\\")]
    read = [_piece(piece, is_first=number == 0) for number, piece in enumerate(pieces)]
    while read and read[-1] is None:
        read.pop()
    places = tuple(letters for letters in read if letters)
    if len(places) < len(read) or sum(map(len, places)) < PAIR:
        return None
    return Found("chain", places) if len(places) > 1 or SHARED.search(line) or "=" in line or "≈" in line else None


def _piece(piece: str, *, is_first: bool) -> tuple[str, ...] | None:
    """Return the labels of one place of a chain; before the first one words may stand."""
    said = _without_number(piece)
    labels = labels_at(said, 0)
    if is_first:
        lead = _LEAD.match(said)
        led = labels_at(said, lead.end()) if lead else None
        labels = led or (labels if labels and not re.search(r"\w{2}", re.sub(r"\([^()]*\)", "", said[labels.end :])) else None)
        last = letter_of(_ENDS_PIECE.search(said[-20:])) if labels is None else None
        return (last,) if last else labels.letters if labels else None
    if labels:
        return labels.letters
    mentions = {letter_of(found) for found in MENTION.finditer(said[:200])}
    only = mentions.pop() if len(mentions) == 1 else None
    return (only,) if only else None


def _without_number(piece: str) -> str:
    said = piece.lstrip(" \t.,;:|(")
    number = NUMBER.match(said)
    return said[number.end() :].lstrip(" .):") if number and HEAD.match(said, number.end()) else said


def _enumeration(line: str) -> Found | None:
    lead = _LEAD.match(line)
    for start in dict.fromkeys((0, lead.end() if lead else 0)):
        pieces = [piece for piece in _SEPARATED.split(line[start:])[:_MOST_PIECES] if piece and piece.strip()]
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
    parts = [re.sub(r"^(?:and|und|et|y|e|и)\s{1,2}", "", part.strip(), flags=re.IGNORECASE) for part in _AND.split(piece)]
    if parts and not parts[0]:
        parts = parts[1:]
    letters = []
    for number, part in enumerate(parts):
        alone = _ALONE.fullmatch(_without_number(part))
        if alone is None and number == len(parts) - 1:
            labels = labels_at(part, 0)
            tail = part[labels.end :] if labels else ""
            alone_letter = labels.letters[0] if labels and re.match(r"\s{1,2}(?:in that order|tied|tie|in this order)?\W{0,4}$", tail) else None
            if alone_letter is None:
                return None
            letters.append(alone_letter)
            continue
        if alone is None:
            return None
        letters.append(alone["bare"].upper())
    return tuple(letters) or None
