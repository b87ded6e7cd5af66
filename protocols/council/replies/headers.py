"""The reviewer's own words, and the beginnings of rankings in them: lines with a header's words, the code, or both.

A header with the code counts with the code anywhere: on its line, before or behind its words, in brackets or with
a blank in it, cut to six characters, or on the line below. Its words may be in any language, or missing. A header
without the code counts only where nothing that the reviewer was shown has its words.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from protocols import council
from protocols.council.replies.labels import ITEM_HEAD, MENTION, NUMBER
from protocols.council.wording import HEADERS, RANKING_WORDS, folded, squashed
from protocols.text_files import compile_patterns

READ_FROM_END = 200_000
"""Characters of a review that are read: a ranking is at the end, and a runaway reply must not be slow."""

_QUOTED_LINE = re.compile(r"^[^\S\n]*>.*$", re.MULTILINE)
_LATEX = compile_patterns(council.__name__, "replies_headers_latex")
_WITHOUT_SIGNS = str.maketrans({"*": None, "`": None, "“": None, "”": None, '"': None, "_": " ", "[": "(", "]": ")"})


def own_text(text: str, nonce: str | None) -> str:
    """Return the end of the reviewer's own words; without a code, lines quoted with ``>`` are taken for a peer's."""
    if nonce is not None:
        return folded(_unquoted(text[-READ_FROM_END:], nonce))
    return folded(_QUOTED_LINE.sub("", _unquoted(text, None)[-READ_FROM_END:]))


def undressed(region: str) -> str:
    """Return the text under a header without the signs of Markdown, HTML and LaTeX around words."""
    first = next((line for line in region.split("\n")[1:] if line.strip()), "")
    region = _PATTERNS["open_quotation"].split(region, maxsplit=1)[0]
    signs = _PATTERNS["quote_sign"] if _PATTERNS["quoted_heading"].match(first) else _QUOTED_LINE
    said = signs.sub("", region)
    said = _PATTERNS["cell"].sub(
        "|", _PATTERNS["break"].sub("\n", _PATTERNS["tag"].sub("", _PATTERNS["struck"].sub("", said)))
    )
    for sign, pattern in _LATEX.items():
        said = pattern.sub(sign, said)
    if "\\" in region:
        said = said.replace("$", " ").replace("{", " ").replace("}", " ").replace("\\", " ")
    return said.translate(_WITHOUT_SIGNS)


def _unquoted(text: str, nonce: str | None) -> str:
    """Return ``text`` without the answers that the reviewer quotes between the marks of its prompt.

    With a nonce only marks that carry it count, so that no peer can open a quotation that swallows the ranking; what
    follows an unclosed one is kept, for a header still needs the code. Without a nonce it may be a peer's, and is
    dropped. A bare ``<answer>`` is the reviewer's own way to wrap its text.
    """
    kept: list[str] = []
    start, inside = 0, False
    for mark in _PATTERNS["quote_mark"].finditer(text):
        closes = "/" in mark["slash"]
        if closes != inside or not (closes or "name=" in mark[0]) or (nonce is not None and nonce not in mark[0]):
            continue
        if not inside:
            kept.append(text[start : mark.start()])
        start, inside = mark.end(), not inside
    if not inside or nonce is not None:
        kept.append(text[start:])
    return "\n".join(kept)


_Head = tuple[str, bool, bool, int]  # the text after a header, its code, its repair, and its lines
_SHORTEST_CUT = 6
_LONGEST_LINE = 300
_LONGEST_LEAD = 100
_MOST_WORDS = 9

_WORDS = "|".join(
    r"[ \t_*-]{0,4}".join(re.escape(word) for word in words.split()) for words in sorted(HEADERS, key=len, reverse=True)
)
_HEADER = re.compile(rf"(?:{_WORDS})(?![A-Za-z])", re.IGNORECASE)
_PATTERNS = compile_patterns(council.__name__, "replies_headers")
_BEFORE = _PATTERNS["before"]
_BETWEEN = r"[\s_.*·-]"
_DRESSING = re.compile(f"{_BETWEEN}+")
_CODE_WORD = re.compile(r"\b(?:code|nonce|key|id)\b|代码|编号", re.IGNORECASE)


class Region(NamedTuple):
    """The text under one header."""

    text: str
    has_code: bool
    is_repaired: bool
    """The header is not the one that was asked for, or its code is not where it was asked for."""


@lru_cache(maxsize=256)
def _code(nonce: str) -> re.Pattern[str]:
    """Return the pattern of the code: with signs between its characters, or cut behind the sixth."""
    between = f"{_BETWEEN}{{0,2}}"
    letters = [re.escape(letter) for letter in nonce]
    head, tail = letters[:_SHORTEST_CUT], letters[_SHORTEST_CUT:]
    rest = ""
    for letter in reversed(tail):
        rest = f"(?>(?:{between}{letter}{rest})?)"
    return re.compile(rf"(?<![^\W_]){between.join(head)}{rest}(?![^\W_])", re.IGNORECASE)


def carries(text: str, nonce: str) -> bool:
    """Return whether the code occurs in ``text``."""
    return _find_code(text, nonce) is not None


def _find_code(text: str, nonce: str) -> re.Match[str] | None:
    """Return the first match of the code, by its pattern only where the code is dressed or cut.

    To make it takes longer than to read a reply. Without dressing, every match begins with the first six characters.
    """
    if not _PATTERNS["drawn"].fullmatch(nonce):
        return _code(nonce).search(text)
    bare, head = _DRESSING.sub("", text.lower()), nonce[:_SHORTEST_CUT]
    first = bare.find(head)
    if first < 0:
        return None
    whole = _PATTERNS["alone"].match(text, text.find(nonce)) if nonce in text else None
    is_only = bare.find(head, first + 1) < 0
    return whole if whole and whole[0] == nonce and is_only else _code(nonce).search(text)


def regions(own: str, nonce: str | None) -> Iterator[Region]:
    """Yield the text under each header in the reviewer's own text, the last header first."""
    lines = own.split("\n")
    end = len(lines)
    for number in reversed(range(end)):
        if head := _head(lines, number, nonce):
            rest, has_code, is_repaired, used = head
            yield Region("\n".join([rest, *lines[number + used : end]]), has_code, is_repaired)
            end = number


