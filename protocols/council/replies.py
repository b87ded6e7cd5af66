"""How a council's replies are read: a reading never raises, and takes time in proportion to the text.

Ballots (seed 002, "Extract Rankings"). Only what stands under the **last** ranking header is read, and only in the
reviewer's own text: answers of peers that it quotes are taken out first. When a nonce was asked for, a header counts
only if it carries the nonce, because no peer can have known it; a review without such a header is void, never guessed
at.

Under the header the first of these forms that yields labels is taken::

    numbered   "1. Response C", "2) **A**", "#3 Response B"; or labels one per line without numbers
    chain      "Response C > A > B" (also ≻ → » ->), or "C, A, B" on a line of its own
    mentions   "Response C", wherever it stands

A label may be written ``Response A``, ``response a``, ``Answer A`` or ``A``. In running text only ``Response A``
counts: "A" is an article there, and "Answer B" may be an option of the question. Numbers that are written decide the
order. A list that says it is worst first is void: turning it round would be a guess. Letters of other alphabets are no
labels, for the third letter of the Cyrillic one looks like a B.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import JsonValue

from protocols.anonymity import hide_names
from protocols.council.model import Ballot, Opinion

_READ_FROM_END = 200_000
"""Characters of a review that are read: a ranking stands at the end, and a runaway reply is no reason to be slow."""

_REACH = 20_000
"""Characters under a header that are read."""

_THINKING = re.compile(r"\s*<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_QUOTE_MARK = re.compile(r"<(?P<slash>[\s/]*)answer\b[^<>]{0,300}>", re.IGNORECASE)
_QUOTED_LINE = re.compile(r"^[^\S\n]*>.*$", re.MULTILINE)

_HEADER = re.compile(r"final[ \t_-]{0,4}ranking(?![A-Za-z])(?P<rest>[^\n]{0,300})", re.IGNORECASE)
_BEFORE_HEADER = re.compile(
    r"[\W\d_]*(?:(?:step|part|section) \d+[\W_]*|(?:here is|here['’]s|this is) )?(?:(?:my|the) )?[\W_]*", re.IGNORECASE
)
_WORST_FIRST = re.compile(r"(?:worst|lowest|weakest) (?:to|first)", re.IGNORECASE)
_UNFILLED = re.compile(r"^\W{0,4}\d{1,2}\W{1,3}response \?", re.IGNORECASE | re.MULTILINE)
_NEXT_NUMBER = re.compile(r"[ \t](?=\(?\d{1,2}[.):][ \t])")

_TAIL = r"(?=[\W_]{0,6}$|\s?[)\]:,;|*_\"”=]|\s{1,3}[-(|]|\s{0,3}[–—]|\.\s)"
_WORDED = r"(?:response|answer)[\W_]{1,6}(?P<worded>[a-z])(?![\w'’])"
_NUMBER = re.compile(
    r"[\W_]{0,20}(?:(?:rank|place|position|no)\b\W{0,3})?(?P<n>\d{1,2})(?:st|nd|rd|th)?(?!\w)(?=[\s.):\]*_#|–—-])",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"[\W_]{{1,12}}(?:{_WORDED}|(?P<bare>[a-z]){_TAIL}|(?P<capital>(?-i:[B-HJ-Z]))(?![\w'’]))", re.IGNORECASE
)
_ON_A_LINE = re.compile(rf"[\W_]{{0,20}}(?:{_WORDED}{_TAIL}|(?P<bare>[a-z]){_TAIL})", re.IGNORECASE)
_IN_CHAIN = re.compile(
    rf"[\W_]{{0,12}}(?:{_WORDED}|(?P<capital>(?-i:[A-Z]))(?![\w'’])|(?P<bare>[a-z]){_TAIL})", re.IGNORECASE
)
_ENDS_PIECE = re.compile(r"(?:^|[^\w'’])(?P<capital>[A-Z])\W{0,6}$")
_ALONE = re.compile(
    r"[\W_]{0,12}(?:(?:response|answer)[\W_]{1,6})?(?P<bare>[a-z])[\W_]{0,6}(?:\([^()]{0,80}\)\W{0,6})?", re.IGNORECASE
)
_MENTION = re.compile(
    r"\b(?:R(?:esponse|ESPONSE)|response(?![\s*_`\"'-]{1,4}I\b))[\s*_`\"'-]{1,4}(?P<worded>[A-Z])(?![\w'’])"
)
_BETTER_THAN = re.compile(r">{1,3}|≻|→|➔|⟶|›|»|-{1,2}>|=>|&gt;")
_WORSE_THAN = re.compile(r"<{1,3}|≺|←|&lt;")
_LISTED = re.compile(r"[,;]|\b(?:then|and)\b", re.IGNORECASE)

_TAG = re.compile(r"</?(?:b|i|em|strong|li|ol|ul|p|br|code) ?/?>", re.IGNORECASE)

_PAIR = 2
"""Fewer labels than this are no order."""


class _Found(NamedTuple):
    """Letters in the order found, best first, and what had to be mended to find them."""

    form: Literal["numbered", "chain", "mentions", "nothing"]
    letters: Sequence[str] = ()
    repairs: tuple[str, ...] = ()


def read_opinion(text: str, needs: Mapping[str, JsonValue]) -> Opinion:
    """The answer as peers may see it; ``needs["own_names"]`` are the names of the panel's own models.

    Thinking that stands before the answer is left out and names are hidden; nothing else of the text is changed. A
    reply that never got past its thinking is shown as an empty text.
    """
    storable = text.encode("utf-8", "replace").decode()
    shown, hidden = hide_names(_without_thinking(storable), _strings(needs.get("own_names")))
    return Opinion(shown=shown, names_hidden=hidden)


def read_ballot(text: str, needs: Mapping[str, JsonValue]) -> Ballot:
    """The ranking in a review; ``needs`` holds the ``labels`` shown and the ``nonce`` asked for, or ``None``."""
    known = {name[-1].upper(): name for name in _strings(needs.get("labels"))}
    asked = needs.get("nonce")
    nonce = asked if isinstance(asked, str) and asked else None
    own = _folded(_own(_without_thinking(text), nonce))
    headers = [found for found in _HEADER.finditer(own) if _starts_line(own, found.start())]
    region = _under_last(own, headers, nonce)
    if region is not None:
        return _ballot(_in_region(region), known)
    if nonce is not None:
        return _ballot(_Found("nothing", (), ("header without the code" if headers else "no header",)), known)
    return _ballot(_without_header(own), known)


def read_synthesis(_text: str, _needs: Mapping[str, JsonValue]) -> None:
    """Nothing: the chair's text is the verdict as it stands."""


