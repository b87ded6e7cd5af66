"""Cheap words of two kinds: sensitive topics (decision 2, tier 2), and words that hazards are written in (tier 1).

The tables are in ``keywords.toml``. A word decides nothing by itself: it calls the safety evaluator. A word too many
costs one call, a word too few leaves a turn unjudged where nothing else called the evaluator. Beside English the
hazards know the common words of German, French and Spanish; a topic in another language calls no evaluator unless high
stakes or a vulnerable audience are declared.
"""

import re
from functools import cache
from itertools import groupby
from typing import Literal

from protocols.debate.model.turn import HazardKind
from protocols.text_files import read_toml

Topic = Literal["security", "medical", "legal"]

_SPECIAL = str.maketrans("ıſİ", "isi")  # with it, small letters are as good as no regard to case, four times as fast
_OTHER_SECURITY = re.compile(r"\b(?:social|food|job)\s+security\b", re.IGNORECASE)


@cache  # for the first debate: a worker that starts does not wait for it
def _compiled(table: str) -> re.Pattern[str]:
    # By first letters: without them every word is tried at every word of a text, which takes three times as long.
    alternatives = (
        f"{re.escape(letter)}(?:{'|'.join(_pattern(word[1:]) for word in words)})"
        for letter, words in groupby(sorted(table.split()), lambda word: word[0])
    )
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b")


def _pattern(word: str) -> str:
    return re.escape(word).replace("_", r"[\s-]+").replace(r"\*", r"\w*")


_TABLES = read_toml(__package__, "keywords.toml")
_TOPICS: dict[Topic, str] = _TABLES["topics"]
_HAZARDS: dict[HazardKind, str] = _TABLES["hazards"]


def topics(question: str) -> tuple[Topic, ...]:
    """Return the sensitive topics that ``question`` touches."""
    asked = _OTHER_SECURITY.sub("", question).translate(_SPECIAL).lower()
    return tuple(topic for topic, words in _TOPICS.items() if _compiled(words).search(asked))


def alerts(text: str) -> tuple[HazardKind, ...]:
    """Return the kinds of hazard whose words occur in ``text``."""
    said = text.translate(_SPECIAL).lower()
    if not _compiled(" ".join(_HAZARDS.values())).search(said):  # most texts have none: one search says so
        return ()
    return tuple(kind for kind, words in _HAZARDS.items() if _compiled(words).search(said))
