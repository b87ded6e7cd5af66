"""What somebody said, as a transcript shows it."""

from typing import NamedTuple

from report.leaves import Leaf


class Said(NamedTuple):
    """One contribution."""

    who: str
    """Seat and model."""
    where: str
    """Round and stage."""
    text: str


def noted(where: str, turn: Leaf) -> str:
    """Return ``where`` with the note of the turn, that it was cut off or asked for once more, where it has one."""
    return f"{where} · {turn.text('note')}" if turn.text("note") else where
