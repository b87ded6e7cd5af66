"""The TOML files beside the modules of a protocol package: templates, modes, tables of words and patterns."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from protocols.lazy_patterns import lazy_pattern

_EARLIER = re.compile(r"\{([a-z_]+)\}")


@cache
def read_toml(package: str, name: str) -> dict[str, Any]:
    """Return the content of the file ``name`` in ``package``."""
    return tomllib.loads(files(package).joinpath(name).read_text("utf-8"))


def compile_patterns(package: str, section: str) -> dict[str, re.Pattern[str]]:
    """Return the regular expressions in a section of ``patterns.toml``, which is named after its module."""
    common = expand_patterns(read_toml(__package__, "patterns.toml")["text_files"])
    table = expand_patterns(read_toml(package, "patterns.toml")[section], common)
    return {name: lazy_pattern(pattern) for name, pattern in table.items()}


def expand_patterns(table: Mapping[str, str | list[str]], parts: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the regular expressions of a table; a list holds the alternatives of one.

    A line break is no part of an expression, and ``{name}`` is an earlier one, or one of ``parts``.
    """
    known = dict(parts or {})
    for name, rows in table.items():
        text = "|".join(rows) if isinstance(rows, list) else rows
        known[name] = _EARLIER.sub(lambda earlier: known[earlier[1]], text.replace("\n", ""))
    return {name: known[name] for name in table}
