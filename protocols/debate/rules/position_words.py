"""Words of denial and assent in the languages that the readers know, from ``protocols/debate/position_words.toml``."""

from collections.abc import Mapping

from protocols import debate
from protocols.text_files import expand_patterns, read_toml

_TABLES = read_toml(debate.__name__, "position_words.toml")
_WORDS: Mapping[str, list[str]] = {name: text.split() for name, text in _TABLES["words"].items()}

NEGATIONS = frozenset(_WORDS["negations"])
NEGATED_CHARACTERS = _WORDS["negated_characters"]
"""Of texts without blanks between words; longer ones first, because the shorter are part of them."""
DENIED = {word: other for word, _, other in (pair.partition("=") for pair in _WORDS["denied"])}
"""Opposites of another word, which may be blank: they count as that word with a negation."""
SPLITS = {**dict.fromkeys(_WORDS["splits"], False), **dict.fromkeys(_WORDS["denying_splits"], True)}
"""Words between two clauses; true where they deny the second one."""
ANSWERS: Mapping[str, str] = {word: answer for answer, words in _TABLES["answers"].items() for word in words}
"""With which a position may open."""
FUNCTION_WORDS = frozenset(_WORDS["function_words"])
"""Function words, which are not compared."""
ASSENT = expand_patterns(_TABLES["patterns"])["assents"]
"""Whole positions in lower case that only express agreement with the group."""
