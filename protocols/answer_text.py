"""The text in which an answer is looked for, and its statements: "The correct answer is …", "Actually, …".

It is the writer's own words without quotations. A statement is certain when it is the writer's own: not inside
quotation marks, not denied, not supposed, not another's. The kind of the answer decides how it is read. The last
certain statement counts, unless text behind it contradicts it.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from protocols.lazy_patterns import lazy_pattern
from protocols.text_cleaning import storable
from protocols.text_files import compile_patterns, expand_patterns, read_toml

LONGEST_LINE = 400
"""Characters of a line in which an answer may be given."""

_READ_FROM_END = 200_000

_PATTERNS = compile_patterns(__package__, "answer_text")
_TEXT_MARK = _PATTERNS["text_mark"]
"""Of a text that a grader is shown."""
QUOTATION = _PATTERNS["quotation"]
"""The text between quotation marks within a line."""
_MARKS = (("“", "”"), ("«", "»"), ("„", "“"))
_DEEPEST = 8
"""Marks around an answer, one in the other."""
DECORATION = " \t\"'“”‘’«»„「」『』【】`*_$()[]{}<>\\"
"""Characters around an answer that do not belong to it."""
UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\U0010ffff"
"""Of a class of characters: letters that no space need separate from the next word."""
_ONE_SIGN = str.maketrans("−–‑’⁄", "---'/")
GROUPS = _PATTERNS["groups"]


def own_words(text: str) -> str:
    """Return the end of ``text`` without quoted lines, answers of peers and texts to grade between their marks."""
    own = _PATTERNS["quoted_line"].sub("", _PATTERNS["invisible"].sub("", storable(text[-_READ_FROM_END:])))
    return _PATTERNS["left_over"].sub("", without_peers(_without_marked(own, _TEXT_MARK)))


def without_peers(said: str) -> str:
    """Return ``said`` without the text between the marks of a peer's answer."""
    return _without_marked(said, _PATTERNS["peer_mark"])


def _without_marked(said: str, marks: re.Pattern[str]) -> str:
    pieces, kept_to, opened = [], 0, None
    for mark in marks.finditer(said):
        if mark["slash"] and opened is not None:
            pieces.append(said[kept_to:opened])
            kept_to, opened = mark.end(), None
        elif not mark["slash"] and opened is None and "nonce" in mark[0]:
            opened = mark.start()
    return "".join((*pieces, said[kept_to:]))


