"""ACCEPT in every dress that models give it, and nothing else.

The word is undressed layer by layer: list marks, emphasis, quotation marks, brackets, a label, a tag, one key of JSON,
a box, a block of code. A struck out word, a question and letters that merely look alike are never the word::

    the word alone                          accepted
    the word, behind it only praise         accepted: praise is sentences of a closed set of words, without a condition
    the word, behind it the draft itself    accepted
    remarks with nothing against the draft, last the word on a line of its own      accepted
    the word in another form or language    accepted where the draft is too long to be corrected by it
"""

import re
import string
from typing import Literal

from protocols import consensus
from protocols.consensus.replies.sentences import (
    COMPARED,
    Compared,
    folded,
    is_all_praise,
    is_opposed,
    normalised,
    sentences,
)
from protocols.consensus.wording import PATTERNS, PHRASES, WORD, WORDS
from protocols.text_files import compile_patterns

Consent = Literal["word", "word_and_remark", "translated"]

LONGEST = 400
"""Characters of a word with all its dress."""

LONGEST_PREAMBLE = 6_000
"""Characters of remarks above the word."""

_FEWEST_WORDS = 12
"""Of a draft that no single word can correct."""

_QUOTES = "\"'`«»‹›“”„‟‘’‚‛「」『』﹁﹂〝〞〟❝❞❛❜´′″《》〈〉"
_ADORNMENT = string.whitespace + "*_#•·–—" + _QUOTES + "✅✔☑✓👍🟢💯🎉👌"
_CLOSING = _ADORNMENT + ".!:。！"
_BRACKETS = ("[]", "()", "【】", "{}", "$$", "（）")
_PATTERNS = compile_patterns(consensus.__name__, "replies_acceptance")
_ITEM, _TAG, _JSON, _BOX = (_PATTERNS[name] for name in ("item", "tag", "json", "box"))
_FENCE, _LABEL, _FIRST, _RULES = (_PATTERNS[name] for name in ("fence", "label", "first", "rules"))
_LAYERS = 8


def consent(text: str, draft: Compared) -> Consent | None:
    """Return how ``text`` accepts; ``None`` when it does not, or when that is not certain."""
    if len(text) > COMPARED:
        text = text.lstrip(_ADORNMENT).rstrip(_CLOSING)[: COMPARED + 1]
    said = _RULES.sub("", folded(text[:COMPARED]).strip()).strip()
    bare = undressed(said)
    if bare == WORD:
        return "word"
    if bare in PHRASES["translated"] and draft.length >= _FEWEST_WORDS:
        return "translated"
    if any(undressed(head) == WORD and _adds_nothing(rest, draft) for head, rest in _split(said)):
        return "word_and_remark"
    return "word_and_remark" if _closes(said, draft) else None


def undressed(text: str) -> str:
    """Return a short text without its formatting, in lower case; a long text is unchanged."""
    said = text.lstrip(_ADORNMENT).rstrip(_CLOSING) if len(text) > LONGEST else text
    if len(said) > LONGEST:
        return said
    for _ in range(_LAYERS):
        before = said
        said = _without_layer(said)
        if said == before:
            break
    return " ".join(said.lower().split())


def _without_layer(said: str) -> str:
    said = said.strip()
    if found := _FENCE.fullmatch(said):
        return found[2]
    said = said.lstrip(_ADORNMENT).rstrip(_CLOSING)
    if found := _ITEM.match(said):
        return said[found.end() :]
    if len(said) > 1 and f"{said[0]}{said[-1]}" in _BRACKETS and not _JSON.fullmatch(said):
        return said[1:-1]
    if found := _TAG.fullmatch(said) or _BOX.fullmatch(said):
        return found[found.re.groups]
    if (found := _JSON.fullmatch(said)) or (found := _LABEL.fullmatch(said)):
        return found[2] if _is_label(found[1]) else said
    return said


def _is_label(text: str) -> bool:
    named = text.lower().strip(_ADORNMENT).split()
    return bool(named) and named[-1] in WORDS["labels"] and WORDS["before_labels"].issuperset(named[:-1])


def _split(said: str) -> list[tuple[str, str]]:
    """Return the first line and the rest, and the word and the rest of its line with all that follows."""
    head, _, rest = said.partition("\n")
    found = _FIRST.match(said) if len(said) <= LONGEST else None
    fenced = re.match(r"(`{3,9})\w{0,20}\n([^\n]{0,99})\n\1[^\S\n]*\n(.*)", said, re.DOTALL)
    pairs = [(head, rest)] if rest.strip() else []
    return pairs + ([(found[1], found[2])] if found else []) + ([(fenced[2], fenced[3])] if fenced else [])


def _adds_nothing(rest: str, draft: Compared) -> bool:
    return (
        not rest.strip(_CLOSING + "-")
        or is_all_praise(rest)
        or (bool(draft.text) and draft.is_same(rest.strip("-\n ")))
    )


def _closes(said: str, draft: Compared) -> bool:
    """Return whether the word is last, below remarks without an objection to the draft."""
    above, _, last = said.rpartition("\n")
    if undressed(last) != WORD or not above.strip() or len(above) > LONGEST_PREAMBLE:
        return False
    if is_all_praise(above):
        return True
    shown = normalised(above)
    is_sure = not PATTERNS["unsure"].search(shown) and all(map(draft.holds, PATTERNS["figure"].findall(shown)))
    return is_sure and any(map(draft.is_about, sentences(above))) and not is_opposed(above)
