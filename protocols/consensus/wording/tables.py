"""The notation of tables of words: blanks or bars between entries, each language on a separate line."""


def words(*lines: str) -> frozenset[str]:
    """Return the words of ``lines``."""
    return frozenset(word for line in lines for word in line.split())


def signs(*lines: str) -> tuple[str, ...]:
    """Return the words of ``lines`` in their order, for what is looked for inside a text."""
    return tuple(sign for line in lines for sign in line.split())


def phrases(*lines: str) -> frozenset[str]:
    """Return the phrases of ``lines``, which stand between bars."""
    return frozenset(phrase.strip() for line in lines for phrase in line.split("|"))
