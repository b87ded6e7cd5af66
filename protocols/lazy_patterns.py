"""Regular expressions that are compiled when they are first used.

The modules that a command imports have two hundred of them. To compile these took a quarter of the time in which its
help appears, which uses none; and a worker uses those of the protocols that it is asked for.
"""

import re
from typing import Any, cast


class Compilations:
    """The compilations in this process, which the time of a reading leaves out."""

    is_on = False
    ended = 0


class _LazyPattern:
    """A pattern that has the attributes of ``re.Pattern``, all but its text from the first use of one of them on."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        Compilations.is_on = True
        try:
            compiled = re.compile(self.pattern, self._flags)
            vars(self).update((name, getattr(compiled, name)) for name in _ATTRIBUTES)
        finally:
            Compilations.is_on = False
            Compilations.ended += 1
        return getattr(compiled, name)


_ATTRIBUTES = [name for name in dir(re.Pattern) if not name.startswith("_")]


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what ``re.compile`` would; an error in ``pattern`` is raised when it is first used."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))
