"""What somebody said, as a transcript shows it."""

from typing import NamedTuple


class Said(NamedTuple):
    """One contribution."""

    who: str
    """Seat and model."""
    where: str
    """Round and stage."""
    text: str
