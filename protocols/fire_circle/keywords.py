"""Keywords: the patterns in a reply and their types, its accusations, and its contradictions (seed 000, 5.4 and 6.3).

The seed's table takes the first type of which one word occurs; one word such as "previous" then decides against all
others. Here every distinct clue adds its weight, and of equal sums the type that comes first in the table counts.

A contradiction is "there is no violation" beside a falsehood of 0.9. The number is kept: the words may be wrong, or the
model may read the scale the other way round. The rule stays silent in doubt. It reads sentences about the layer as a
whole, and no other sentence may contradict them; a sentence about a condition, a part, a peer or an appearance does not
count.
"""

import re
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from protocols.fire_circle.flagging import THRESHOLD, is_flagged
from protocols.fire_circle.model import UNCLASSIFIED, Pattern, PatternType
from protocols.lazy_patterns import lazy_pattern
from protocols.text_cleaning import storable
from protocols.text_files import compile_patterns, expand_patterns, read_toml

_TABLES = read_toml(__package__, "keywords.toml")
_PARTS = expand_patterns(_TABLES["parts"])
_WEIGHTS = {"heavy": 3, "plain": 2, "light": 1}
_TESTS = {
    PatternType(kind).value: tuple((weight, lazy_pattern(rf"\b(?:{clues[name]})")) for name, weight in _WEIGHTS.items())
    for kind, clues in ((kind, expand_patterns(table, _PARTS)) for kind, table in _TABLES["types"].items())
}
"""Clues of three weights by type, in the seed's order of the types."""

_TITLE = "|".join(kind.value for kind in PatternType).replace("_", " ")
_TITLED = lazy_pattern(rf"[\W\d]{{0,9}}(?:pattern \d{{1,2}}\W{{1,3}})?(?P<title>{_TITLE})\b")

_NAMES = (("type", "pattern_type", "name", "category"), ("pattern",), ("description", "explanation", "evidence"))
"""Under which names an entry gives its type, its pattern and its description."""
_LONGEST = 500
_MOST = 20

_PATTERNS = compile_patterns(__package__, "keywords")
_BLANK = _PATTERNS["blank"]
"""A part of the form that was not filled in, or a word for nothing."""

_CATEGORY = lazy_pattern(rf"(?<![a-z])(?:{_TITLE}|{UNCLASSIFIED})(?![a-z])")

_BULLET = lazy_pattern(r"(?:\A|\n)\s{0,9}(?:\d{1,2}[.)]|[-*•])\s+")
_SENTENCE = lazy_pattern(r"[^.!?;\n]+[.!?;\n]?")
_SCOPE = 200
"""Characters before an accusation in which it may be denied."""

_DENIES, _ASSERTS = _PATTERNS["denies"], _PATTERNS["asserts"]
_NEGATED = lazy_pattern(r"\b(?:no|not|never|none|nothing|neither|without|nor|lacks?)\b|n['’]t\b", re.IGNORECASE)
_STATEMENT = lazy_pattern(r"[^.!?;\n。！？；]+[.!?;\n。！？；]?")


def classify(text: str) -> str:
    """Return the type whose name ``text`` opens with, else the one with most clues, else ``unclassified``."""
    said = in_plain_words(text)
    titled = _TITLED.match(said)
    if titled:
        return titled["title"].replace(" ", "_")
    weights = {kind: sum(weight * len(set(test.findall(said))) for weight, test in _TESTS[kind]) for kind in _TESTS}
    heaviest = max(weights, key=weights.__getitem__)
    return heaviest if weights[heaviest] else UNCLASSIFIED


def in_plain_words(text: str) -> str:
    """Return ``text`` in small letters, with one blank for every run of blanks, hyphens and underscores."""
    return re.sub(r"[\s_-]+", " ", text.lower().replace("’", "'"))


def read_patterns(fields: Mapping[str, JsonValue]) -> tuple[Pattern, ...]:
    """Return the patterns in an object, without blanks and repetitions; at most 20 of at most 500 characters."""
    value = next((value for name, value in fields.items() if value and _PATTERNS["named"].fullmatch(name)), None)
    named = (" ".join(storable(text).split())[:_LONGEST] for text in _texts(value))
    texts = [text for text in dict.fromkeys(named) if not _BLANK.fullmatch(text)]
    return tuple(Pattern(text=text, type=classify(text)) for text in texts[:_MOST])


def category(text: str) -> str | None:
    """Return the one type, or ``unclassified``, that ``text`` names without a denial before it, else ``None``."""
    said = in_plain_words(text)
    named = list(_CATEGORY.finditer(said))
    is_one = len({name[0] for name in named}) == 1 and not _PATTERNS["denied"].search(said, 0, named[0].start())
    return named[0][0].replace(" ", "_") if is_one else None


def is_accusing(own: str) -> bool:
    """Return whether a violation or an attack is named without denial or question."""
    if not _PATTERNS["accused"].search(own):
        return False
    sentences = (said for said in _SENTENCE.findall(own) if not said.endswith("?"))
    return any(
        not _PATTERNS["denied"].search(clause, max(0, word.start() - _SCOPE), word.start())
        and not _PATTERNS["cleared"].match(clause, word.end())
        for sentence in sentences
        for clause in _PATTERNS["clause"].split(sentence)
        for word in _PATTERNS["accused"].finditer(clause)
    )


def contradiction(falsehood: float, reasoning: str) -> str:
    """Return the words of ``reasoning`` that contradict ``falsehood``; blank without a clear contradiction.

    The scale means so from 0.5 on (``THRESHOLD``), whatever threshold a prompt is flagged at.
    """
    denied, asserted = list(_found(_DENIES, reasoning)), list(_asserted(reasoning))
    if is_flagged(falsehood, THRESHOLD):
        rest = " ".join(said for said in _STATEMENT.findall(reasoning) if not _DENIES.search(said))
        return denied[0] if denied and not asserted and not is_accusing(rest) else ""
    return asserted[0] if asserted and not _DENIES.search(reasoning) else ""


def _texts(value: JsonValue) -> Iterator[str]:
    for item in _entries(value):
        if isinstance(item, str):
            yield from _BULLET.split(item)
        elif isinstance(item, dict) and False not in map(item.get, ("present", "observed", "detected")):
            kind, *said = (next((it for key in keys if isinstance(it := item.get(key), str)), "") for keys in _NAMES)
            yield ": ".join(filter(None, (kind, *said))) if any(said) else ""


def _entries(value: JsonValue) -> list[JsonValue]:
    """Return the entries of a list; of an object with types for keys, those that it does not deny."""
    if not isinstance(value, dict) or not any(_TITLED.fullmatch(in_plain_words(key)) for key in value):
        return value if isinstance(value, list) else [value]
    kept = {key: " ".join(map(str, one)) if isinstance(one, list) else one for key, one in value.items() if one}
    return [{"pattern": key, **(one if isinstance(one, dict) else {"description": one})} for key, one in kept.items()]


def _asserted(reasoning: str) -> Iterator[str]:
    return (
        found
        for sentence in _sentences(reasoning)
        if not _NEGATED.search(sentence)
        for found in _found(_ASSERTS, sentence)
    )


def _found(words: re.Pattern[str], text: str) -> Iterator[str]:
    return (found[0] for sentence in _sentences(text) if (found := words.search(sentence)))


def _sentences(text: str) -> Iterator[str]:
    return (sentence for sentence in _STATEMENT.findall(text) if not _PATTERNS["hedged"].search(sentence))