def _strings(value: JsonValue) -> tuple[str, ...]:
    return tuple(v for v in value if isinstance(v, str) and v) if isinstance(value, list) else ()


def _without_thinking(text: str) -> str:
    """``text`` after the thinking that it opens with; thinking that never ends leaves nothing."""
    start = 0
    while opened := _THINKING.match(text, start):
        closed = _THOUGHT.search(text, opened.end())
        start = closed.end() if closed else len(text)
    return text[start:]


def _own(text: str, nonce: str | None) -> str:
    """The end of the reviewer's own text; lines quoted with ``>`` are a peer's too, unless a nonce says otherwise."""
    if nonce is not None:
        return _unquoted(text[-_READ_FROM_END:], nonce)
    return _QUOTED_LINE.sub("", _unquoted(text, None)[-_READ_FROM_END:])


def _unquoted(text: str, nonce: str | None) -> str:
    """``text`` without the answers that the reviewer quotes between the marks of its prompt.

    With a nonce only marks that carry it count, so that no peer can open a quotation that swallows the ranking; an
    unclosed one is kept, for the header still needs the nonce. Without a nonce, what follows an unclosed mark may be a
    peer's, and is dropped. A bare ``<answer>`` is the reviewer's own way to wrap what it says.
    """
    kept: list[str] = []
    start, inside = 0, False
    for mark in _QUOTE_MARK.finditer(text):
        closes = "/" in mark["slash"]
        if closes != inside or not (closes or "name=" in mark[0]) or (nonce is not None and nonce not in mark[0]):
            continue
        if not inside:
            kept.append(text[start : mark.start()])
        start, inside = mark.end(), not inside
    if not inside or nonce is not None:
        kept.append(text[start:])
    return "\n".join(kept)


def _folded(text: str) -> str:
    """``text`` for parsing only: compatibility forms made plain, what is invisible or combines gone, one line end.

    Done character by character, because normalising a text whole takes quadratic time over stacked combining marks.
    """
    table = {ord(c): _plain(c) for c in set(text) if not c.isascii()}
    return text.translate(table | {ord("\r"): "\n"})


def _plain(char: str) -> str:
    if unicodedata.category(char) in {"Cf", "Mn", "Me"}:
        return ""
    return "\n" if char in "\u2028\u2029\x85" else unicodedata.normalize("NFKC", char)


def _starts_line(text: str, at: int) -> bool:
    line = text.rfind("\n", max(0, at - 60), at)
    return _BEFORE_HEADER.fullmatch(text, line + 1 if line >= 0 else max(0, at - 60), at) is not None


def _under_last(text: str, headers: Sequence[re.Match[str]], nonce: str | None) -> str | None:
    """What stands under the last of ``headers`` that counts, up to the next that does not; ``None``: none counts."""
    end = len(text)
    for header in reversed(headers):
        ranked_from = _counts(header["rest"], nonce)
        if ranked_from is not None:
            start = header.start("rest") + ranked_from
            return text[start : min(end, start + _REACH)]
        if nonce is not None:
            end = header.start()
    return None


def _counts(rest: str, nonce: str | None) -> int | None:
    """Where the ranking may begin in what follows the header's words; ``None`` when they only open a sentence."""
    if nonce is not None:
        carried = re.match(rf"[\W_]*{re.escape(nonce)}(?![^\W_])", rest, re.IGNORECASE)
        return carried.end() if carried else None
    said = rest.strip(" \t*_#`")
    return 0 if not said or said[0] in "([-–—" or ":" in rest[:40] else None