def shorn(text: str) -> str:
    """Return ``text`` as choices are compared: one form of each letter, no capitals, no marks at the ends."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(DECORATION + ".,;:!?。")


def normalised(text: str) -> str:
    """Return ``text`` as texts are compared: shorn of the marks around it, and not of those of a part of it."""
    apart = _PATTERNS["raised"].sub(r"^\g<0>", _PATTERNS["before_unit"].sub("", text))
    apart = _PATTERNS["part_behind"].sub(" ", apart)
    plain = " ".join(unicodedata.normalize("NFKC", apart).casefold().split()).translate(_ONE_SIGN)
    return bare(plain, ",;:?" if _PATTERNS["factorial"].search(plain) else ",;:!?")


def unwrapped(line: str) -> str:
    r"""Return the beginning of ``line`` without the LaTeX around its words: ``$\boxed{\text{B}}$`` is ``$B$``."""
    shorter, line = _PATTERNS["inline_maths"].sub(" ", line[:LONGEST_LINE]), ""
    while shorter != line:
        line, shorter = shorter, _WRAPPED.sub(lambda found: found["inside"], shorter)
    return line


def bare(text: str, stops: str = "") -> str:
    """Return ``text`` without decoration, full stops and ``stops`` around it; what belongs to it stays: ``f(x)``."""
    for _ in range(_DEEPEST):
        found = _WRAPPED.sub(lambda found: found["inside"], text.strip().lstrip(stops).rstrip(stops + ".。 "))
        for around in _AROUND:
            found = around.sub(lambda found: found[found.lastindex or 0], found.strip())
        if found == text:
            break
        text = found
    return text


def is_quoted(text: str, start: int, end: int) -> bool:
    """Return whether the text from ``start`` to ``end`` is between quotation marks on its line."""
    before = text[max(0, start - LONGEST_LINE) : start].rpartition("\n")[2]
    after = text[end : end + LONGEST_LINE].partition("\n")[0]
    is_plain = before.count('"') % 2 == 1 and '"' in after
    return is_plain or any(before.rfind(first) > before.rfind(last) and last in after for first, last in _MARKS)


def lines(own: str) -> Iterator[str]:
    """Yield the non-empty lines up to the maximum length of an answer, without a check mark or its like at an end."""
    return (unmarked(line) for line in own.split("\n") if line.strip() and len(line) <= LONGEST_LINE)


def unmarked(line: str) -> str:
    """Return ``line`` without a mark at an end that only repeats it: a check mark, or a cross beside "false"."""
    return _MARKED.sub(r"\g<said>", line)


def only(found: Iterator[str | None]) -> str | None:
    """Return what is found, when it is one thing however often; ``None`` when nothing is, or several things are."""
    said = {one for one in found if one is not None}
    return said.pop() if len(said) == 1 else None


_LOOKED_BACK = 160
"""Characters in which a sentence is looked for that makes a statement another's."""
READ = 40_000
"""Characters from the end in which an answer is stated."""
_MOST = 300
"""Statements; of more, the last ones count."""
WORDS = expand_patterns(
    read_toml(__package__, "answer_words.toml"), expand_patterns(read_toml(__package__, "patterns.toml")["text_files"])
)
DENIALS, FUNCTION_WORDS = (frozenset(WORDS[name].split("|")) for name in ("denials", "function_words"))
_WRAPPED = _PATTERNS["wrapped"]
_MARKED_AROUND = ("emphasis", "literal", "maths", "quoted", "bracketed", "strayed", "angled", "checked")
_AROUND = tuple(_PATTERNS[name] for name in _MARKED_AROUND)
_ANCHOR, _REPORTED, _RETRACTED, _DENIED, _SENTENCE = (
    lazy_pattern(WORDS[name], re.IGNORECASE) for name in ("anchor", "reported", "retracted", "denied", "sentence")
)
_SUPPOSED, _ITEM, _BESIDE, _ASIDE, _CROSSED, _MARKED = (
    lazy_pattern(WORDS[name], re.IGNORECASE) for name in ("supposed", "item", "beside", "aside", "crossed", "marked")
)
_REPLACED = lazy_pattern(WORDS["replaced"], re.IGNORECASE)
DENIED_FORM = lazy_pattern(WORDS["denied_form"])


class Statement(NamedTuple):
    """A place at which an answer is stated."""

    start: int
    rest: str
    """The rest of the line, or when it is blank, of the next one that is not."""
    is_certain: bool
    is_below: bool
    """``rest`` is the next line."""
    is_closing: bool
    """It is only a word such as "therefore", which states nothing unless an answer alone follows."""


class Claim(NamedTuple):
    """The claim at one place."""

    start: int
    answer: str | None
    """``None``: more than one, so that it is not known which."""
    is_certain: bool
    is_denial: bool = False
    """The text rejects this answer."""


def statements(text: str) -> Iterator[Statement]:
    """Yield the places in the end of ``text`` at which an answer may be stated, in their order."""
    for found in deque(_ANCHOR.finditer(text, max(0, len(text) - READ)), maxlen=_MOST):
        rest, is_below = rest_of(text, found.end())
        yield Statement(
            start=found.start(),
            rest=rest,
            is_below=is_below,
            is_certain=is_own(text, found.start(), found.end()),
            is_closing=found["closing"] is not None,
        )


def rest_of(text: str, start: int) -> tuple[str, bool]:
    """Return the text after ``start`` on its line and False, or after marks alone, the next line and True."""
    line, _, following = text[start : start + 2 * LONGEST_LINE].partition("\n")
    if line.strip(" \t*_:：$\\[]("):
        return line[:LONGEST_LINE], False
    return following.lstrip(" \t\n*_$\\[").partition("\n")[0][:LONGEST_LINE], True


