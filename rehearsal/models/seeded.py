"""Reproducible randomness: every choice is a digest of its inputs.

No generator with a state is used, so the order in which calls arrive changes nothing.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")

_SPAN = float(2**64)


def fraction(*parts: object) -> float:
    """Return a number in [0, 1) determined by ``parts``."""
    text = "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") / _SPAN


def pick(options: Sequence[T], *parts: object) -> T:
    """Return one of ``options``. Raises ``IndexError`` without any."""
    return options[int(fraction(*parts) * len(options))]


def shuffled(items: Sequence[T], *parts: object) -> tuple[T, ...]:
    """Return all of ``items`` in an order determined by ``parts``."""
    order = sorted(range(len(items)), key=lambda i: fraction(*parts, "place", i))
    return tuple(items[i] for i in order)
