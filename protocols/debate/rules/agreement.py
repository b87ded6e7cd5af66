"""The comparison of two positions: they agree when most words are equal and neither denies the other.

Similarity is that of sets of words (Jaccard), without the words that every sentence has. A clause is compared with the
clauses of the other position that are about the same: where one of them is negated and the other is not, where they
give different numbers or names, where a word or two differ or two words change places, where one of them is limited
(only, unless) by what the other does not name, where "and" joins what the other joins with "or", and where one opens
with yes and the other with no or neither, they do not agree. A synonym so costs a round, which is cheaper than an
agreement that is none. The words in all languages are in ``position_words.toml``.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from protocols import debate
from protocols.answer_text import DENIALS, DENIED_FORM, FUNCTION_WORDS
from protocols.debate.model.turn import AgentResponse
from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns, expand_patterns, read_toml

_TABLES = read_toml(debate.__name__, "position_words.toml")
_WORDS: Mapping[str, list[str]] = {name: text.split() for name, text in _TABLES["words"].items()}

NEGATIONS = frozenset((*DENIALS, *_WORDS["negations"]))
_NEGATED_CHARACTERS = lazy_pattern("|".join(_WORDS["negated_characters"]))
"""Of texts without blanks between words; longer ones first, because the shorter are part of them."""
DENIED = {word: other for word, _, other in (pair.partition("=") for pair in _WORDS["denied"])}
"""Opposites of another word, which may be blank: they count as that word with a negation."""
SPLITS = {**dict.fromkeys(_WORDS["splits"], False), **dict.fromkeys(_WORDS["denying_splits"], True)}
"""Words between two clauses; true where they deny the second one."""
ANSWERS: Mapping[str, str] = {word: answer for answer, words in _TABLES["answers"].items() for word in words}
"""With which a position may open."""
ASSENT = expand_patterns(_TABLES["patterns"])["assents"]
"""Whole positions in lower case that only express agreement with the group."""

SAME_CLUSTER = 0.35
"""Likeness from which on two positions are one, unless one of them denies the other."""
REPEATED = 0.70
"""Share of a motion's words that a position holds which repeats it."""
_ALIKE = 0.60
"""Share of the shorter clause's words from which on two clauses are about the same."""
_EXCHANGED = 2
"""Words in which two clauses that are otherwise the same may differ and say different things."""
_STEM, _ENDING, _LETTERS = 4, 3, 30
"""First letters that two forms of a word share, at least; those behind them in one of the two, and all, at most."""
_DECIMALS = 12
_LONGEST = 4000
"""Characters of a position that are compared."""

_TOKEN = lazy_pattern(  # vowels of India are no letters
    r"(?:(?<![\w)%.,])[-−])?\d+(?:[.,:/]\d+)*\w*%?|[^\W_](?:[^\W_]|[\u0900-\u0963\u0966-\u0dff])*(?:['’][^\W_]+)?|[<>≤≥]"
)
_WIDE = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff]+")
_PATTERNS = compile_patterns(debate.__name__, "rules_agreement")
_REPLACED: Mapping[str, str] = _TABLES["replaced"]


class _Clause(NamedTuple):
    words: frozenset[str]
    marks: frozenset[str]
    """Numbers, and names in capitals."""
    is_denied: bool
    is_limited: bool
    order: tuple[str, ...]
    """All words as they follow each other."""


class _Position(NamedTuple):
    answer: str
    """``yes``, ``no`` or ``neither``, where it opens with one of them."""
    words: frozenset[str]
    clauses: tuple[_Clause, ...]
    pairs: frozenset[tuple[bool, frozenset[str]]]
    """The words beside each "and" or "or", and whether it is "or"."""


def agree(one: str, other: str) -> bool:
    """Return whether two positions mean the same."""
    return likeness(one, other) >= SAME_CLUSTER and not is_opposed(one, other)


