"""The cells of a dataset: a column as it is, or a place inside the JSON in a column.

``turns[0]`` is the first of a list, ``choices.text[1]`` the second of a list in an object, ``by["gpt-4.1"]`` the value
of a key with other characters. A column whose name is written like that is the column. Placeholders of programs for
a blank (``nan``) or an error (``#N/A``) are never asked.
"""

import ast
import re
from collections.abc import Collection
from typing import Any, NamedTuple

from studies.dataset.json_files import as_text, read_json

_STEPS = re.compile(r"\.(?P<key>[^.\[\]]{1,200})|\[(?P<index>[0-9]{1,6})\]|\[\"(?P<quoted>[^\"]{1,200})\"\]")
_ALL_STEPS = re.compile(r"(?:\.[^.\[\]]{1,200}|\[[0-9]{1,6}\]|\[\"[^\"]{1,200}\"\])+")
_PLAIN_KEY = re.compile(r"\w[\w -]*")
_LONGEST_JSON, _LONGEST_LITERAL = 1_000_000, 100_000
_SHOWN = 60
_SHEET_ERRORS = {"#n/a", "#name?", "#ref!", "#value!", "#div/0!", "#null!", "#num!"}


class Cell(NamedTuple):
    """The location of a value in a row."""

    said: str
    """As the study file has it."""
    column: str
    steps: tuple[str | int, ...] = ()

    def of(self, fields: dict[str, str]) -> str:
        """Return the value as text.

        Raises:
            ValueError: the row has none there; says why.
        """
        if self.column not in fields:
            raise ValueError(f"has no {self.column!r}")
        text = fields[self.column]
        if not self.steps:
            return text
        value = structured(text)
        if value is None:
            raise ValueError(
                f"{self.column!r} is {shown(text)}, which holds no list and no object, so it has no {self.said}"
            )
        for step in self.steps:
            value = self._inside(value, step)
        return as_text(value)

    def _inside(self, value: Any, step: str | int) -> Any:
        if isinstance(step, int):
            if isinstance(value, list) and step < len(value):
                return value[step]
            there = f"a list of {len(value)}, counted from 0" if isinstance(value, list) else "no list"
            raise ValueError(f"{self.said!r} has no [{step}]: there is {there}")
        if isinstance(value, dict) and step in value:
            return value[step]
        keys = ", ".join(map(repr, list(value)[:8])) if isinstance(value, dict) else ""
        raise ValueError(
            f"{self.said!r} has no {step!r}: there is " + (f"an object with {keys}" if keys else "no object")
        )


def cell_of(said: str, columns: Collection[str]) -> Cell | None:
    """Return the cell named ``said`` among ``columns``; ``None`` when there is none."""
    if said in columns:
        return Cell(said, said)
    for column in sorted(columns, key=len, reverse=True):
        rest = said.removeprefix(column) if column and said.startswith(column) else ""
        if rest and _ALL_STEPS.fullmatch(rest):
            steps = (found["key"] or found["quoted"] or int(found["index"]) for found in _STEPS.finditer(rest))
            return Cell(said, column, tuple(steps))
    return None


def structured(text: str) -> list[Any] | dict[str, Any] | None:
    """Return the list or object that ``text`` is, in JSON or as Python prints it; ``None`` when it is neither."""
    said = text.strip()
    if said[:1] + said[-1:] not in {"[]", "{}"} or len(said) > _LONGEST_JSON:
        return None
    try:
        value = read_json(said)
    except (ValueError, RecursionError):
        value = _literal(said)
    return value if isinstance(value, list | dict) else None


def _literal(said: str) -> Any:
    if len(said) > _LONGEST_LITERAL:
        return None
    try:
        return ast.literal_eval(said)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None


def placeholder(text: str) -> str | None:
    """Return the reason why ``text`` is a blank or an error of a program; ``None`` of every other text."""
    if text.strip().casefold() in {"nan", "<na>"}:
        return f"is {shown(text)}, which a program wrote for a blank cell; fill it in, or leave it empty"
    is_error = text.strip().casefold() in _SHEET_ERRORS
    return f"is {shown(text)}, the error of a spreadsheet; put the cell right there" if is_error else None


def why_not_asked(said: str, text: str) -> str | None:
    """Return why ``text``, the value of ``said``, cannot be asked as it is; ``None`` when it can."""
    if why := placeholder(text):
        return f"{said!r} {why}"
    value = structured(text)
    if value is None:
        return None
    inside = f"{said}[0]" if isinstance(value, list) else f"{said}{_step(next(iter(value), 'key'))}"
    kind = f"a list of {len(value)}" if isinstance(value, list) else "an object"
    return (
        f"{said!r} is {kind} in JSON, {shown(text)}: name what is to be asked of it, as in {inside!r}, or name it in "
        "dataset.allow_json to ask it as it is"
    )


def _step(key: str) -> str:
    return f".{key}" if _PLAIN_KEY.fullmatch(key) else f'["{key}"]'


def shown(text: str) -> str:
    """Return the beginning of ``text`` for a message."""
    line = " ".join(text.split())
    return repr(line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…")
