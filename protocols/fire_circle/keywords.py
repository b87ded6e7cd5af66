"""Keywords: the patterns in a reply, their types, and the accusations of a reply (seed 000, sections 5.4 and 6.3).

The seed's table takes the first type of which one word occurs; one word such as "previous" then decides against all
others. Here every distinct clue adds its weight, and of equal sums the type that comes first in the table counts.
"""

import re
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from protocols.fire_circle.model import UNCLASSIFIED, Pattern, PatternType
from protocols.text_cleaning import storable
from protocols.text_files import compile_patterns, expand_patterns, read_toml

_TABLES = read_toml(__package__, "keywords.toml")
_PARTS = expand_patterns(_TABLES["parts"])
_WEIGHTS = {"heavy": 3, "plain": 2, "light": 1}
_TESTS = {
    PatternType(kind).value: tuple((weight, re.compile(rf"\b(?:{clues[name]})")) for name, weight in _WEIGHTS.items())
    for kind, clues in ((kind, expand_patterns(table, _PARTS)) for kind, table in _TABLES["types"].items())
}
"""Clues of three weights by type, in the seed's order of the types."""

_TITLE = "|".join(kind.value for kind in PatternType).replace("_", " ")
_TITLED = re.compile(rf"[\W\d]{{0,9}}(?:pattern \d{{1,2}}\W{{1,3}})?(?P<title>{_TITLE})\b")

_LONGEST = 500
_MOST = 20

_PATTERNS = compile_patterns(__package__, "keywords")
_BLANK = _PATTERNS["blank"]
"""A part of the form that was not filled in, or a word for nothing."""

_CATEGORY = re.compile(rf"(?<![a-z])(?:{_TITLE}|{UNCLASSIFIED})(?![a-z])")

_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]?")
_CLAUSE = _PATTERNS["clause"]
_ACCUSED = _PATTERNS["accused"]
_DENIED = _PATTERNS["denied"]
_CLEARED = _PATTERNS["cleared"]
_SCOPE = 200
"""Characters before an accusation in which it may be denied."""


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
    value = fields.get("patterns_observed") or fields.get("consensus_patterns")
    named = (" ".join(storable(text).split())[:_LONGEST] for text in _texts(value))
    texts = [text for text in dict.fromkeys(named) if not _BLANK.fullmatch(text)]
    return tuple(Pattern(text=text, type=classify(text)) for text in texts[:_MOST])


def category(text: str) -> str | None:
    """Return the one type, or ``unclassified``, that ``text`` names without a denial before it, else ``None``."""
    said = in_plain_words(text)
    named = list(_CATEGORY.finditer(said))
    is_one = len({name[0] for name in named}) == 1 and not _DENIED.search(said, 0, named[0].start())
    return named[0][0].replace(" ", "_") if is_one else None


def is_accusing(own: str) -> bool:
    """Return whether a violation or an attack is named without denial or question."""
    if not _ACCUSED.search(own):
        return False
    sentences = (said for said in _SENTENCE.findall(own) if not said.endswith("?"))
    return any(
        not _DENIED.search(clause, max(0, word.start() - _SCOPE), word.start())
        and not _CLEARED.match(clause, word.end())
        for sentence in sentences
        for clause in _CLAUSE.split(sentence)
        for word in _ACCUSED.finditer(clause)
    )


def _texts(value: JsonValue) -> Iterator[str]:
    for item in value if isinstance(value, list) else (value,):
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            texts = [item.get(key) for key in ("pattern", "description")]
            yield ": ".join(text for text in texts if isinstance(text, str))
