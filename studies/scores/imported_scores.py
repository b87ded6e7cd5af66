"""Scores that people or other programs gave: a file with a score or a class for each deliberation, or row and arm."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path

from ledger.studies.results import ResultRow
from parley.errors import RequestError
from protocols.constraints import quoted
from studies.dataset.cells import placeholder
from studies.dataset.dataset import Dataset
from studies.dataset.records import Record
from studies.scores.answer_scorers import Finding, unanswered
from studies.scores.scorers import ImportedScorer, LabelsTable

_GUARD = "'"
"""Before an id that a spreadsheet would calculate, in an export in CSV."""
_FALSE, _TRUE = frozenset({"false", "no"}), frozenset({"true", "yes"})


def import_scores(name: str, scorer: ImportedScorer, rows: Sequence[ResultRow]) -> dict[str, Finding]:
    """Return the findings of the file by deliberation id, for the ``rows`` that it scores, and of missing verdicts.

    Raises:
        RequestError: the file cannot be used; the message names the line, where one is to blame.
    """
    where = f"scorers.{name}"
    data = _dataset(where, scorer.path)
    if scorer.label is not None and "score" not in {*scorer.model_fields_set, *data.columns()}:
        scorer = scorer.model_copy(update={"score": None})
    place = (scorer.id,) if scorer.row is None or scorer.arm is None else (scorer.row, scorer.arm)
    ids: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in rows:
        ids[(row.deliberation_id,) if scorer.row is None else (row.row_id, row.arm)].append(row.deliberation_id)
    found: dict[str, Finding] = {}
    for record in _records(where, data, (*place, *filter(None, (scorer.score, scorer.label)))):
        key = tuple(record.fields.get(name, "").strip() for name in place)
        if key not in ids:
            key = tuple(one.removeprefix(_GUARD) for one in key)
        if key not in ids:
            shown = repr(key[0]) if scorer.row is None else "of row {!r} in arm {!r}".format(*key)
            raise RequestError(f"{where}: line {record.line}: the study has no deliberation {shown}")
        finding = _finding(where, scorer, record)
        for one in ids[key]:
            if one in found:
                raise RequestError(f"{where}: line {record.line}: {one!r} has a score already; leave one of them out")
            found[one] = finding
    return found | _unanswered(scorer, rows, found)


def _unanswered(by: ImportedScorer, rows: Sequence[ResultRow], found: Mapping[str, Finding]) -> dict[str, Finding]:
    """Return the findings without a verdict: wrong in rows and arms with a right or wrong in the file."""
    said = [row for row in rows if (one := found.get(row.deliberation_id)) and one.correct is not None]
    judged, arms = {row.row_id for row in said}, {row.arm for row in said}
    lost = {row.deliberation_id: row.row_id in judged and row.arm in arms for row in rows if row.verdict is None}
    own = {id_ for id_, one in found.items() if by.row is None and one.outcome == "scored"}
    return {id_: unanswered(is_labelled=one) for id_, one in lost.items() if id_ not in own and (one or id_ in found)}


def read_labels(name: str, table: LabelsTable) -> dict[str, str]:
    """Return the labels of a file by row id.

    Raises:
        RequestError: the file cannot be read, lacks a column, names a row twice, or has a label that a program wrote.
    """
    where, labels = f"scorers.{name}.labels", dict[str, str]()
    for record in _records(where, _dataset(where, table.path), (table.id, table.label)):
        row = record.fields.get(table.id, "").strip()
        if row in labels:
            raise RequestError(f"{where}: line {record.line}: the row {row!r} has a label already")
        labels[row] = _class(where, record, table.label)
    return {row.removeprefix(_GUARD): label for row, label in labels.items()} | labels


def _dataset(where: str, path: Path) -> Dataset:
    try:
        data = Dataset.at(path)
        data.columns()
    except RequestError as error:
        raise RequestError(f"{where}: {error}") from None
    return data


def _records(where: str, data: Dataset, columns: Sequence[str]) -> Iterator[Record]:
    there = data.columns()
    if missing := next((name for name in columns if name not in there), None):
        raise RequestError(f"{where}: {str(data.path)!r} has no column {missing!r}; it has {', '.join(there)}")
    for record in data.records(columns, (1, None)):
        if record.why:
            raise RequestError(f"{where}: line {record.line}: {record.why}")
        yield record


def _class(where: str, record: Record, column: str) -> str:
    label = record.fields.get(column, "")
    if why := placeholder(label):
        raise RequestError(f"{where}: line {record.line}: {column!r} {why}")
    return label


def _finding(where: str, scorer: ImportedScorer, record: Record) -> Finding:
    label = _class(where, record, scorer.label).strip() if scorer.label is not None else ""
    if scorer.score is None:
        return Finding("scored", label=label) if label else Finding("unread", reason="the cell of the label is blank")
    said = record.fields.get(scorer.score, "").strip()
    if not said:
        return Finding("unread", label=label or None, reason="the cell of the score is blank")
    if said.casefold() in _TRUE | _FALSE:
        return Finding.right(is_right=said.casefold() in _TRUE, label=label or None)
    try:
        value = float(said)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise RequestError(f"{where}: line {record.line}: the score {quoted(said)} is no number")
    if scorer.scale is not None and not scorer.scale[0] <= value <= scorer.scale[1]:
        raise RequestError(f"{where}: line {record.line}: the score {value:g} is not on the scale {scorer.scale}")
    return Finding("scored", value, label or None, details={"scale": [*scorer.scale]} if scorer.scale else {})
