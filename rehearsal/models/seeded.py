"""Dice that always fall the same way: every choice is a digest of what it depends on.

No generator with a state is used, so the order in which calls arrive changes nothing.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")

_SPAN = float(2**64)


def fraction(*parts: object) -> float:
    """A number in [0, 1) that depends on ``parts`` alone."""
    text = "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") / _SPAN


def pick(options: Sequence[T], *parts: object) -> T:
    """One of ``options``. Raises ``IndexError`` when there is none."""
    return options[int(fraction(*parts) * len(options))]


def shuffled(items: Sequence[T], *parts: object) -> tuple[T, ...]:
    """All of ``items`` in an order that depends on ``parts`` alone."""
    order = sorted(range(len(items)), key=lambda i: fraction(*parts, "place", i))
    return tuple(items[i] for i in order)
