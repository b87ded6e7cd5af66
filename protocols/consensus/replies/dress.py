"""The formatting around a corrected text: rules, tags, a label, a block of code, quotation marks."""

import re

from protocols import consensus
from protocols.consensus.replies.sentences import Compared, normalised
from protocols.consensus.wording import WORDS
from protocols.text_files import compile_patterns

_QUOTED = re.compile(r"^>[^\S\n]?", re.MULTILINE)
_FENCED = re.compile(r"\s*(`{3,9}|~{3,9})[^\S\n]*(\w{0,20})[^\S\n]*\n(.*)\n\s*\1\s*", re.DOTALL)
_PLAIN_FENCES = frozenset(("", "text", "txt", "plaintext", "markdown", "md"))
_RULE_ABOVE = re.compile(r"\A(?:[-*_=][^\S\n]?){3,40}\n")
_RULE_BELOW = re.compile(r"\n[^\S\n]{0,9}(?:[-*_=][^\S\n]?){3,40}\s{0,9}\Z")
_PATTERNS = compile_patterns(consensus.__name__, "replies_dress")
_BLOCK = re.compile(r"```\w{0,20}[^\S\n]*\n(?:(?!```).*\n)*```")
_TAGGED = re.compile(r"<(?P<name>[a-z][\w-]{2,30})>\s*(?P<inside>.*?)\s*</(?P=name)>", re.DOTALL | re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_TEXTS = WORDS["revised"] | WORDS["versions"]
_QUOTES = ('""', "“”", "„“", "„”", "«»", "「」")


def trimmed(text: str) -> str:
    """Return ``text`` without the blank lines around it; the first line keeps its indentation, which may matter."""
    blank = len(text) - len(text.lstrip())
    return text[text.rfind("\n", 0, blank) + 1 :].rstrip()


def undressed(text: str, draft: Compared) -> str:
    """Return ``text`` without the rules, tags, label, block of code and quotation marks that ``draft`` has not."""
    own = draft.text
    text = _untagged(text, own)
    if not own.startswith(("---", "***", "___", "===")):
        text = trimmed(_RULE_ABOVE.sub("", _RULE_BELOW.sub("", text)))
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and all(line.startswith(">") for line in lines) and not own.startswith(">"):
        text = _QUOTED.sub("", text)
    label = _PATTERNS["label"].match(text)
    if label and normalised(label[1]).split()[0] not in draft.words:
        text = text[label.end() :]
    if _BLOCK.fullmatch(own) and len(blocks := [found[0] for found in _BLOCK.finditer(text)]) == 1:
        return blocks[0]
    return _unquoted(_unfenced(text, draft), draft)


def _untagged(text: str, draft: str) -> str:
    """Return ``text`` without one pair of tags around all of it that call it a text: ``<corrected_response>``."""
    found = _TAGGED.fullmatch(text.strip())
    words = set(_WORD.findall(found["name"].lower())) if found else set[str]()
    return found["inside"] if found and not draft.startswith("<") and words & _TEXTS else text


def _unfenced(text: str, draft: Compared) -> str:
    """Return ``text`` without a block of code around all of it, where the draft has none."""
    found = _FENCED.fullmatch(text)
    if not found or found[2].lower() not in _PLAIN_FENCES or "```" in draft.text or "~~~" in draft.text:
        return text
    return text if found[1] in found[3] else trimmed(found[3])


def _unquoted(text: str, draft: Compared) -> str:
    """Return ``text`` without one pair of quotation marks around all of it, where the draft has none."""
    opening, closing = text[:1], text[-1:]
    is_quoted = len(text) > len('""') and f"{opening}{closing}" in _QUOTES and not draft.text.startswith(opening)
    return text[1:-1] if is_quoted and not {opening, closing} & set(text[1:-1]) else text
