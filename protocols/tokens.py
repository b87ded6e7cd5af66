"""Estimates of a text's length in tokens, without a tokenizer.

Every family has its own, and none of them may decide what a prompt holds: a new version would count otherwise, and a
deliberation that is run again would ask, and pay for, another question. So a count here is an estimate from the text
alone, rather more than fewer. The weights are in hundredths of a token and were set against two tokenizers in use: a
word is one token and a fifth more for each letter beyond four, capitals cost more, digits go by three and pay for the
blank before them, indentation is cheap, and a character beyond Latin costs what its script does on average.
"""

from functools import lru_cache

from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns

_PATTERNS = compile_patterns(__package__, "tokens")
_PIECE = _PATTERNS["piece"]
"""A piece is short, so that a text can be cut anywhere. A word has the one blank before it in its piece: that makes
half as many pieces, and a single blank costs nothing."""

_BETWEEN_LINES = lazy_pattern(r"\n(?<=\S\n)(?=\S)")
"""No piece goes beyond this line feed, and it is a piece of its own."""

_TOKEN = 100
_SHORT_WORD, _LETTER_MORE, _CAPITAL = 4, 20, 40
_DIGITS = 3
_NEWLINE_MORE, _INDENTED, _BLANKS = 50, 50, 16
_MARK, _MARK_MORE = 80, 10
_SCRIPTS = (
    (0x80, _MARK),
    (0x370, 150),
    (0x400, 150),
    (0x530, 75),
    (0x2010, 200),
    (0x2040, 100),
    (0x2500, 200),
    (0x2580, 100),
    (0x3000, 200),
    (0xA000, 150),
    (0xAC00, 200),
    (0xD7B0, 150),
    (0xFF00, 200),
    (0xFFF0, 150),
    (0x10000, 200),
)
"""What a character costs below that code: marks, accented Latin, Greek, Cyrillic, …, dashes and quotes, …, lines, …,
Chinese and Japanese, …, Korean, …, wide Latin, and the rest of the plane."""
_BEYOND = 300

_LONGEST = 16
"""More characters than any token has: of a text that is far too long, the end need not be looked at."""
_CUT = " […]"


def count(text: str) -> int:
    """Estimate the tokens of ``text``, rather too many than too few."""
    return -(-_cost(text) // _TOKEN)


def clip(text: str, most: int) -> str:
    """Return ``text``, or its beginning within ``most`` tokens, with a mark at the cut."""
    near = text[: (most + 1) * _LONGEST]
    if _cost(near) <= most * _TOKEN:
        return near
    space, kept = most * _TOKEN - _cost(_CUT), 0
    for piece in _PIECE.finditer(near):
        space -= _weight(piece[0])
        if space < 0:
            break
        kept = piece.end()
    beginning = text[:kept].rstrip()
    return beginning + _CUT if beginning else ""


def _cost(text: str) -> int:
    lines = _BETWEEN_LINES.split(text) if "\n" in text else (text,)
    return sum(map(_line_cost, lines)) + _weight("\n") * (len(lines) - 1)


@lru_cache(maxsize=8192)  # prompts of one round have most lines in common, and the code in a mark is in few
def _line_cost(line: str) -> int:
    return sum(map(_weight, _PIECE.findall(line)))


@lru_cache(maxsize=16384)  # texts of one deliberation have most of their words in common
def _weight(piece: str) -> int:
    last = piece[-1]
    if "a" <= last <= "z":
        return _TOKEN + _LETTER_MORE * max(0, len(piece.lstrip(" ")) - _SHORT_WORD)
    if "A" <= last <= "Z":
        return max(_TOKEN, _CAPITAL * len(piece.lstrip(" ")))
    if "0" <= last <= "9":
        digits = len(piece.lstrip(" "))
        return _TOKEN * (-(-digits // _DIGITS) + len(piece) - digits)
    return _blank(piece) if last.isspace() else _script(last) + _MARK_MORE * (len(piece) - 1)


def _blank(piece: str) -> int:
    if piece == " ":
        return 0
    lines, far = piece.count("\n"), _TOKEN * (len(piece) // _BLANKS)
    if not lines:
        return _TOKEN + far
    return _TOKEN + _NEWLINE_MORE * (lines - 1) + _INDENTED * (len(piece) > 1) + far


def _script(character: str) -> int:
    return next((weight for end, weight in _SCRIPTS if ord(character) < end), _BEYOND)
