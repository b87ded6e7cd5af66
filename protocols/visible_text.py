"""Text without hidden characters: invisible ones are removed or spelled out.

A model's text may hold escape sequences that recolour or overwrite a terminal, marks that turn the direction of writing
so that a line reads differently than it is, and characters without a shape that carry a message past the reader. Three
kinds stay, because writing needs them: joiners between letters of the scripts that shape letters by them and between
the parts of an emoji, one variation selector behind a character that has variants, and the tags of a flag.
"""

import re
import unicodedata

from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns

_PATTERNS = compile_patterns(__package__, "visible_text")
_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"
_DIRECTIONS = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_SHAPELESS = (
    # Soft hyphen, joiner of graphemes, fillers, zero-width spaces, invisible operators, byte order mark, annotations,
    # and what Unicode keeps for more of the same kind.
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"
)
_BREAKS = r"\u2028\u2029"
_SELECTORS = r"\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_JOINERS = r"\u200c\u200d"
_TAGS = r"\U000e0000-\U000e007f"

UNSEEN = lazy_pattern(f"[{_CONTROLS}{_DIRECTIONS}{_SHAPELESS}{_BREAKS}{_SELECTORS}{_JOINERS}{_TAGS}]")
"""Every character that this module looks at, the line feed and the tab aside."""

_REMOVED = lazy_pattern(f"[{_CONTROLS}{_DIRECTIONS}{_SHAPELESS}]")
_RUNS = lazy_pattern(f"[{_TAGS}]+|[{_SELECTORS}]+|[{_JOINERS}]+")
_FLAG = lazy_pattern(r"[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f")
_FLAG_BASE = "\U0001f3f4"
_TAG_OFFSET = 0xE0000
_KEYCAP = "\u20e3"
_EMOJI_STYLES = "\ufe0e\ufe0f"
_STYLED = frozenset("0123456789#*\u2139\u203c\u2049\u3030")
"""Characters with a text and an emoji shape that are no symbols by their category."""
_SKIN_TONES = lazy_pattern("[\U0001f3fb-\U0001f3ff]")
_IDEOGRAPHS = lazy_pattern("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_MONGOLIAN = lazy_pattern("[\u1820-\u18aa]")
_SHAPED_BY_JOINERS = _PATTERNS["shaped_by_joiners"]
_LONGEST_NOTE = 200


def printable(text: str) -> str:
    """Return ``text`` without escape sequences, control characters (line feed and tab stay) and hidden characters.

    Hidden text with letters (tag characters) and runs of selectors are named in brackets, so that a reader
    sees them; separators of lines become line feeds; all other characters without a shape are removed.
    """
    if UNSEEN.search(text) is None:
        return text
    plain = re.sub(f"[{_BREAKS}]", "\n", _REMOVED.sub("", _PATTERNS["sequences"].sub("", text)))
    return _RUNS.sub(_shown, plain)


def _shown(run: re.Match[str]) -> str:
    """Return what is printed in place of one run of tags, selectors or joiners."""
    text, start, end = run.string, run.start(), run.end()
    before, behind = text[start - 1 : start], text[end : end + 1]
    found = run[0]
    if _TAG_OFFSET <= ord(found[0]) <= _TAG_OFFSET + 0x7F:
        return found if before == _FLAG_BASE and _FLAG.fullmatch(found) else _spelled(found)
    if len(found) > 1:
        return f"[hidden: {len(found)} characters]"
    if found in "\u200c\u200d":
        before = text[start - 2 : start - 1] if before and before in _EMOJI_STYLES else before
        return found if _is_joined(found, before, behind) else ""
    return found if _has_variant(found, before, behind) else ""


def _spelled(tags: str) -> str:
    """Return the ASCII text that tag characters spell, in brackets."""
    said = "".join(chr(ord(tag) - _TAG_OFFSET) for tag in tags[:_LONGEST_NOTE])
    return f"[hidden text: {''.join(letter for letter in said if letter.isprintable())}]"


def _is_joined(joiner: str, before: str, behind: str) -> bool:
    """Return whether the two neighbours of a joiner are shaped or joined by it."""
    if _SHAPED_BY_JOINERS.match(before) and _SHAPED_BY_JOINERS.match(behind):
        return True
    is_part = bool(_SKIN_TONES.match(before)) or _is_symbol(before)
    return joiner == "\u200d" and is_part and _is_symbol(behind)


def _has_variant(selector: str, before: str, behind: str) -> bool:
    """Return whether a selector follows a character with variants of its kind."""
    if selector in _EMOJI_STYLES:
        return bool(before) and (_is_symbol(before) or (before in _STYLED and (before > "9" or behind == _KEYCAP)))
    return bool(_IDEOGRAPHS.match(before) or _MONGOLIAN.match(before))


def _is_symbol(character: str) -> bool:
    return bool(character) and unicodedata.category(character) in {"So", "Sm"}


def one_line(text: str, *, width: int) -> str:
    """Return ``printable(text)`` as one line of at most ``width`` characters."""
    line = " ".join(printable(text).split())
    return line if len(line) <= width else f"{line[: width - 1]}…"
