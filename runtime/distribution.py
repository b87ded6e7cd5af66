"""Installed distribution: its name, and the full names of its modules.

In a checkout the packages are at the top level, in an installed wheel they are below ``parley``: the wheel's build
writes the prefix before imports. A module that is named by a text, to start a process or to load it later, gets the
prefix here.
"""

from typing import Final

DISTRIBUTION: Final = "parley-deliberation"
"""The name in a package index; the program and the import name are ``parley``."""

_EXTRAS = {
    **dict.fromkeys(("click", "pypdf", "rich"), "cli"),
    **dict.fromkeys(("krippendorff", "numpy", "openpyxl", "pyarrow", "scipy", "yaml"), "studies"),
}
"""The extra that installs a module."""
_PREFIX = __name__.removesuffix("runtime.distribution")


def own_module(name: str) -> str:
    """Return the full name of the module that a checkout calls ``name``."""
    return f"{_PREFIX}{name}"


def missing_package(error: ModuleNotFoundError) -> str:
    """Return a sentence that names the missing package and the extra to install."""
    module = (error.name or "").partition(".")[0]
    if module not in _EXTRAS:
        return str(error)
    return f"{module} is not installed. Install it with: pip install '{DISTRIBUTION}[{_EXTRAS[module]}]'"