def repeats(position: str, motion: str) -> bool:
    """Return whether ``position`` is that of ``motion``, with or without additions."""
    mine, moved = _taken_apart(position).words, _taken_apart(motion).words
    share = len(mine & moved) / len(moved) if moved else 0.0
    return agree(position, motion) or (share >= REPEATED and not is_opposed(position, motion))


def likeness(one: str, other: str) -> float:
    """Return how alike two positions are in their words, from 0 to 1."""
    mine, others = _taken_apart(one), _taken_apart(other)
    every = mine.words | others.words
    if not every:
        return float(mine.answer == others.answer != "")
    return round(len(mine.words & others.words) / len(every), _DECIMALS)


def is_opposed(one: str, other: str) -> bool:
    """Return whether one position denies what the other says."""
    mine, others = _taken_apart(one), _taken_apart(other)
    if mine.answer and others.answer and mine.answer != others.answer:
        return True
    is_other_pair = any((not is_either, pair) in others.pairs - mine.pairs for is_either, pair in mine.pairs)
    return is_other_pair or _denies(mine, others) or _denies(others, mine)


def grouped(turns: Sequence[AgentResponse]) -> tuple[tuple[AgentResponse, ...], ...]:
    """Return ``turns`` in groups of like positions; a position like two groups joins them."""
    groups, said = list[list[int]](), [turn.said.position for turn in turns]
    for number, position in enumerate(said):
        linked = [group for group in groups if any(agree(position, said[other]) for other in group)]
        joined = [*(other for group in linked for other in group), number]
        groups = [*(group for group in groups if group not in linked), joined]
    return tuple(tuple(turns[number] for number in group) for group in sorted(map(sorted, groups)))


def _denies(one: _Position, other: _Position) -> bool:
    """Return whether a word that only ``one`` has is one of ``other`` with a prefix, or a clause contradicts one."""
    if any(_PATTERNS["prefix"].sub("", word, count=1) in other.words - one.words for word in one.words - other.words):
        return True
    own = [clause for clause in one.clauses if clause not in other.clauses]
    return any(_conflict(clause, another, one, other) for clause in own for another in other.clauses)


def _conflict(clause: _Clause, another: _Clause, one: _Position, other: _Position) -> bool:
    shorter = min(len(clause.words), len(another.words))
    own, theirs = clause.words | clause.marks, another.words | another.marks
    if shorter and not (_share(clause.words, another.words) or _share(own, theirs)):
        return False
    limited, free = (one.words, other.words) if clause.is_limited else (other.words, one.words)
    is_limited = clause.is_limited != another.is_limited and bool(_without_forms(limited - free, free))
    if (shorter or _share(own, theirs)) and (clause.is_denied != another.is_denied or is_limited):
        return True
    if another not in one.clauses and (_is_exchanged(own, theirs) or _is_turned(clause, another)):
        return True
    is_short = not shorter and (clause.words or another.words)
    return not is_short and bool(clause.marks - other.words) and bool(another.marks - one.words)


def _share(words: frozenset[str], others: frozenset[str]) -> bool:
    return len(words & others) >= _ALIKE * min(len(words), len(others))


