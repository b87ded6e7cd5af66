"""The one comparison that makes a falsehood a flag, for the commands, ``validate``, studies and the client alike."""

from pydantic import Field

THRESHOLD = 0.5
"""Falsehood from which on a prompt is flagged, unless another one is given."""

Threshold = Field(default=THRESHOLD, ge=0, le=1)
"""The field of a model in which a threshold is given."""


def is_flagged(falsehood: float, threshold: float = THRESHOLD) -> bool:
    """Return whether ``falsehood`` reaches ``threshold``: a falsehood that equals it is flagged."""
    return falsehood >= threshold