def _in_region(region: str) -> _Found:
    """What stands under a header, read in the first form that yields labels."""
    first, _, below = _TAG.sub("", region).partition("\n")
    lines = [line for line in (*_NEXT_NUMBER.sub("\n", first).split("\n"), *below.split("\n")) if line.strip()]
    numbered, chain, listed = _numbered(lines), _chain(lines), _listed(lines)
    if _WORST_FIRST.search(first) or (not numbered.letters and any(map(_rises, lines))):
        return _Found("nothing", (), ("written worst first",))
    if not numbered.letters and _UNFILLED.search(region):
        return _Found("nothing", (), ("the form was not filled in",))
    if len(numbered.letters) < _PAIR and len(chain.letters) >= max(_PAIR, len(listed.letters)):
        return chain
    return next((found for found in (numbered, listed) if found.letters), _mentions(region))


def _without_header(own: str) -> _Found:
    """The seed's fallback, "pattern matching if format varies": a chain if there is one, else labels as mentioned."""
    chain = _chain(own[-_REACH:].split("\n"), commas=False)
    found = chain if len(chain.letters) >= _PAIR else _mentions(own)
    return found._replace(repairs=("no header", *found.repairs))


def _numbered(lines: Iterable[str]) -> _Found:
    """Labels with a number before them, in the order of the numbers; a list that begins anew is another list."""
    items: list[tuple[int, str]] = []
    for line in lines:
        number = _NUMBER.match(line)
        letter = _letter(_NUMBERED.match(line, number.end()) or _MENTION.search(line, number.end())) if number else None
        if number is None or letter is None:
            continue
        n = int(number["n"])
        if items and n < items[-1][0] and n in {seen for seen, _ in items}:
            break
        items.append((n, letter))
    in_order = sorted(items, key=lambda item: item[0])
    return _Found("numbered", [letter for _, letter in in_order], _mended([n for n, _ in items]))


def _mended(numbers: Sequence[int]) -> tuple[str, ...]:
    """What was odd about the numbers of a list; a list that is all "1." is Markdown's way to count, not a tie."""
    found = {
        "numbers out of order": list(numbers) != sorted(numbers),
        "shared places read in the order written": 1 < len(set(numbers)) < len(numbers),
    }
    return tuple(repair for repair, is_so in found.items() if is_so)


def _listed(lines: Iterable[str]) -> _Found:
    letters = [letter for letter in (_letter(_ON_A_LINE.match(line)) for line in lines) if letter]
    return _Found("numbered", letters, ("list without numbers",))


def _chain(lines: Iterable[str], *, commas: bool = True) -> _Found:
    """The line that puts most labels in order; of equal ones the last."""
    best: Sequence[str] = ()
    for line in lines:
        pieces = [p for p in _BETTER_THAN.split(line) if p.strip()]
        letters: Sequence[str | None] = [_piece(p) for p in pieces] if len(pieces) >= _PAIR else ()
        if not letters and commas:
            listed = [p for p in _LISTED.split(line) if p.strip()]
            letters = [_piece(p) for p in listed] if len(listed) >= _PAIR and all(map(_alone, listed[:-1])) else ()
        ordered = [letter for letter in letters if letter]
        best = ordered if len(ordered) >= len(best) else best
    return _Found("chain", best)


def _piece(piece: str) -> str | None:
    start = number.end() if (number := _NUMBER.match(piece)) else 0
    return _letter(_IN_CHAIN.match(piece, start) or _MENTION.search(piece) or _ENDS_PIECE.search(piece[-20:]))


def _alone(piece: str) -> str | None:
    start = number.end() if (number := _NUMBER.match(piece)) else 0
    return _letter(_ALONE.fullmatch(piece, start))


def _rises(line: str) -> bool:
    """Whether ``line`` is a chain written with "is worse than"."""
    pieces = _WORSE_THAN.split(line)
    return len(pieces) >= _PAIR and all(_alone(p) for p in pieces)


def _mentions(text: str) -> _Found:
    return _Found("mentions", list(dict.fromkeys(_MENTION.findall(text))), ("read from mentions",))


def _letter(found: re.Match[str] | None) -> str | None:
    named = found.groupdict() if found else {}
    return next((letter.upper() for letter in named.values() if letter), None)


def _ballot(found: _Found, known: Mapping[str, str]) -> Ballot:
    """The letters as a ranking of known labels: unknown ones leave no hole, of duplicates the first counts."""
    ranking = tuple(dict.fromkeys(known[letter] for letter in found.letters if letter in known))
    unknown = dict.fromkeys(f"unknown Response {letter}" for letter in found.letters if letter not in known)
    twice = [known[letter] for letter in known if list(found.letters).count(letter) > 1]
    repairs = (*found.repairs, *unknown, *(f"duplicate {name}" for name in twice))
    if not ranking:
        return Ballot(standing="void", repairs=repairs if found.form == "nothing" else (*repairs, "no known label"))
    missing = tuple(f"missing {name}" for name in known.values() if name not in ranking)
    standing: Literal["partial", "complete"] = "partial" if missing else "complete"
    return Ballot(ranking=ranking, standing=standing, found_as=found.form, repairs=(*repairs, *missing))
