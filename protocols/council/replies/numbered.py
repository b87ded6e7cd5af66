"""Rankings with numbers: a number before each label, or one behind it."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from protocols import council
from protocols.council.replies.labels import (
    AFTER_NUMBER,
    HEAD,
    ITEM_HEAD,
    MENTION,
    NUMBER,
    PLACE_WORDS,
    TIED,
    Found,
    Labelled,
    Numbered,
    are_places,
    by_number,
    do_rise,
    labels_at,
    letter_of,
    number_alone,
    number_of,
    score_in,
)
from protocols.council.wording import DOUBT, place_in_words
from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns

_BULLET = re.compile(r"[\W_]{0,12}")
_BEFORE_ITEM = re.compile(r"(?:^|(?<=[\s,;|/·•:])(?<!\bof ))(?=[(#\d]|第|\b[^\W\d_])")
_ROMAN = re.compile(r"[\W_]{0,6}(?P<roman>[IVX]{1,4})[.)]\s{1,3}(?=\S)")
_ROMANS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_PATTERNS = compile_patterns(council.__name__, "replies_numbered")
_BEHIND = lazy_pattern(_PATTERNS["behind"].pattern.replace("<words>", PLACE_WORDS), re.IGNORECASE)
_UNFILLED = re.compile(r"^\W{0,6}\d{1,2}\W{1,3}(?:response \?|response \W{0,2}$|_{2,}|\.{3})", re.IGNORECASE)


class _Item(NamedTuple):
    """One numbered item of a list."""

    number: float
    letters: tuple[str, ...] = ()
    """Empty: no label could be read in it."""
    is_listed: bool = False
    score: float | None = None
    behind: float | None = None
    """A place that it names behind its label."""
    alone: float | None = None
    """A number that is the whole remark on its label: a score, or a place."""
    is_tied: bool = False
    """A remark in brackets behind its label calls its place shared."""
    at: int = 0


def numbered(lines: Sequence[str]) -> list[Found]:
    """Return every list of labels with a number before each; a list that begins anew is another list."""
    items = [item._replace(at=at) for at, line in enumerate(lines) for item in _items_of(line)]
    blocks = _blocks(items)
    return [found._replace(at=block[0].at) for block in blocks if (found := _from_items(block))]


def labelled(lines: Sequence[str]) -> list[Found]:
    """Return the order in which numbers behind labels put them: ``Response A: 2``, ``A is third``."""
    pairs = [pair._replace(at=at) for at, line in enumerate(lines) for pair in _pairs_of(line)]
    if not pairs:
        return []
    entries = [Numbered(pair.number, pair.letters) for pair in pairs]
    numbers = [entry.number for entry in entries for _ in entry.letters]
    if len({letter for entry in entries for letter in entry.letters}) < len(numbers):
        return [Found("labelled", flaw="a place behind a label twice", at=pairs[0].at)]
    are_bare = not all(pair.behind for pair in pairs)
    if are_bare and not are_places(numbers):
        return []
    falls = are_bare and not do_rise(numbers) and entries != sorted(entries, key=lambda entry: entry.letters)
    if (falls and numbers[0] > numbers[-1]) or any(map(_PATTERNS["more_is_better"].search, lines)):
        return [Found("labelled", flaw="scores in place of places", at=pairs[0].at)]
    return [Found("labelled", by_number(entries), gap="a place behind some labels only", at=pairs[0].at)]


def is_unfilled(lines: Iterable[str]) -> bool:
    """Return whether the form is there as requested, without a label in it."""
    return any(_UNFILLED.match(line) for line in lines)


def _items_of(line: str) -> list[_Item]:
    starts = _starts(line)
    if not starts:
        return []
    ends = [*(begin for begin, _, _ in starts[1:]), len(line)]
    return [_item(line[at:end], number) for (_, at, number), end in zip(starts, ends, strict=True)]


def _starts(line: str) -> list[tuple[int, int, int]]:
    """Return the starts of items, the starts of their texts, and their numbers; none if a label comes first."""
    opened = _BULLET.match(line)
    at = max(0, line.find("#")) if opened and "#" in opened[0] else (opened.end() if opened else 0)
    roman = _ROMAN.match(line)
    if roman and roman["roman"] in _ROMANS and ITEM_HEAD.match(line, roman.end()):
        return [(0, roman.end(), _ROMANS.index(roman["roman"]) + 1)]
    first = NUMBER.match(line, at) or (NUMBER.match(line, at - 1) if at and line[at - 1] == "(" else None)
    found = [(0, first.end(), number_of(first))] if first else []
    if first is None and HEAD.match(line):
        return []
    for before in _BEFORE_ITEM.finditer(line, first.end() if first else 0):
        number = NUMBER.match(line, before.start())
        if number and (number["word"] is None or first is None) and _has_label(line, number.end()):
            if found and number.start() <= found[-1][1]:
                continue
            found.append((before.start(), number.end(), number_of(number)))
    return found


def _has_label(line: str, at: int) -> bool:
    """Return whether a label follows the number that ends ``at``."""
    after = AFTER_NUMBER.match(line, at)
    return ITEM_HEAD.match(line, after.end() if after else at) is not None


def _item(said: str, number: int) -> _Item:
    """Return the text after a number as an item; one with a doubtful label has no letters."""
    at = 0
    while again := NUMBER.match(said, len(said) - len(said[at:].lstrip(" .:)–—-|,"))):
        if again["listed"] and not said[again.end() : again.end() + 1].startswith((".", ")", ":")):
            break
        if number_of(again) != number:
            return _Item(number)
        at = again.end()
    after = AFTER_NUMBER.match(said, at)
    labels = labels_at(said, after.end() if after else at, ITEM_HEAD) or _only_mention(said)
    if labels is None or labels.is_doubtful:
        return _Item(number)
    rest = said[labels.end :]
    marked = _PATTERNS["marked_behind"].search(rest[:60])
    behind = float(marked["hash"] or marked["ordinal"]) if marked else None
    score, is_tied = score_in(rest[:120]), TIED.match(rest) is not None
    return _Item(number, labels.letters, labels.is_listed, score, behind, number_alone(rest), is_tied)


def _only_mention(said: str) -> Labelled | None:
    """Return the one label that an item names somewhere, unless its words turn it round."""
    mentions = list(MENTION.finditer(said[:400]))
    if len({letter_of(found) for found in mentions}) != 1 or DOUBT.search(said[: mentions[0].start()]):
        return None
    return Labelled((letter_of(mentions[0]) or "",), mentions[0].end())


def _blocks(items: Iterable[_Item]) -> list[list[_Item]]:
    """Return ``items`` as lists: a number that returns behind a higher one, or with its label, begins another."""
    blocks: list[list[_Item]] = []
    for item in items:
        block = blocks[-1] if blocks else []
        named = [one.number for one in block if one.letters]
        returns = item.number in named and (
            item.number < named[-1] or any(letter in one.letters for one in block for letter in item.letters)
        )
        if not blocks or (item.letters and returns):
            blocks.append([item])
        else:
            block.append(item)
    return blocks


def _from_items(block: Sequence[_Item]) -> Found | None:
    items = [item for item in block if item.letters]
    if not items or (len(items) == 1 and items[0].is_listed):
        return None
    numbers = [item.number for item in items]
    behind = [item.behind for item in items if item.behind is not None]
    if behind and behind != numbers:
        return _by_places_behind(items, behind)
    if flaw := _contradiction(items):
        return Found("numbered", flaw=flaw)
    unread = {item.number for item in block if not item.letters} - set(numbers)
    lost = (f"no label read at {', '.join(f'{number:g}' for number in sorted(unread))}",) if unread else ()
    if len(items) > 1 and len(set(numbers)) == 1:
        places = tuple(item.letters for item in items)
        return Found("numbered", places, ("numbers all alike, read in the order written", *lost))
    entries = [Numbered(item.number, item.letters) for item in items]
    gap = "" if are_places([entry.number for entry in entries for _ in entry.letters]) else "a place without a label"
    mended = ("numbers out of order",) if numbers != sorted(numbers) else ()
    return Found("numbered", by_number(entries), (*mended, *lost), gap=gap)


def _contradiction(items: Sequence[_Item]) -> str:
    """Return the contradiction between numbers after and before the labels; blank without one."""
    numbers = [item.number for item in items]
    if any(item.is_tied and len(item.letters) == 1 and numbers.count(item.number) == 1 for item in items):
        return "a shared place with one answer"
    in_order = sorted(items, key=lambda one: one.number)
    scores = [item.score for item in in_order if item.score is not None]
    alone = [item.alone for item in in_order if item.alone is not None]
    if len(alone) == len(items) > 1 and are_places(alone):
        return "" if alone == sorted(alone) else "its numbers contradict each other"
    rises = (len(scores) == len(items) and do_rise(scores)) or (len(alone) == len(items) and do_rise(alone))
    return "its places contradict its scores" if rises else ""


def _by_places_behind(items: Sequence[_Item], behind: Sequence[float]) -> Found:
    """Return the order of a list that counts its lines and names the places behind the labels."""
    counts_lines = [item.number for item in items] == list(range(1, len(items) + 1))
    if len(behind) == len(items) and counts_lines and are_places(behind):
        entries = [Numbered(item.behind or 0, item.letters) for item in items]
        return Found("labelled", by_number(entries), ("places named behind the labels",))
    return Found("numbered", flaw="its numbers contradict each other")


def _pairs_of(line: str) -> list[_Item]:
    """Return the labels of a line with a number after them; ``behind`` marks it as a place."""
    head = HEAD.match(line)
    start = head.start() if head else next((m.start() for m in MENTION.finditer(line[:400])), None)
    if start is None or (NUMBER.match(line.lstrip(" -•(")) and not head):
        return []
    pairs: list[_Item] = []
    while labels := labels_at(line, start) or _mentioned(line, start):
        behind = _BEHIND.match(line, labels.end)
        if behind is None:
            return pairs
        if labels.is_listed and behind[0].lstrip().startswith("("):
            return []  # of "A, D, B (worst)" the place is that of B alone
        pairs.append(_Item(_place(behind), labels.letters, behind=None if behind["plain"] else 1.0))
        start = behind.end()
    return pairs


def _place(behind: re.Match[str]) -> float:
    if behind["word"]:
        return place_in_words(behind["word"])
    digits: str = behind["named"] or behind["ordinal"] or behind["plain"]
    return float(digits.replace(",", "."))


def _mentioned(line: str, at: int) -> Labelled | None:
    found = MENTION.search(line, at, at + 60)
    letter = letter_of(found)
    return Labelled((letter,), found.end()) if found and letter else None
