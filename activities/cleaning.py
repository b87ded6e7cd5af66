"""The one boundary that text from outside passes: after it, everything can be encoded and stored.

A lone surrogate cannot be written as UTF-8 and would make Temporal pay for the answer again; a NUL cuts strings in
SQLite. Only what cannot be kept is replaced, and every replacement is recorded. All else stays as the model wrote it.
"""

import re

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LINE_END = re.compile(r"\r\n?")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


def clean_text(text: str) -> tuple[str, tuple[str, ...]]:
    r"""``text`` as it can be stored, and what was done to it, one line each.

    Lone surrogates become U+FFFD, line ends become ``\n``, and of the other C0 controls only the tab stays.
    """
    repairs: list[str] = []
    text, lone = _SURROGATE.subn("\ufffd", text)
    if lone:
        repairs.append(f"{lone} lone surrogates replaced")
    text, ends = _LINE_END.subn("\n", text)
    if ends:
        repairs.append(f"{ends} carriage returns made line feeds")
    text, controls = _CONTROL.subn("", text)
    if controls:
        repairs.append(f"{controls} control characters dropped")
    return text, tuple(repairs)


def clean_line(text: str, longest: int) -> str:
    """``text`` as one printable line of at most ``longest`` characters; what is cut off is shown as ``…``."""
    line = " ".join(_UNPRINTABLE.sub(" ", text).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
