"""A refusal in words: what a model writes instead of an answer.

Only a reply that opens with a refusal of the request and has no other substance is one. The table has
phrases per language; each is at the beginning of one of the first sentences, behind words of regret at most. What
a model cannot do within an answer ("I cannot recommend X, because …", "I can't find any errors") refuses nothing.
"""

import re

from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import expand_patterns, read_toml

_HEAD = 500
"""Characters in which a refusal is stated."""
_LONGEST_REST = 900
"""Characters of regret, reasons and offers behind it; a longer text is an answer."""
_LONGEST_TURN = 160
"""Characters behind a word such as "however", after which something else than the refusal is written."""

_FIRST_SENTENCES = 3

_PLAIN = str.maketrans(dict.fromkeys("’‘ʼ´", "'") | dict.fromkeys("*_#`~", ""))
_BLANKS = lazy_pattern(r"\s+")

_TABLES = read_toml(__package__, "refusals.toml")
_PARTS = expand_patterns(_TABLES["parts"])
ENGLISH = expand_patterns(_TABLES["english"], _PARTS)
"""English phrases, by meaning; some words of regret may precede each."""
OTHERS = expand_patterns(_TABLES["others"])
"""Phrases of other languages, their words of regret included."""
WILL_NOT = expand_patterns(_TABLES["will_not"], _PARTS)
"""The same of what the writer says that it will not do."""
_WORDS = {name: lazy_pattern(words) for name, words in expand_patterns(_TABLES["words"]).items()}

_PHRASES = lazy_pattern(
    rf"(?:{_PARTS['english_regret']}){{0,3}}(?P<english>{'|'.join(ENGLISH.values())})"
    rf"|(?P<will_not>{'|'.join(WILL_NOT.values())})|{'|'.join(OTHERS.values())}"
)
_LONGEST_REASON = 300
_LONGEST_END = 20


def is_refusal(text: str) -> bool:
    """Return whether ``text`` refuses the request and is nothing else; in doubt it is no refusal."""
    if len(text) > _HEAD + _LONGEST_REST or _WORDS["of_answers"].search(text.lower()):
        return False
    said = _BLANKS.sub(" ", text.translate(_PLAIN)).strip().lower()
    if _WORDS["letter"].match(said):
        return False
    found = _refusing(said)
    if found is None or len(said) - found > _LONGEST_REST:
        return False
    turn = _WORDS["turns"].search(said, found)
    return turn is None or len(said) - turn.end() <= _LONGEST_TURN


def _refusing(said: str) -> int | None:
    """Return the end of the refusing phrase, if one of the first three sentences begins with it."""
    start = 0
    for _ in range(_FIRST_SENTENCES):
        found = _PHRASES.match(said, start, start + _HEAD)
        is_quoted = said.count('"', 0, start) % 2 == 1
        is_idiom = found is not None and _WORDS["help_but"].search(said, start, found.end() + 20) is not None
        if found and not is_quoted and not is_idiom and _is_sure(said, found):
            return found.end()
        end = _WORDS["sentence_end"].search(said, start, _HEAD)
        if end is None:
            return None
        start = end.end()
    return None


def _is_sure(said: str, found: re.Match[str]) -> bool:
    """Return whether a phrase refuses the request: explicitly, with a reason, or as the whole reply."""
    is_alone = len(said) - found.end() <= _LONGEST_END and not any(
        pattern.search(said, found.end(), len(said) - 1) for pattern in (_WORDS["goes_on"], _WORDS["bases"])
    )
    is_stated = _WORDS["of_refusals"].search(said, 0, found.end() + _LONGEST_END) is not None
    is_own = found["will_not"] is not None or not (found["english"] or "we").startswith("we")
    has_reason = is_own and _WORDS["reasons"].search(said, found.end(), found.end() + _LONGEST_REASON) is not None
    return is_alone or is_stated or has_reason
