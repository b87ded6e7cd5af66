"""JSON that is read without trust: a result of another version lacks a piece, and its drawing is left out.

A ``Leaf`` never raises. What is missing, or is not what was expected, is empty.
"""

from collections.abc import Iterator
from math import isfinite
from typing import Any, NamedTuple


class Leaf(NamedTuple):
    """A place in a JSON document, there or not."""

    value: Any = None

    def at(self, *path: str) -> "Leaf":
        """The place below, by the names of the fields."""
        found = self.value
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        return Leaf(found)

    def each(self, *path: str) -> "tuple[Leaf, ...]":
        """The places in the list at ``path``; empty when there is no list."""
        found = self.at(*path).value
        return tuple(Leaf(one) for one in found) if isinstance(found, list | tuple) else ()

    def named(self, *path: str) -> "Iterator[tuple[str, Leaf]]":
        """The fields of the object at ``path`` with their names; none when there is no object."""
        found = self.at(*path).value
        return iter([(str(name), Leaf(one)) for name, one in found.items()] if isinstance(found, dict) else [])

    def text(self, *path: str) -> str:
        """The text at ``path``, else the empty text."""
        found = self.at(*path).value
        return found if isinstance(found, str) else ""

    def number(self, *path: str) -> float | None:
        """The finite number at ``path``, else ``None``."""
        found = self.at(*path).value
        is_number = isinstance(found, int | float) and not isinstance(found, bool) and isfinite(found)
        return float(found) if is_number else None

    def whole(self, *path: str) -> int | None:
        """The whole number at ``path``, else ``None``."""
        found = self.number(*path)
        return int(found) if found is not None and found == int(found) else None

    def texts(self, *path: str) -> tuple[str, ...]:
        """The texts in the list at ``path``."""
        return tuple(one.value for one in self.each(*path) if isinstance(one.value, str))

    def is_true(self, *path: str) -> bool:
        """Whether ``true`` stands at ``path``."""
        return self.at(*path).value is True
