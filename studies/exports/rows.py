"""Rows of the exported tables, read from the ledger page by page."""

from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from ledger.studies.exports import ExportReader
from ledger.studies.results import ResultRow
from ledger.studies.scores import Score
from parley.errors import RequestError
from parley.results import parse_result, view_of
from protocols.constraints import quoted
from studies.comparison.scoring import LabelRule, check_scorers, score_row
from studies.exports.columns import TABLES, TableName
from studies.exports.files import batches

_AT_ONCE = 25
"""Deliberations in memory at once."""
_WHOLE = frozenset({"deliberations", "results", "transcripts", "sources", "inspect"})
"""Tables for which whole results are read."""
_SCORED = frozenset({"deliberations", "results", "pairs", "scores", "inspect"})
"""Tables with scores."""
_PLACE = ("study", "number", "deliberation_id", "row_id", "arm", "repeat")
_SHORT = 12

Values = dict[str, Any]
"""A row: value by column."""


class Page(NamedTuple):
    """Some deliberations and what the ledger has beside them."""

    rows: Sequence[ResultRow]
    rule: LabelRule | None = None
    scores: Mapping[str, Sequence[Score]] = {}
    calls: Mapping[str, Sequence[Values]] = {}
    served: Mapping[str, Mapping[str, Sequence[str]]] = {}
    arms: Mapping[str, str] = {}


async def table_rows(
    reader: ExportReader, name: str, table: TableName, scorers: Collection[str] = ()
) -> AsyncIterator[Values]:
    """Yield the rows of ``table`` for the study ``name``, or for the deliberation of that id.

    Raises:
        RequestError: the ledger has neither, no scores of the kind that the table lists, or see ``export_pages``.
    """
    is_empty = True
    async for page in export_pages(reader, name, table, scorers):
        for values in rows_of(page, table):
            is_empty = False
            yield values
    if is_empty and table in {"scores", "pairs"}:
        what = {"scores": "scores", "pairs": "judged pairs"}[table] + f" by {', '.join(scorers)}" * bool(scorers)
        raise RequestError(f"the ledger has no {what} of {name!r}; give it some: parley score {name} --with FILE")


async def export_pages(
    reader: ExportReader, name: str, of: TableName | Literal["inspect"], scorers: Collection[str] = ()
) -> AsyncIterator[Page]:
    """Yield the deliberations of a study, or one alone, with the rest of the ledger that the table ``of`` is made of.

    Without ``scorers`` the scores of all are there.

    Raises:
        RequestError: the ledger has neither, one of ``scorers`` has not scored it, or the table has no scores.
    """
    if scorers and of not in _SCORED:
        raise RequestError(f"the table {of} has no scores; leave out --score {', '.join(scorers)}")
    study, whole = await reader.known(name), of in _WHOLE
    rule = LabelRule.of(study.content) if study else None
    found = reader.every(name, whole=whole) if study else _alone(reader, name, whole=whole)
    is_first = bool(scorers)
    async for rows in batches(found, _AT_ONCE):
        if is_first:
            check_scorers(name, scorers, await reader.scorers(rows[0].study))
            is_first = False
        yield await _beside(reader, Page(rows, rule), of, scorers)


def rows_of(page: Page, table: TableName) -> Iterator[Values]:
    """Yield the rows of ``table`` for ``page``, with every column of the table."""
    for values in _MADE[table](page):
        yield {column.name: values[column.name] for column in TABLES[table].columns}


async def _alone(reader: ExportReader, deliberation_id: str, *, whole: bool) -> AsyncIterator[ResultRow]:
    row = await reader.result(deliberation_id, whole=whole)
    if row is None:
        raise RequestError(
            f"the ledger has no study and no deliberation {quoted(deliberation_id)} that has ended; see: parley list"
        )
    yield row


async def _beside(
    reader: ExportReader, page: Page, of: TableName | Literal["inspect"], scorers: Collection[str]
) -> Page:
    """Return ``page`` with what the table ``of`` needs of the ledger."""
    ids, study = [row.deliberation_id for row in page.rows], page.rows[0].study
    if of in {"calls", "inspect"}:
        page = page._replace(calls=await reader.calls_of(ids))
    if of in _SCORED:
        page = page._replace(scores=await reader.scores_of(study, ids, scorers))
    if of in {"deliberations", "results", "inspect"}:
        page = page._replace(served=await reader.served_by(ids))
    if of == "pairs":
        others = {one.other_id for scores in page.scores.values() for one in scores}
        page = page._replace(arms=await reader.arms_of(study, others))
    return page


