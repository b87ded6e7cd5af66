"""The reader of the position in a text: the writer's own, not one that it reports, grants or introduces.

A text under a label is the position without the courtesies, announcements, steel-men and restatements in front of it.
In prose without a label a sentence is the position only if it is marked: "My position is …", or else "I would …".
Where none does there is no position, and the debater is asked once more. Positions of others are left out:
quotations, sections headed as a steel-man, sentences about a peer, and what the model was shown.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator

from protocols import debate
from protocols.text_files import compile_patterns, read_toml

LONGEST = 300
"""Characters of a sentence that is the position of a prose."""
_SEARCHED = 20_000
"""Characters of a prose in which a position is looked for."""
_FEWEST = 3
"""Words that take the place of a longer position; fewer ones may correct a part of it."""

_TABLES = read_toml(debate.__name__, "position_phrases.toml")


def _any_of(*tables: str, before: str = "", behind: str = "") -> re.Pattern[str]:
    rows = "|".join(
        _TABLES[table].replace("{adverbs}", _TABLES["adverbs"]).strip().replace("\n", "|") for table in tables
    )
    return re.compile(f"{before}(?:{rows}){behind}", re.IGNORECASE)


_ROLE = _any_of("roles")
_AROUND = ("courtesies", "announcements", "restatements", "steel_men")
_NO_POSITION = _any_of(*_AROUND, before=r"\W{0,4}")
_NOT_HELD = _any_of(*_AROUND, "peers", before=r"\W{0,4}")
_CONCLUDED, _HELD, _TURNED = map(_any_of, ("concluded", "held", "turned"))
_HEADED = _any_of(
    "heads_of_others", before=r"[#*_\s\d.)]{0,12}", behind=r"[*_]{0,3}\s?(?:[:：]|$)[*_]{0,3}(?P<rest>[^\n]*)"
)
"""A header above the positions of others, or a label in front of one."""
_PATTERNS = compile_patterns(debate.__name__, "replies_positions")
_EDGES = " \t\n-*•_#|>"
_WORD = re.compile(r"\w")

IsShown = Callable[[str], bool]
"""The check for texts that the model was shown."""


def own_part(text: str, is_shown: IsShown) -> str:
    """Return a labelled position without its introduction; blank when nothing of the writer's own is left."""
    left = last_meant(text.strip())
    while sentence := next(_sentences(left), ""):
        own = _unprefixed(sentence, _NO_POSITION)
        is_restated = sentence.endswith(("?", "？")) and is_shown(sentence)
        if own and not is_restated:
            return left if own == sentence else f"{own} {left.removeprefix(sentence).strip()}".strip()
        left = left.removeprefix(sentence).strip()
    return ""


def is_anew(text: str) -> bool:
    """Return whether ``text`` begins by taking back the text before it: "No wait: …"."""
    return _PATTERNS["begun_anew"].match(text) is not None


def last_meant(text: str) -> str:
    """Return ``text`` behind words that take the rest back; blank if only a part of the rest may be meant."""
    said = deque(_PATTERNS["replaced"].finditer(text), maxlen=1)
    if not said:
        return text
    before, behind = text[: said[0].start()], text[said[0].end() :].strip()
    is_whole = said[0]["begins"] is not None and len([*_sentences(before)]) == 1
    return behind if is_whole and len(behind.split()) >= min(_FEWEST, len(before.split())) else ""


def first_held(text: str) -> str:
    """Return the first sentence of a section in which the position is given."""
    return next((own for one in _sentences(_own_lines(text)) if (own := _held(one))), "")[:LONGEST]


def stated(prose: str, is_shown: IsShown) -> str:
    """Return the sentence with the writer's position in a prose; blank without one."""
    positions: list[str] = []
    concluded: list[str] = []
    for own in map(_held, _sentences(_own_lines(prose[:_SEARCHED]))):
        if is_anew(own):
            positions, concluded = [], []
        for pattern, found in ((_CONCLUDED, concluded), (_HELD, positions)):
            said = pattern.search(own)
            if said and not _PATTERNS["voted"].search(own) and not is_shown(own[said.start() :]):
                found.append(own)
    return (concluded[-1:] or positions[:1] or [""])[0][:LONGEST]


def _held(sentence: str) -> str:
    """Return the part of ``sentence`` that its writer may hold; blank for a question."""
    said = sentence.strip(_EDGES)
    return "" if said.endswith(("?", "？")) else _unprefixed(said)


def _unprefixed(sentence: str, around: re.Pattern[str] = _NOT_HELD) -> str:
    """Return ``sentence`` without a role, a greeting or a concession at its beginning."""
    role = _ROLE.match(sentence)
    said = sentence[role.end() :].strip() if role else sentence
    if not around.match(said):
        return said if _WORD.search(said) else ""
    turned = _TURNED.search(said)
    after = said[turned.end() :] if turned else ""
    return after if _HELD.search(after) or _CONCLUDED.search(after) else ""


def _own_lines(prose: str) -> str:
    """Return the lines of ``prose`` that are the writer's own: no quotation, no header, no section about others."""
    kept, others = [], ""
    for line in _PATTERNS["quoted"].sub(" ", prose).splitlines():
        headed = _HEADED.match(line)
        if headed:
            others = "paragraph" if headed["rest"].strip() else "section"
        elif _PATTERNS["header"].match(line) or (others == "paragraph" and not line.strip()):
            others = ""
        elif not others:
            kept.append(_PATTERNS["tags"].sub("", line))
    return "\n".join(kept)


def _sentences(text: str) -> Iterator[str]:
    return (found for one in _PATTERNS["sentence"].finditer(text) if _WORD.search(found := one[0].strip()))
