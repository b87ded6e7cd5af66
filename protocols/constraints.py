"""Messages for values that break a constraint: the remedy, in place of pydantic's messages.

One table serves command line options, study files, providers and panels files, short inputs, settings and the
arguments of updates. A message that a validator of ours raised is passed on as it is.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import read_toml

_NOUNS = {"participants": "models", "": "entries", "stop": "texts", "order": "endpoints", "only": "endpoints"}
"""What the entries of a list are called; the others are called as their field."""

_TABLES = read_toml(__package__, "constraints.toml")
_FIXED: Mapping[str, str] = {kind: remedy for remedy, kinds in _TABLES["fixed"].items() for kind in kinds.split()}
"""By pydantic's type of error, for those whose sentence names no figure."""

_WITH_FIGURES: Mapping[str, str] = _TABLES["with_figures"]
"""By pydantic's type of error, with the names of the figures that come with it."""

_NAME = lazy_pattern(r"\^\[a-z0-9\]\[a-z0-9(?P<marks>_?-)\]\{0,(?P<more>\d+)\}\$")
"""The pattern of a name."""
_ANYTHING_ELSE = "it is not a value of this kind"


def sentence_of(error: Mapping[str, Any]) -> str:
    """Return what is wrong with one value, from one of ``ValidationError.errors()``: ``at most 26 models``."""
    kind, context = str(error["type"]), dict(error.get("ctx") or {})
    figures = {name: int(n) if isinstance(n, float) and n.is_integer() else n for name, n in context.items()}
    if kind in {"value_error", "assertion_error"}:
        return str(figures.get("error", _ANYTHING_ELSE))
    if kind in {"too_short", "string_too_short"} and figures.get("min_length") == 1:
        return "it is empty"
    if kind == "string_pattern_mismatch" and (name := _NAME.fullmatch(str(figures["pattern"]))):
        marks = {"-": "digits or hyphens", "_-": "digits, low lines or hyphens"}[name["marks"]]
        return f"write 1 to {int(name['more']) + 1} small letters, {marks}, beginning with a letter or digit"
    if kind in _WITH_FIGURES:
        return _WITH_FIGURES[kind].format_map({"noun": _noun(error["loc"]), **figures})
    return _FIXED.get(kind, _ANYTHING_ELSE)


def problem(error: ValidationError, within: str = "") -> str:
    """Return the first problem of ``error`` in one line that names the field, ``within`` another, and the value."""
    first: Any = error.errors(include_url=False)[0]
    where = ".".join(map(str, (*([within] if within else []), *first["loc"])))
    said = sentence_of(first)
    if not where:
        return said
    if first["type"] == "missing" or isinstance(first["input"], list | tuple | dict):
        return f"{where}: {said}"
    return f"{where} is {quoted(first['input'])}: {said}"


def quoted(value: object, longest: int = 200) -> str:
    """Return ``value`` as a text in quotes; one of more than ``longest`` characters is cut, and ends with "…"."""
    text = str(value)
    return repr(text if len(text) <= longest else f"{text[: longest - 1]}…")


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "", *, alike: float = 0.6) -> str:
    """Return the question for the nearest of the ``known`` names; ``otherwise`` where none is ``alike``, 0 to 1."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=alike)
    return f"Did you mean {near[0]!r}?" if near else otherwise


def _noun(where: Sequence[Any]) -> str:
    names = [part for part in where if isinstance(part, str)]
    name = names[-1] if names else ""
    return _NOUNS.get(name, name.replace("_", " "))
