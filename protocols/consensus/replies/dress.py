"""The formatting around a corrected text: rules, tags, a label, a block of code, quotation marks."""

from protocols import consensus
from protocols.consensus.replies.sentences import Compared, normalised
from protocols.consensus.wording import WORDS
from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns

_PLAIN_FENCES = frozenset(("", "text", "txt", "plaintext", "markdown", "md"))
_PATTERNS = compile_patterns(consensus.__name__, "replies_dress")
_BLOCK = lazy_pattern(r"```\w{0,20}[^\S\n]*\n(?:(?!```).*\n)*```")
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
        text = trimmed(_PATTERNS["rule_above"].sub("", _PATTERNS["rule_below"].sub("", text)))
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and all(line.startswith(">") for line in lines) and not own.startswith(">"):
        text = _PATTERNS["quoted"].sub("", text)
    label = _PATTERNS["label"].match(text)
    if label and normalised(label[1]).split()[0] not in draft.words:
        text = text[label.end() :]
    if _BLOCK.fullmatch(own) and len(blocks := [found[0] for found in _BLOCK.finditer(text)]) == 1:
        return blocks[0]
    return _unquoted(_unfenced(text, draft), draft)


def _untagged(text: str, draft: str) -> str:
    """Return ``text`` without one pair of tags around all of it that call it a text: ``<corrected_response>``."""
    found = _PATTERNS["tagged"].fullmatch(text.strip())
    words = set(_PATTERNS["word"].findall(found["name"].lower())) if found else set[str]()
    return found["inside"] if found and not draft.startswith("<") and words & _TEXTS else text


def _unfenced(text: str, draft: Compared) -> str:
    """Return ``text`` without a block of code around all of it, where the draft has none."""
    found = _PATTERNS["fenced"].fullmatch(text)
    if not found or found[2].lower() not in _PLAIN_FENCES or "```" in draft.text or "~~~" in draft.text:
        return text
    return text if found[1] in found[3] else trimmed(found[3])


def _unquoted(text: str, draft: Compared) -> str:
    """Return ``text`` without one pair of quotation marks around all of it, where the draft has none."""
    opening, closing = text[:1], text[-1:]
    is_quoted = len(text) > len('""') and f"{opening}{closing}" in _QUOTES and not draft.text.startswith(opening)
    return text[1:-1] if is_quoted and not {opening, closing} & set(text[1:-1]) else text
