"""The one comparison that makes a falsehood a flag, for the commands, ``validate``, studies and the client alike."""

from pydantic import Field

THRESHOLD = 0.5
"""Falsehood from which on a prompt is flagged, unless another one is given."""

Threshold = Field(default=THRESHOLD, ge=0, le=1)
"""The field of a model in which a threshold is given."""


def is_flagged(falsehood: float, threshold: float = THRESHOLD) -> bool:
    """Return whether ``falsehood`` reaches ``threshold``: a falsehood that equals it is flagged."""
    return falsehood >= threshold


def flag(verdict: str, falsehood: float, threshold: float) -> str:
    """Return ``verdict`` after a statement on whether ``falsehood`` reaches ``threshold``.

    A falsehood that two decimals would round up to the threshold is given with more of them.
    """
    if is_flagged(falsehood, threshold):
        return f"flagged at {threshold:g}: {verdict}"
    is_near = float(f"{falsehood:.2f}") >= threshold
    return f"not flagged at {threshold:g}{f', being {falsehood:.6g}' if is_near else ''}: {verdict}"


def flag_again(verdict: str, falsehood: float, threshold: float) -> str:
    """Return a verdict of ``flag`` with the words for another ``threshold``."""
    return flag(verdict.partition(": ")[2], falsehood, threshold)
