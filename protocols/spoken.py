"""What a model says when it has thought, in characters that can be stored."""

import re

_TAG = r"(?:think|thinking|thought|reasoning)>"
_THOUGHTS = re.compile(rf"^[^\S\n]{{0,20}}<{_TAG}.*?(?:</{_TAG}|\Z)", re.DOTALL | re.MULTILINE | re.IGNORECASE)
_THOUGHT = re.compile(rf"\A.*^[^\S\n]{{0,20}}</{_TAG}(?=\s*\S)", re.DOTALL | re.MULTILINE | re.IGNORECASE)
"""The end of thinking that was opened in the prompt, where nobody sees it."""


def spoken(text: str) -> str:
    """``text`` without thinking; thinking that never ends leaves nothing of what follows."""
    return _THOUGHT.sub("", _THOUGHTS.sub("", storable(text))).strip()


def storable(text: str) -> str:
    """``text`` without what no table can store: halves of characters, and the character that ends a text."""
    return text.encode("utf-8", "replace").decode().replace("\0", "").strip()
