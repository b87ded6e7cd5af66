"""Rankings in tables: columns in any order, or labels side by side above their places."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from protocols import council
from protocols.council.replies.labels import (
    HEAD,
    NUMBER,
    PAIR,
    Found,
    Numbered,
    Places,
    are_places,
    by_number,
    do_rise,
    in_order,
    labels_at,
    number_of,
    score_in,
)
from protocols.council.wording import SHARED, holds_score_word
from protocols.lazy_patterns import lazy_pattern
from protocols.text_files import compile_patterns

_RULE = lazy_pattern(r"[\s|:+=-]*")
_PATTERNS = compile_patterns(council.__name__, "replies_tables")
_PLACES = _PATTERNS["places"]
_UNNAMED = _PATTERNS["unnamed"]
_BEFORE_PLACE = lazy_pattern(r"\A[( =]*(?:T-?(?=\d))?")
_LONE = lazy_pattern(r"[\W_]{0,8}")
_PLAIN_NUMBER = lazy_pattern(r"[^\w#]{0,4}(?P<plain>\d{1,3}(?:[.,]\d{1,2})?)\W{0,4}")
_FEWEST_CELLS = 2
_MOST_CELLS = 40


class _Row(NamedTuple):
    cells: tuple[str, ...]

    def cell(self, column: int) -> str:
        return self.cells[column] if column < len(self.cells) else ""


def tabled(lines: Iterable[str]) -> tuple[list[Found], list[str]]:
    """Return the order in which a table puts its labels, and ``lines`` with nothing in place of its rows."""
    rows: list[_Row] = []
    others, first = [], 0
    for at, line in enumerate(lines):
        cells = cells_of(line)
        others.append(line if cells is None else "")
        first = at if cells and not rows else first
        rows += [_Row(cells)] if cells else []
    return [found._replace(at=first) for found in _of_rows(rows)], others


def _of_rows(table: Sequence[_Row]) -> list[Found]:
    width = max((len(row.cells) for row in table), default=0)
    counts = [sum(_labels(row.cell(column)) is not None for row in table) for column in range(width)]
    if not counts or max(counts) < PAIR:
        beside = _side_by_side(table)
        if beside or not any(counts) or any(sum(map(bool, map(_labels, row.cells))) >= PAIR for row in table):
            return beside
    best = [column for column, count in enumerate(counts) if count == max(counts)]
    named = [column for column in best if _PATTERNS["labelled"].match(table[0].cell(column))]
    if len(named) != 1 and len({tuple(_labels(row.cell(column)) for row in table[1:]) for column in best}) > 1:
        return [Found("table", flaw="its columns contradict each other")]
    column = named[0] if len(named) == 1 else best[0]
    judged = [row for row in table if _labels(row.cell(column)) is not None]
    heading = table[0] if table[0] not in judged else None
    letters = [letter for row in judged for letter in _labels(row.cell(column)) or ()]
    if len(set(letters)) < len(letters):
        return [Found("table", flaw="a label in two rows")]
    found = _by_columns(judged, heading, column, width)
    return [found] if found else []


def cells_of(line: str) -> tuple[str, ...] | None:
    """Return the cells of a row, none of a rule between rows; ``None`` when ``line`` is no row."""
    said = line.strip()
    sign = "|" if "|" in said else "\t" if "\t" in said else ""
    if not sign:
        return None
    if _RULE.fullmatch(said):
        return ()
    cells = tuple(cell.strip() for cell in said.strip(sign).split(sign))[:_MOST_CELLS]
    return cells if len(cells) >= _FEWEST_CELLS else None


def _labels(cell: str) -> tuple[str, ...] | None:
    """Return the labels of a cell that begins with one; a number before it is not its place."""
    labels = labels_at(cell, 0, HEAD)
    return labels.letters if labels and not labels.is_doubtful else None


def _place(cell: str) -> float | None:
    """Return the place that is the only text of a cell, or shared."""
    found = NUMBER.match(cell, len(cell) - len(_BEFORE_PLACE.sub("", cell)))
    if found and _LONE.fullmatch(SHARED.sub("", cell[found.end() :])):
        return float(number_of(found))
    plain = _PLAIN_NUMBER.fullmatch(cell)
    return float(plain["plain"].replace(",", ".")) if plain else None


def _by_columns(judged: Sequence[_Row], heading: _Row | None, column: int, width: int) -> Found | None:
    labels = [_labels(row.cell(column)) or () for row in judged]
    columns = {
        other: [number for row in judged if (number := _place(row.cell(other))) is not None]
        for other in range(width)
        if other != column
    }
    whole = {other: numbers for other, numbers in columns.items() if len(numbers) == len(judged)}
    titles = {other: heading.cell(other) if heading else "" for other in whole}
    named = [other for other in whole if _PLACES.match(titles[other])]
    likely = named or [n for n in whole if not holds_score_word(titles[n]) and are_places(_each(whole[n], labels))]
    others = [] if named else [numbers for other, numbers in whole.items() if likely and other not in likely]
    if not all(_are_of_places(titles[n], [row.cell(n) for row in judged]) for n in likely) or any(map(do_rise, others)):
        return Found("table", flaw="scores in place of places")
    orders = {by_number(map(Numbered, whole[other], labels)) for other in likely}
    if len(orders) > 1:
        return Found("table", flaw="its columns contradict each other")
    if orders:
        return Found("table", orders.pop())
    return _as_written(judged, labels, list(whole.values()))


def _are_of_places(title: str, cells: Iterable[str]) -> bool:
    """Return whether numbers under or behind ``title`` are places: bare ones may be scores from 1 to their count."""
    return bool(_UNNAMED.fullmatch(title) or _PLACES.match(title)) or not any(map(_PLAIN_NUMBER.fullmatch, cells))


def _each(numbers: Sequence[float], labels: Sequence[tuple[str, ...]]) -> list[float]:
    return [number for number, letters in zip(numbers, labels, strict=True) for _ in letters]


def _as_written(judged: Sequence[_Row], labels: Sequence[tuple[str, ...]], numbers: list[list[float]]) -> Found:
    """Return the rows in the order written, unless their scores contradict it."""
    scores = [score for row in judged for cell in row.cells if (score := score_in(cell)) is not None]
    values = [*numbers, *([scores] if len(scores) == len(judged) else [])]
    if any(do_rise(column) for column in values):
        return Found("table", flaw="scores in place of places")
    return Found("table", tuple(labels), ("table without places",), is_sure=bool(values))


def _side_by_side(table: Sequence[_Row]) -> list[Found]:
    """Return the order of labels in one row, above or below the row of their places."""
    for labelled in table:
        at = [n for n, cell in enumerate(labelled.cells) if _labels(cell)]
        if len(at) < PAIR:
            continue
        labels = [_labels(labelled.cells[n]) or () for n in at]
        for other in table:
            numbers = [_place(other.cell(n)) for n in at]
            places = [number for number in numbers if number is not None]
            is_row = other != labelled and len(places) == len(at) and are_places(_each(places, labels))
            if is_row and _are_of_places("" if 0 in at else other.cell(0), [other.cell(n) for n in at]):
                return [Found("table", by_number(map(Numbered, places, labels)))]
        if len(table) == 1:
            written: Places = in_order(letter for letters in labels for letter in letters)
            return [Found("table", written, ("table without places",), is_sure=False)]
    return []
