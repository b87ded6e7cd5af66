"""Templates for a question: text with the names of columns in braces, and nothing else in them.

``{prompt}`` is the value of the column in a row, ``{turns[0]}`` a place inside the JSON of a column (see
``cells``); ``{{`` and ``}}`` are braces. A value of a row is never a template itself, and a name reaches only
the dataset.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from parley.errors import RequestError

_PART = re.compile(r"(?P<brace>\{\{|\}\})|\{(?P<name>[^{}]*)\}|(?P<stray>[{}])|(?P<text>[^{}]+)")
_NAME = re.compile(r"\w[\w -]*(?:\.\w[\w -]*|\[[0-9]{1,6}\]|\[\"[^\"{}]{1,200}\"\])*")


class Part(NamedTuple):
    """A piece of a template: text as it is, or a column's name."""

    text: str
    is_column: bool


class Template(NamedTuple):
    """A template that was read."""

    parts: tuple[Part, ...]

    @classmethod
    def of(cls, text: str) -> "Template":
        """Read ``text``."""
        return cls(tuple(_part(found) for found in _PART.finditer(text)))

    @classmethod
    def column(cls, name: str) -> "Template":
        """Return the template of one column as it is."""
        return cls((Part(name, is_column=True),))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names, each once."""
        return tuple(dict.fromkeys(part.text for part in self.parts if part.is_column))

    def filled(self, fields: Mapping[str, str]) -> str:
        """Return the text for one row."""
        return "".join(fields[part.text] if part.is_column else part.text for part in self.parts)


def _part(found: re.Match[str]) -> Part:
    if found["stray"]:
        raise RequestError(
            f"dataset.template: the {found['stray']!r} at character {found.start() + 1} belongs to no name; "
            f"a brace is written {found['stray'] * 2}"
        )
    name = found["name"]
    if name is None:
        return Part(found["text"] or found["brace"][0], is_column=False)
    if not _NAME.fullmatch(name):
        raise RequestError(
            f"dataset.template: {{{name}}} cannot be used: there is the name of a column in braces, or a place "
            "in one, and nothing else, for example {prompt} or {turns[0]}; braces themselves are written {{ and }}"
        )
    return Part(name, is_column=True)
