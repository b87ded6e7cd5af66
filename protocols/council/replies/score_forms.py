"""Scores in tables and in JSON.

A table has a row for each answer and a column for each criterion, or the other way round. JSON has answers with
criteria, criteria with answers, or a list of single scores.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

from pydantic import JsonValue

from protocols.council.replies.labels import HEAD, PAIR, labels_at
from protocols.council.replies.score_values import Cells, CriterionOf, put, score_in_cell, score_of_value
from protocols.council.replies.tables import cells_of

_DEEPEST = 4
_WORD = re.compile(r"[^\W\d_]")
_LABEL_KEYS = ("label", "response", "answer", "id", "name", "candidate")
_CRITERION_KEYS = ("criterion", "criteria", "kriterium", "critère", "criterio", "标准")
_SCORE_KEYS = ("score", "value", "points", "rating", "punkte", "分数", "评分")


def from_tables(lines: Sequence[str], criteria: Sequence[str], criterion_of: CriterionOf) -> tuple[Cells, str]:
    """Return the scores in the tables of ``lines``, and their repair; blank without one."""
    rows = [row for line in lines if (row := cells_of(line))]
    if not rows:
        return {}, ""
    at = _label_column(rows)
    labelled = [row for row in rows if at < len(row) and _letters_in(row[at])]
    if len(labelled) > 1 or sum(bool(_letters_in(cell)) for cell in rows[0]) < PAIR:
        above = list(takewhile(lambda row: row not in labelled, rows))
        return _by_rows(labelled, at, above, criteria, criterion_of)
    return _by_columns(rows, criterion_of), ""


def from_value(value: JsonValue, criterion_of: CriterionOf) -> Cells:
    """Return the scores in a value of JSON."""
    cells: Cells = {}
    _add(cells, value, criterion_of, depth=0)
    return cells


def _label_column(rows: Sequence[Sequence[str]]) -> int:
    """Return the column with the most labels."""
    width = max(map(len, rows))
    counts = [sum(bool(_letters_in(row[column])) for row in rows if column < len(row)) for column in range(width)]
    return counts.index(max(counts))


def _by_rows(
    labelled: Sequence[Sequence[str]],
    at: int,
    above: Sequence[Sequence[str]],
    criteria: Sequence[str],
    criterion_of: CriterionOf,
) -> tuple[Cells, str]:
    """Return the scores of rows by the headings ``above`` them, or without any, in the order of ``criteria``."""
    cells_above = ([(n, cell) for n, cell in enumerate(row) if n != at and _WORD.search(cell)] for row in above)
    headings = [{n: criterion_of(cell) for n, cell in row} for row in cells_above]
    columns = {n: name for heading in headings for n, name in heading.items() if name}
    repair = "" if columns else "no criteria above the scores"
    if not columns:
        others = list(range(at + 1, max(map(len, labelled), default=0)))
        # Other headings than those asked for may be translated and in another order; a single one has no order.
        is_unknown = any(headings) and (len(criteria) > 1 or any("" in one.values() for one in headings))
        if is_unknown or len(others) != len(criteria):
            return {}, ""
        columns = dict(zip(others, criteria, strict=True))
    cells: Cells = {}
    for row in labelled:
        for column, name in columns.items():
            if column < len(row):
                put(cells, _letters_in(row[at]), name, score_in_cell(row[column]))
    return cells, repair


def _by_columns(rows: Sequence[Sequence[str]], criterion_of: CriterionOf) -> Cells:
    """Return the scores of a table with the labels in its first row."""
    heading, cells = rows[0], Cells()
    for row in rows[1:]:
        name = criterion_of(row[0])
        for column in range(1, min(len(row), len(heading))) if name else ():
            put(cells, _letters_in(heading[column]), name or "", score_in_cell(row[column]))
    return cells


def _add(cells: Cells, value: JsonValue, criterion_of: CriterionOf, *, depth: int) -> None:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for entry in value:
            _add(cells, entry, criterion_of, depth=depth + 1)
    elif isinstance(value, dict) and not _add_entry(cells, value, criterion_of):
        for key, inner in value.items():
            letters, name = _letters_in(key), criterion_of(key)
            if len(letters) == 1 and isinstance(inner, dict):
                _add_scores(cells, letters[0], inner, criterion_of)
            elif name and isinstance(inner, dict):
                for label, score in inner.items():
                    put(cells, _letters_in(label), name, score_of_value(score))
            else:
                _add(cells, inner, criterion_of, depth=depth + 1)


def _add_entry(cells: Cells, entry: Mapping[str, JsonValue], criterion_of: CriterionOf) -> bool:
    """Add an object that names its answer in a field; return whether it is one."""
    label = _text(entry, _LABEL_KEYS)
    letters = _letters_in(label) if label else ()
    if len(letters) != 1:
        return False
    name = criterion_of(_text(entry, _CRITERION_KEYS) or "")
    if name:
        put(cells, letters, name, score_of_value(_valued(entry, _SCORE_KEYS)))
    else:
        _add_scores(cells, letters[0], entry, criterion_of)
    return True


def _add_scores(cells: Cells, letter: str, fields: Mapping[str, JsonValue], criterion_of: CriterionOf) -> None:
    """Add the scores of one answer by criterion, also below another key."""
    for key, inner in fields.items():
        if name := criterion_of(key):
            put(cells, (letter,), name, score_of_value(inner))
        elif isinstance(inner, dict):
            for key_below, score in inner.items():
                put(cells, (letter,), criterion_of(key_below) or "", score_of_value(score))
        elif isinstance(inner, list):
            for one in inner:
                if isinstance(one, dict) and (below := criterion_of(_text(one, _CRITERION_KEYS) or "")):
                    put(cells, (letter,), below, score_of_value(_valued(one, _SCORE_KEYS)))


def _text(entry: Mapping[str, JsonValue], keys: tuple[str, ...]) -> str | None:
    found = _valued(entry, keys)
    return found if isinstance(found, str) else None


def _valued(entry: Mapping[str, JsonValue], keys: tuple[str, ...]) -> JsonValue:
    return next((inside for key, inside in entry.items() if key.casefold() in keys), None)


def _letters_in(cell: str) -> tuple[str, ...]:
    """Return the labels with which a cell begins."""
    labels = labels_at(cell, 0, HEAD)
    return labels.letters if labels else ()
