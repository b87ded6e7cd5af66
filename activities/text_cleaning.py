"""The one boundary that text from outside passes: after it, everything can be encoded and stored.

A lone surrogate cannot be written as UTF-8 and would make Temporal pay for the answer again; a NUL cuts strings in
SQLite. Only what cannot be kept is replaced, and every replacement is recorded. All else stays as the model wrote it.
"""

import re

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
_CONTROLS = bytes(code for code in range(0x20) if chr(code) not in "\t\n")
_PIECE = 65_536
"""Characters that are replaced in one step, so that other threads get their turn."""
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


def clean_text(text: str) -> tuple[str, tuple[str, ...]]:
    r"""Return ``text`` as it can be stored, and one line per change.

    Lone surrogates become U+FFFD, line ends become ``\n``, and of the other C0 controls only the tab stays.
    """
    if text.encode("utf-8", "replace").translate(None, _CONTROLS).decode() == text:
        return text, ()  # a search for every kind of character takes ten times as long
    repairs: list[str] = []
    text, lone = _replaced(_SURROGATE, "\ufffd", text)
    if lone:
        repairs.append(f"{lone} lone surrogates replaced")
    ends = text.count("\r")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if ends:
        repairs.append(f"{ends} carriage returns made line feeds")
    text, controls = _replaced(_CONTROL, "", text)
    if controls:
        repairs.append(f"{controls} control characters dropped")
    return text, tuple(repairs)


def clean_line(text: str, longest: int) -> str:
    """Return ``text`` as one printable line of at most ``longest`` characters, cut with ``…``."""
    line = " ".join(_UNPRINTABLE.sub(" ", text).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _replaced(unwanted: re.Pattern[str], by: str, text: str) -> tuple[str, int]:
    """Return ``text`` with every unwanted character replaced, and their number."""
    if not unwanted.search(text):
        return text, 0
    pieces = [unwanted.subn(by, text[at : at + _PIECE]) for at in range(0, len(text), _PIECE)]
    return "".join(piece for piece, _ in pieces), sum(number for _, number in pieces)