def _head(lines: Sequence[str], number: int, nonce: str | None) -> _Head | None:
    """Return the header on a line."""
    head = lines[number][:_LONGEST_LINE]
    words = _HEADER.search(head)
    before = head[: words.start()] if words else ""
    if words and _BEFORE.fullmatch(_code(nonce).sub("", before) if nonce and carries(before, nonce) else before):
        return _worded(lines, number, words, nonce)
    return _in_own_words(lines[number], nonce) if nonce else None


def _worded(lines: Sequence[str], number: int, words: re.Match[str], nonce: str | None) -> _Head | None:
    """Return a header in its known words; without a code it must be more than the opening of a sentence."""
    line = lines[number]
    is_asked = squashed(words[0]) == "finalranking"
    if nonce is not None:
        code = _find_code(line[:_LONGEST_LINE], nonce)
        if code:
            plain = is_asked and squashed(code[0]) == squashed(nonce) and code[0].lower() == nonce.lower()
            rest = line[max(code.end(), words.end()) :]
            return rest, True, not (plain and code.start() >= words.end()), 1
        below = next((n for n in range(number + 1, min(number + 3, len(lines))) if lines[n].strip()), None)
        code = _code(nonce).match(_CODE_WORD.sub("", lines[below]).lstrip(" \t:*#`([-")) if below else None
        if below and code:
            rest = line[words.end() :] if ":" in line[words.end() : words.end() + 4] else ""
            behind = _find_code(lines[below], nonce)
            return rest + (lines[below][behind.end() :] if behind else ""), True, True, below - number + 1
    rest = line[words.end() :]
    said = rest.strip(" \t*_#`")
    opens = not said or said[0] in "([-–—:：" or ":" in rest[:40]
    return (rest, False, not is_asked, 1) if opens else None


def _in_own_words(line: str, nonce: str) -> _Head | None:
    """Return a header in words of the reviewer's own, or none, that carries the code; a mark of a quotation is none."""
    code = _find_code(line[:_LONGEST_LINE], nonce)
    if code is None or "<" in line[:_LONGEST_LINE] or "nonce" in line[:_LONGEST_LINE].lower():
        return None
    before, rest = line[: code.start()], line[code.end() :]
    said = f"{before} {rest[:_LONGEST_LEAD]}".lower()
    is_long = len(before) > _LONGEST_LEAD or len(before.split()) > _MOST_WORDS
    if is_long or MENTION.search(before) or _PATTERNS["refuses"].search(before):
        return None
    bare = not re.search(r"[^\W_]", _CODE_WORD.sub("", before))
    behind = rest.strip(" \t*_#`)]}.:：-–—|")
    ranked = not behind or NUMBER.match(behind) or ITEM_HEAD.match(behind) or ":" in rest[:3]
    if any(word in said for word in RANKING_WORDS) and (ranked or any(w in behind.lower() for w in RANKING_WORDS)):
        return (rest, True, True, 1)
    return (rest, True, True, 1) if bare and not behind else None
