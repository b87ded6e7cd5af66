"""The type of a pattern by its words (seed 000, section 6.3): clues of three weights, and the heaviest type.

The seed's table takes the first type of which one word occurs; one word such as "previous" then decides against all
others. Here every distinct clue adds its weight, and of equal sums the type that comes first in the table counts.
"""

import re

from protocols.fire_circle.model import UNCLASSIFIED, PatternType
from protocols.text_files import expand_patterns, read_toml

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
