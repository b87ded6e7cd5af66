"""The tables of ``wording.toml``: words, signs, phrases and patterns by name."""

import re

from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import expand_patterns, read_toml

_TABLES = read_toml(__package__, "wording.toml")

WORD = "accept"

WORDS = {name: frozenset(text.split()) for name, text in _TABLES["words"].items()}
WORDS["bare"] = WORDS["revised"] - WORDS["not_bare"]
"""Alone before a colon: "Corrected:"."""
WORDS["change_line"] = WORDS["changes"] | WORDS["of_change_line"]

SIGNS: dict[str, tuple[str, ...]] = {name: tuple(signs) for name, signs in _TABLES["signs"].items()}

PHRASES = {name: frozenset(re.split(r" \| |\n", text.strip())) for name, text in _TABLES["phrases"].items()}
PHRASES["assent"] = PHRASES["translated"] | PHRASES["judgements"]

PATTERNS = {name: lazy_pattern(pattern) for name, pattern in expand_patterns(_TABLES["patterns"]).items()}

REVERSED = frozenset(tuple(pair.split(" / ")) for pair in PHRASES["reversed"])
"""Words that reverse a draft that begins with the second word: as judgement or as replacement, they mean the same."""

POLAR = frozenset(word for pair in REVERSED for word in pair)
"""Words that answer whether something is so."""
