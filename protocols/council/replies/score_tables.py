"""Scores in a table: a row for each answer and a column for each criterion, or the other way round."""

from collections.abc import Callable, Sequence

from protocols.council.replies.labels import HEAD, labels_at
from protocols.council.replies.score_values import score_in_cell
from protocols.council.replies.tables import cells_of

Cells = dict[tuple[str, str], float | None]
"""By letter and criterion; ``None`` where the writer's score cannot be read."""

CriterionOf = Callable[[str], str | None]
"""Returns the criterion that a heading names."""

_FEWEST_ROWS = 1


def from_tables(lines: Sequence[str], criteria: Sequence[str], criterion_of: CriterionOf) -> tuple[Cells, str]:
    """Return the scores in the tables of ``lines``, and their repair; blank without one."""
    rows = [row for line in lines if (row := cells_of(line))]
    if len(rows) < _FEWEST_ROWS:
        return {}, ""
    at = _label_column(rows)
    labelled = [row for row in rows if at < len(row) and letters_in(row[at])]
    if len(labelled) > 1 or not _names_labels(rows[0]):
        heading = rows[0] if rows[0] not in labelled else None
        return _by_rows(labelled, at, heading, criteria, criterion_of)
    return _by_columns(rows, criterion_of), ""


def letters_in(cell: str) -> tuple[str, ...]:
    """Return the labels with which a cell begins."""
    labels = labels_at(cell, 0, HEAD)
    return labels.letters if labels else ()


def _label_column(rows: Sequence[Sequence[str]]) -> int:
    """Return the column with the most labels."""
    width = max(map(len, rows))
    counts = [sum(bool(letters_in(row[column])) for row in rows if column < len(row)) for column in range(width)]
    return counts.index(max(counts))


def _names_labels(row: Sequence[str]) -> bool:
    return sum(bool(letters_in(cell)) for cell in row) > 1


def _by_rows(
    labelled: Sequence[Sequence[str]],
    at: int,
    heading: Sequence[str] | None,
    criteria: Sequence[str],
    criterion_of: CriterionOf,
) -> tuple[Cells, str]:
    if not labelled:
        return {}, ""
    named = {column: criterion_of(cell) for column, cell in enumerate(heading or ()) if column != at}
    columns = {column: name for column, name in named.items() if name}
    repair = ""
    if not columns:
        width = max(map(len, labelled))
        others = list(range(at + 1, width))
        if len(others) != len(criteria):
            return {}, ""
        columns = dict(zip(others, criteria, strict=True))
        repair = "criteria in other words, read in the order asked for" if heading else "no criteria above the scores"
    cells: Cells = {}
    for row in labelled:
        for column, name in columns.items():
            if column < len(row):
                _put(cells, letters_in(row[at]), name, row[column])
    return cells, repair


def _by_columns(rows: Sequence[Sequence[str]], criterion_of: CriterionOf) -> Cells:
    """Return the scores of a table with the labels in its first row."""
    heading, cells = rows[0], Cells()
    for row in rows[1:]:
        name = criterion_of(row[0])
        for column in range(1, min(len(row), len(heading))) if name else ():
            _put(cells, letters_in(heading[column]), name or "", row[column])
    return cells


def _put(cells: Cells, letters: Sequence[str], name: str, text: str) -> None:
    """Add a score; one that differs from another in its place makes both unreadable."""
    score = score_in_cell(text)
    for letter in letters:
        place = (letter, name)
        cells[place] = score if cells.get(place, score) == score else None