def _is_exchanged(words: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether they differ in a word or two only; forms of one word are equal.

    Without blanks between words, one that is exchanged changes one pair of characters more than it has characters.
    """
    mine, theirs, shared = words - others, others - words, len(words & others)
    mine, theirs = _without_forms(mine, theirs), _without_forms(theirs, mine)
    own = max(len(mine), len(theirs)) - any(map(_WIDE.match, mine))
    return bool(mine and theirs) and own <= _EXCHANGED and shared >= 2 * own


def _is_turned(clause: _Clause, another: _Clause) -> bool:
    """Return whether two words change places around others: of neighbours the order is free in many languages."""
    own, theirs = clause.order, another.order
    other = [at for at, (word, its) in enumerate(zip(own, theirs, strict=False)) if word != its]
    is_apart = len(own) == len(theirs) and len(other) == _EXCHANGED and other[1] - other[0] > 1
    return is_apart and own[other[0]] == theirs[other[1]] and own[other[1]] == theirs[other[0]]


def _without_forms(words: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    every = frozenset().union(*map(_beginnings, others))
    long = frozenset().union(*(_beginnings(other, _ENDING) for other in others))
    return frozenset(word for word in words if not (_beginnings(word) & long or _beginnings(word, _ENDING) & every))


@lru_cache(maxsize=4096)
def _beginnings(word: str, ending: int = _LETTERS) -> frozenset[str]:
    """Return the first letters of ``word``, without up to ``ending`` of its last ones; of an employee no fewer."""
    plain = word.removeprefix("ge")[:_LETTERS]
    shortest = len(plain.removesuffix("s")) if plain.endswith(("ee", "ees")) else len(plain) - ending
    return frozenset(plain[:end] for end in range(max(_STEM, shortest), len(plain) + 1))


@lru_cache(maxsize=4096)
def _taken_apart(text: str) -> _Position:
    plain = unicodedata.normalize("NFKC", text[:_LONGEST]).replace("’", "'")
    plain = _PATTERNS["now"].sub(" ", plain) if _PATTERNS["northern"].search(plain) else plain
    for name, other in _REPLACED.items():
        plain = _PATTERNS[name].sub(other, plain)
    sentences = (_PATTERNS["limited"].subn(r" \g<kept> ", one) for one in _PATTERNS["sentence"].findall(plain))
    found = (_clause(part, is_limited=limits > 0) for left, limits in sentences for part in _parts(left))
    clauses = tuple(clause for clause in found if clause is not None)
    words = frozenset(word for clause in clauses for word in (*clause.words, *clause.marks))
    joined = _PATTERNS["joined"].finditer(plain.casefold())
    pairs = frozenset((it["either"] is not None, frozenset((it[1], it["next"]))) for it in joined)
    return _Position(_answer(plain), words, clauses, pairs)


def _answer(text: str) -> str:
    found = _PATTERNS["answer"].match(text)
    if found is None:
        start, wide = text.lstrip(), (pair for pair in ANSWERS.items() if pair[0][1:] and not pair[0].isascii())
        return next((answer for word, answer in wide if start.startswith(word)), "")
    word = ANSWERS.get(found["word"].casefold(), "")
    is_alone = not found["behind"].strip(" ").isspace() and found["behind"] != " "
    return word if word != "no" or is_alone else ""


def _parts(text: str) -> Iterator[list[str]]:
    """Yield the clauses of a text as lists of words; a word of ``SPLITS`` ends one, and may negate the next."""
    for found in _PATTERNS["clause"].finditer(text):
        part: list[str] = []
        for word in _TOKEN.findall(found[0]):
            if word.casefold() in SPLITS:
                yield part
                part = ["not"] if SPLITS[word.casefold()] else []
            else:
                part.append(word)
        yield part


def _clause(words: list[str], *, is_limited: bool) -> _Clause | None:
    negations, kept, marks = 0, set(), set()
    for place, word in enumerate(words):
        plain = word.casefold()
        if plain in NEGATIONS or plain.endswith("n't"):
            negations += 1
        elif any(letter.isdigit() for letter in plain) or _is_name(word, place):
            marks.add(plain)
        elif _WIDE.fullmatch(plain):
            left, denied = _NEGATED_CHARACTERS.subn("", plain)
            negations += denied
            kept |= {left[at : at + 2] for at in range(max(1, len(left) - 1))} if left else set()
        elif plain in DENIED:
            negations += 1
            kept |= {DENIED[plain]} - {""}
        elif plain not in FUNCTION_WORDS:
            stem, denied = DENIED_FORM.subn("", plain)
            negations += denied
            kept.add(stem or plain)
    if not kept and not marks:
        return None
    order = tuple(word.casefold() for word in words)
    return _Clause(frozenset(kept), frozenset(marks), negations % 2 == 1, is_limited, order)


def _is_name(word: str, place: int) -> bool:
    """Return whether the word is a name: in capitals within a clause, or a single capital letter."""
    return word[0].isupper() and (place > 0 if len(word) > 1 or word == "A" else word != "I")
