"""How Parley is installed: the distribution's name, and the full names of its own modules.

In a checkout the packages are at the top level, in an installed wheel they are below ``parley``: the wheel's build
writes the prefix before imports. A module that is named by a text, to start a process or to load it later, gets the
prefix here.
"""

from typing import Final

DISTRIBUTION: Final = "parley-deliberation"
"""The name in a package index; the program and the import name are ``parley``."""

_PREFIX = __name__.removesuffix("runtime.distribution")


def own_module(name: str) -> str:
    """Return the full name of the module that a checkout calls ``name``."""
    return f"{_PREFIX}{name}"