def is_own(text: str, start: int, end: int) -> bool:
    """Return whether the writer states the text from ``start`` to ``end`` as true."""
    if is_quoted(text, start, end):
        return False
    before = text[max(0, start - _LOOKED_BACK) : start]
    sentence = before[max((found.end() for found in _SENTENCE.finditer(before)), default=0) :]
    clause = sentence.rpartition(",")[2]
    return not (_REPORTED.search(sentence) or _DENIED.search(clause))


def is_reported(sentence: str) -> bool:
    """Return whether a sentence reports, supposes or denies its content."""
    return bool(_REPORTED.search(sentence) or _DENIED.search(sentence))


def is_supposed(rest: str) -> bool:
    """Return whether the statement before ``rest`` is conditional."""
    return _SUPPOSED.match(rest) is not None


def settled(claims: Iterable[Claim], text: str = "") -> str | None:
    """Return the answer of the last certain claim, unless ``text`` contradicts it or takes it back behind it."""
    answer: str | None = None
    ordered = sorted(claims, key=lambda claim: claim.start)
    own = [claim for claim in ordered if not _is_aside(claim, text)]
    ordered = own if any(claim.is_certain and not claim.is_denial for claim in own) else ordered
    for before, claim in zip([None, *ordered], ordered, strict=False):
        beside = before and _BESIDE.match(text, before.start)
        if claim.is_denial:
            answer = None if claim.answer == answer else answer
        elif claim.is_certain or claim.answer != answer:
            is_other = beside and beside.end() == claim.start and answer not in {None, claim.answer}
            answer = claim.answer if claim.is_certain and not is_other else None
    return None if is_retracted(text, ordered, answer) else answer


def _is_aside(claim: Claim, text: str) -> bool:
    """Return whether ``claim`` is of an answer that is not the writer's, as in "The wrong answer is D"."""
    before = text[max(0, claim.start - _LOOKED_BACK) : claim.start]
    return _ASIDE.search(f"{before}\0{text[claim.start : claim.start + _LOOKED_BACK]}") is not None


def answer_under(
    under: str, read: Callable[[str], str | None], claims_in: Callable[[str], Iterable[Claim]]
) -> str | None:
    """Return what ``read`` finds in the line under a header, unless the following text states another answer."""
    first, _, following = under.partition("\n")
    below = following.strip().partition("\n")[0]
    found = read(line := unmarked(first))
    is_list = _ITEM.match(line.strip()) and (one := _ITEM.match(following)) and read(one["label"]) not in {None, found}
    is_negative = re.fullmatch(WORDS["negative"], found or "no", re.IGNORECASE)
    is_crossed = not is_negative and _CROSSED.match(f"{line}\n{following}")
    is_of_several = len(below.strip(DECORATION + "-•").split()) == 1 and read(below) not in {None, found}
    return None if is_list or is_of_several or is_crossed else kept(found, under[len(first) :], claims_in)


def kept(found: str | None, following: str, claims_in: Callable[[str], Iterable[Claim]]) -> str | None:
    """Return ``found`` unless the following text takes it back or states another answer."""
    claims = tuple(claim for claim in claims_in(following) if not _is_aside(claim, following))
    return None if found is None or contradicts(claims, found) or is_retracted(following, claims, found) else found


def is_retracted(text: str, claims: Iterable[Claim], answer: str | None = None) -> bool:
    """Return whether ``text`` takes its statements, or ``answer``, back behind the last of ``claims``."""
    start = max((claim.start for claim in claims), default=0)
    denied = rf",\s(?:and\s)?not\s(?:option\s)?[(*]{{0,3}}{re.escape(answer or '')}(?!\w)"  # "So it is D, not B."
    is_replaced = answer not in {None, "yes", "no"} and (
        _REPLACED.search(text, start) or re.search(denied, text[start:])
    )
    return bool(is_replaced or _RETRACTED.search(text, start))


def contradicts(claims: Iterable[Claim], answer: str) -> bool:
    """Return whether a definite claim states another answer, or denies this one."""
    return any(
        claim.is_certain and (claim.answer == answer if claim.is_denial else claim.answer != answer) for claim in claims
    )