def _deliberations(page: Page) -> Iterator[Values]:
    for row in page.rows:
        read, result = score_row(row, page.rule), row.result or {}
        scores = [one for one in page.scores.get(row.deliberation_id, ()) if not one.other_id]
        is_known = read.expected is not None and row.status != "open"
        yield {
            **{name: getattr(row, name) for name in ResultRow.model_fields},
            **{name: getattr(row, name) for name in ("status", "tokens", "seconds", "is_failed")},
            "answer": page.rule.spelled(read.answer) if page.rule else result.get("answer") or read.answer,
            "correct": read.correct if is_known else None,
            "reason": _reason(row),
            "seed": row.sampling.get("seed"),
            "served_by": page.served.get(row.deliberation_id, {}),
            "attachments": _files(result) if row.result else None,
            "budget": result.get("budget"),
            "scorer_answers": {one.scorer: one.label for one in scores if one.label is not None},
            "scorer_values": {one.scorer: one.value for one in scores if one.value is not None},
            "scorer_correct": {one.scorer: one.correct for one in scores if one.correct is not None},
            "scorer_versions": {one.scorer: f"{one.version}@{one.fingerprint[:_SHORT]}" for one in scores},
        }


def _files(result: Mapping[str, Any]) -> list[Values]:
    names = ("name", "media_type", "size", "sha256")
    return [{name: one.get(name) for name in names} for one in result.get("attachments") or ()]


def _reason(row: ResultRow) -> str | None:
    if row.verdict is not None or row.missing_reason is not None:
        return row.missing_reason
    lost = (row.result or {}).get("failed") or ()
    return next((f"{one['participant']}: {one['message']}" for one in lost), None)


def _calls(page: Page) -> Iterator[Values]:
    for row in page.rows:
        names = {str(seat["seat"]): seat["name"] or None for seat in row.seats}
        for call in page.calls.get(row.deliberation_id, ()):
            yield call | _place(row) | {"seat_name": names.get(call["participant"])}


def _transcripts(page: Page) -> Iterator[Values]:
    for row in page.rows:
        if row.result is None:
            continue
        values = {name: getattr(row, name) for name in ("protocol", "question", "verdict", "stop_reason", "rehearsal")}
        yield _place(row) | values | {"turns": _turns(row.result)}


def _turns(result: Values) -> list[Values]:
    """Return the contributions of ``result`` in order; of a result that this version cannot read there are none."""
    try:
        said = view_of(parse_result(result)).utterances
    except ValidationError:
        return []
    return [{"speaker": one.who, "place": one.where, "text": one.text, "note": one.note} for one in said]


def _scores(page: Page) -> Iterator[Values]:
    return (one.model_dump() | _place(row) for row in page.rows for one in page.scores.get(row.deliberation_id, ()))


def _pairs(page: Page) -> Iterator[Values]:
    for row in page.rows:
        for one in page.scores.get(row.deliberation_id, ()):
            if one.other_id:
                yield one.model_dump() | _place(row) | _judged(one, row.arm, page.arms.get(one.other_id, ""))


def _judged(score: Score, arm: str, other_arm: str) -> Values:
    details, is_read = score.details, score.value is not None
    names = ("as_first", "as_second", "length", "other_length", "graded_by")
    winner = {1.0: arm, 0.0: other_arm, 0.5: "tie"}.get(score.value) if score.value is not None else None
    is_tie = details.get("as_first") == details.get("as_second") == "tie"
    return {
        **{name: details.get(name) for name in names},
        "other_arm": other_arm,
        "winner": winner,
        "inconsistent": winner == "tie" and not is_tie if is_read else None,
    }


def _sources(page: Page) -> Iterator[Values]:
    """Yield the pages that providers named, each with the evidence of the same address in a debate."""
    for row in page.rows:
        result = row.result or {}
        evidence: list[Values] = (result.get("state") or {}).get("evidence") or []
        known = {one["url"]: one["id"] for one in reversed(evidence) if one.get("url")}
        for one in result.get("cited") or ():
            beside = {"source": one["number"], "evidence": known.get(one["url"], "")}
            yield one | _place(row) | beside | {"protocol": row.protocol, "rehearsal": row.rehearsal}


def _place(row: ResultRow) -> Values:
    return {name: getattr(row, name) for name in _PLACE}


_MADE: Mapping[TableName, Callable[[Page], Iterator[Values]]] = {
    "deliberations": _deliberations,
    "results": _deliberations,
    "calls": _calls,
    "transcripts": _transcripts,
    "pairs": _pairs,
    "scores": _scores,
    "sources": _sources,
}
