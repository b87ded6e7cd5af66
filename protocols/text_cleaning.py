"""A model's text in characters that can be stored, and as its numbers and labels are looked for."""

import re
from collections.abc import Callable

_STRUCK = re.compile(r"~~[^~\n]{1,300}~~")
_TAGGED = re.compile(
    r"(?:^|(?<=>))[^\S\n]*<(?P<name>[^\W\d_][\w -]{0,30})>(?P<text>(?:[^<]|<(?![/\w]))*)</(?P=name)>", re.MULTILINE
)
_PLAIN = str.maketrans(
    "０１２３４５６７８９．％٠١٢٣٤٥٦٧٨٩٫٪۰۱۲۳۴۵۶۷۸۹\u00a0\u202f",
    "0123456789.%0123456789.%0123456789  ",
    "\u061c\u200e\u200f",
)


def storable(text: str) -> str:
    """Return ``text`` without half characters and NULs, which no table can store, and blanks around it."""
    return text.encode("utf-8", "replace").decode().replace("\0", "").strip()


def plain(text: str) -> str:
    """Return ``text`` storable, with ASCII digits and blanks, without marks of direction and what is struck out."""
    return _STRUCK.sub("", storable(text)).translate(_PLAIN)


def untagged(text: str, is_name: Callable[[str], object]) -> str:
    """Return ``text`` with ``<vote>MINOR</vote>`` at the beginning of a line as ``vote: MINOR``, if it is a name."""

    def named(tag: re.Match[str]) -> str:
        said = tag["text"].strip()
        below = "\n" if "\n" in said else ""
        return f"\n{tag['name']}: {below}{said}\n" if is_name(tag["name"]) else tag[0]

    return _TAGGED.sub(named, text)
