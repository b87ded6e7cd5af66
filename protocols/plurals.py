"""Counts with their nouns, for every text that a user reads."""


def counted(number: int, noun: str) -> str:
    """Return ``1 round``, ``2 rounds``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
