"""The text in which an answer is looked for: the own words without quotations, and answers without decoration."""

import re
import unicodedata
from collections.abc import Iterator

from protocols.text_cleaning import storable

LONGEST_LINE = 400
"""Characters of a line in which an answer may be given."""

_READ_FROM_END = 200_000

_QUOTED_LINE = re.compile(r"^[^\S\n]*>.*$", re.MULTILINE)
_PEER_MARK = re.compile(r"<(?P<slash>/?)answer\b[^<>]{0,300}(?:>|\Z)", re.IGNORECASE)
_TEXT_MARK = re.compile(r"<(?P<slash>/?)text\b[^<>]{0,300}(?:>|\Z)", re.IGNORECASE)
"""Of a text that a grader is shown."""
_WRAPPED = re.compile(
    r"\\(?:boxed|fbox|text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|operatorname)\s?\{(?P<inside>[^{}]*)\}"
)
_INLINE_MATHS = re.compile(r"\\[()\[\]]")
QUOTATION = re.compile(r"\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|«[^»\n]{0,400}»|„[^“”\n]{0,400}[“”]")
"""The text between quotation marks within a line."""
_MARKS = (("“", "”"), ("«", "»"), ("„", "“"))
_DEEPEST = 4
"""LaTeX commands around an answer, one in the other."""
DECORATION = " \t\"'“”‘’«»„`*_$()[]{}<>\\"
"""Characters around an answer that do not belong to it."""


def own_words(text: str) -> str:
    """Return the end of ``text`` without quoted lines, answers of peers and texts to grade between their marks."""
    own = _QUOTED_LINE.sub("", storable(text[-_READ_FROM_END:]))
    return without_peers(_without_marked(own, _TEXT_MARK))


def without_peers(said: str) -> str:
    """Return ``said`` without the text between the marks of a peer's answer."""
    return _without_marked(said, _PEER_MARK)


def _without_marked(said: str, marks: re.Pattern[str]) -> str:
    pieces, kept_to, opened = [], 0, None
    for mark in marks.finditer(said):
        if mark["slash"] and opened is not None:
            pieces.append(said[kept_to:opened])
            kept_to, opened = mark.end(), None
        elif not mark["slash"] and opened is None and "nonce" in mark[0]:
            opened = mark.start()
    return "".join((*pieces, said[kept_to:]))


def normalised(text: str) -> str:
    """Return ``text`` as answers are compared: one form of each letter, no capitals, no punctuation at the ends."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return plain.strip(DECORATION + ".,;:!?。")


def unwrapped(line: str) -> str:
    r"""Return the beginning of ``line`` without the LaTeX around its words: ``$\boxed{\text{B}}$`` is ``$B$``."""
    shorter, line = _INLINE_MATHS.sub(" ", line[:LONGEST_LINE]), ""
    while shorter != line:
        line, shorter = shorter, _WRAPPED.sub(lambda found: found["inside"], shorter)
    return line


def bare(text: str) -> str:
    """Return ``text`` without decoration and full stops around it; decoration that belongs to it may go as well."""
    for _ in range(_DEEPEST):
        text = _WRAPPED.sub(lambda found: found["inside"], text)
    before = None
    while before != text:
        before, text = text, text.strip(DECORATION).rstrip(".。")
    return text


def is_quoted(text: str, start: int, end: int) -> bool:
    """Return whether the text from ``start`` to ``end`` is between quotation marks on its line."""
    before = text[max(0, start - LONGEST_LINE) : start].rpartition("\n")[2]
    after = text[end : end + LONGEST_LINE].partition("\n")[0]
    is_plain = before.count('"') % 2 == 1 and '"' in after
    return is_plain or any(before.rfind(first) > before.rfind(last) and last in after for first, last in _MARKS)


def lines(own: str) -> Iterator[str]:
    """Yield the non-empty lines up to the maximum length of an answer."""
    return (line for line in own.split("\n") if line.strip() and len(line) <= LONGEST_LINE)


def only(found: Iterator[str | None]) -> str | None:
    """Return what is found, when it is one thing however often; ``None`` when nothing is, or several things are."""
    said = {one for one in found if one is not None}
    return said.pop() if len(said) == 1 else None
