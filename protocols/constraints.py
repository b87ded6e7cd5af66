"""Messages for values that break a constraint: the remedy, in place of pydantic's messages.

One table serves command line options, study files, providers and panels files, short inputs, settings and the
arguments of updates. A message that a validator of ours raised is passed on as it is.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

_LONGEST_VALUE = 80
_NOUNS = {"participants": "models", "": "entries"}
"""What the entries of a list are called; the others are called as their field."""

_FIXED: Mapping[str, str] = {
    **dict.fromkeys(("string_type", "bytes_type", "none_required"), "write text"),
    **dict.fromkeys(("string_unicode", "bytes_invalid_encoding", "string_not_ascii"), "write text in UTF-8"),
    **dict.fromkeys(("int_type", "int_parsing", "int_parsing_size", "int_from_float"), "write a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "decimal_type", "decimal_parsing"), "write a number"),
    **dict.fromkeys(("finite_number",), "write a finite number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "write true or false"),
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type", "iterable_type"), "write a list"),
    **dict.fromkeys(("dict_type", "mapping_type", "model_type", "model_attributes_type"), "write names with values"),
    **dict.fromkeys(("json_type", "json_invalid"), "write one JSON object"),
    **dict.fromkeys(("timezone_aware", "timezone_naive"), "write the time zone, too, as in 2026-05-01T12:00:00Z"),
    **dict.fromkeys(
        ("datetime_type", "datetime_parsing", "datetime_object_invalid", "datetime_from_date_parsing"),
        "write a moment such as 2026-05-01T12:00:00Z",
    ),
    **dict.fromkeys(
        ("url_type", "url_parsing", "url_syntax_violation", "url_scheme"), "write an address such as https://host/path"
    ),
    "missing": "it is missing",
    "extra_forbidden": "there is no field of this name",
    "invalid_key": "write the name as text",
    "path_type": "write a path",
    "recursion_loop": "it holds itself",
}
"""By pydantic's type of error, for those whose sentence names no figure."""

_WITH_FIGURES: Mapping[str, str] = {
    "greater_than": "write a number above {gt}",
    "greater_than_equal": "write {ge} or more",
    "less_than": "write a number below {lt}",
    "less_than_equal": "write {le} or less",
    "multiple_of": "write a multiple of {multiple_of}",
    "too_short": "at least {min_length} {noun}",
    "too_long": "at most {max_length} {noun}",
    "string_too_short": "at least {min_length} characters",
    "string_too_long": "at most {max_length} characters",
    "string_pattern_mismatch": "write it in the form {pattern}",
    "url_too_long": "at most {max_length} characters",
    "literal_error": "write {expected}",
    "enum": "write {expected}",
    "union_tag_invalid": "write as {discriminator} one of {expected_tags}",
    "union_tag_not_found": "say by {discriminator} what it is",
}
"""By pydantic's type of error, with the names of the figures that come with it."""

_OURS = frozenset({"value_error", "assertion_error"})
_ANYTHING_ELSE = "it is not a value of this kind"


def sentence_of(error: Mapping[str, Any]) -> str:
    """Return what is wrong with one value, from one of ``ValidationError.errors()``: ``at most 26 models``."""
    kind, told = str(error["type"]), dict(error.get("ctx") or {})
    figures = {name: int(n) if isinstance(n, float) and n.is_integer() else n for name, n in told.items()}
    if kind in _OURS:
        return str(figures.get("error", _ANYTHING_ELSE))
    if kind in {"too_short", "string_too_short"} and figures.get("min_length") == 1:
        return "it is empty"
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
    return f"{where} is {str(first['input'])[:_LONGEST_VALUE]!r}: {said}"


def _noun(where: Sequence[Any]) -> str:
    names = [part for part in where if isinstance(part, str)]
    name = names[-1] if names else ""
    return _NOUNS.get(name, name.replace("_", " "))
