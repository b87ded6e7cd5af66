"""Scores of a study: as the ledger takes them, and computed at once where no model is asked."""

from collections.abc import AsyncIterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from ledger.studies.reading import StudyReader
from ledger.studies.results import ResultRow
from ledger.studies.scores import Score, ScoreReader, write_scores
from ledger.studies.writing import open_for_entering
from parley.errors import RequestError
from runtime.distribution import DISTRIBUTION
from runtime.settings import Settings
from studies.scores.answer_scorers import Finding, find, unanswered
from studies.scores.imported_scores import import_scores, read_labels
from studies.scores.python_scorer import FunctionProcess
from studies.scores.scorer_file import ScorerFile, fingerprint_of
from studies.scores.scorers import AnswerScorer, ComparedScorer, GraderTable, ImportedScorer, PythonScorer

_LONGEST_REASON = 500


class Scored(NamedTuple):
    """The scorer of some scores."""

    scorer: str
    kind: str
    fingerprint: str
    """SHA-256, 64 hex digits."""
    over_repeats: str | None = None
    """The aggregation of the repeats of a row, where its table names one."""


async def ended_rows(settings: Settings, study: str, *, whole: bool = False) -> list[ResultRow]:
    """Return the deliberations of ``study`` that have ended, in a fixed order.

    Raises:
        RequestError: there is no such study.
    """
    async with StudyReader(settings.database_url) as reader:
        if await reader.known(study) is None:
            raise RequestError(f"the ledger has no study {study!r}; parley batch list shows those it has")
        return [row async for row in reader.every(study, whole=whole) if row.status != "open"]


def score_of(by: Scored, found: Finding, **place: Any) -> Score:
    """Return ``found`` as a score of ``by``; ``place`` has the id of the deliberation and further fields."""
    values = found._asdict() | {"reason": found.reason[:_LONGEST_REASON], "version": metadata.version(DISTRIBUTION)}
    scorer = by._asdict()
    if way := scorer.pop("over_repeats"):
        values["details"] = {**found.details, "over_repeats": way}
    return Score.model_validate(scorer | values | place)


_AT_ONCE = 500


async def score_at_once(
    settings: Settings, study: str, file: ScorerFile, *, write: bool = True
) -> dict[str, list[Score]]:
    """Compute the scores of every scorer that asks no model, and ``write`` them; return those of each."""
    computed = {}
    for name, scorer in file.scorers.items():
        if isinstance(scorer, GraderTable):
            continue
        fingerprint = fingerprint_of(scorer, *_contents(scorer))
        async with ScoreReader(settings.database_url) as reader:
            is_another = any(one.fingerprint != fingerprint for one in await reader.scores(study, name))
        replaces = [name] if is_another else []
        by = Scored(name, scorer.kind, fingerprint, scorer.over_repeats)
        findings = _findings(settings, study, name, scorer)
        scores = [score_of(by, found, deliberation_id=row.deliberation_id) async for row, found in findings]
        computed[name] = scores
        if not write:
            continue
        async with open_for_entering(settings.database_url) as store:
            for start in range(0, max(len(scores), 1), _AT_ONCE):
                await write_scores(store, study, scores[start : start + _AT_ONCE], replaces=replaces)
                replaces = []
    return computed


async def _findings(settings: Settings, study: str, name: str, scorer: Any) -> AsyncIterator[tuple[ResultRow, Finding]]:
    rows = await ended_rows(settings, study, whole=isinstance(scorer, PythonScorer))
    if isinstance(scorer, ImportedScorer):
        imported = import_scores(name, scorer, rows)
        for row in rows:
            if row.deliberation_id in imported:
                yield row, imported[row.deliberation_id]
        return
    accepted = _Accepted(name, scorer)
    said = await _returned(scorer, rows, accepted) if isinstance(scorer, PythonScorer) else None
    for number, row in enumerate(rows):
        yield row, find(scorer, row, accepted.of(row)) if said is None else said[number]


async def _returned(scorer: PythonScorer, rows: Sequence[ResultRow], accepted: "_Accepted") -> list[Finding]:
    """Return the finding for each row; a missing verdict is wrong where the function gives right or wrong.

    ``None`` is meant where the function says so of every verdict of the row or arm, or judges a missing one itself.
    """
    process = FunctionProcess(scorer)
    try:
        said = [(row, await process.find(row, accepted.of(row))) for row in rows]
    finally:
        await process.aclose()
    judged = {place for row, one in said if one.correct is not None for place in (row.row_id, (row.arm,))}
    silent = [row for row, one in said if row.verdict and one.outcome == "unanswered"]
    passed = {place for row in silent for place in (row.row_id, (row.arm,))} - judged
    of_missing = any(row.verdict is None and one.correct is not None for row, one in said)
    has_labels = any(accepted.of(row) for row in rows)

    def is_wrong(row: ResultRow, one: Finding) -> bool:
        is_deliberate = one.outcome == "unanswered" and (of_missing or not passed.isdisjoint({row.row_id, (row.arm,)}))
        return bool(judged) and not is_deliberate and (not has_labels or bool(accepted.of(row)))

    return [
        unanswered(is_labelled=is_wrong(row, one))
        if row.verdict is None and one.outcome in {"failed", "unanswered"}
        else one
        for row, one in said
    ]


class _Accepted:
    """The right answers of each row, by the study's label or the scorer's file."""

    def __init__(self, name: str, scorer: ComparedScorer) -> None:
        self._scorer = scorer
        self._labels = None if scorer.labels is None else read_labels(name, scorer.labels)

    def of(self, row: ResultRow) -> tuple[str, ...]:
        label = row.expected if self._labels is None else self._labels.get(row.row_id)
        text = (label or "").strip()
        several = text.split(self._scorer.separator) if self._scorer.separator else [text]
        named = (*several, *self._scorer.accepted.get(row.row_id, ()))
        right = (one.strip() for one in named if one.strip())
        return tuple(right if isinstance(self._scorer, AnswerScorer) else map(row.as_shown, right))


def _contents(scorer: Any) -> list[bytes]:
    """Return the contents of the files that ``scorer`` reads."""
    labels = getattr(scorer, "labels", None)
    paths = [getattr(scorer, "path", None), getattr(scorer, "file", None), labels.path if labels else None]
    return [_content(path) for path in paths if path is not None]


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise RequestError(f"{str(path)!r} cannot be read: {error.strerror}") from None
