"""The gradings of a study: open items, and the answers of the graders.

Nothing is asked here: the caller starts the gradings that ``plan_gradings`` returns, and ``collect_grades`` writes down
the grades.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ledger.studies.reading import StudyReader
from ledger.studies.results import ResultRow
from ledger.studies.scores import UNPRICED, Grading, Score, ScoreReader, write_scores
from ledger.studies.writing import open_for_entering
from runtime.settings import Settings
from studies.comparison.preferences import Shown, both_orders
from studies.scores.answer_scorers import Finding, unanswered
from studies.scores.computed import Scored, ended_rows, score_of
from studies.scores.grading import (
    Item,
    grading_name,
    items_of,
    pair_id,
    read_grade,
    read_preference,
    request_fingerprint,
)
from studies.scores.scorer_file import ScorerFile, fingerprint_of
from studies.scores.scorers import GradedScorer, GraderTable


class Plan(NamedTuple):
    """The open items of one scorer."""

    scorer: str
    grading: Grading
    items: list[Item]


async def plan_gradings(settings: Settings, study: str, file: ScorerFile) -> list[Plan]:
    """Return what is still to be asked of models, by scorer; a scorer without open items has no plan."""
    plans = []
    rows = await ended_rows(settings, study)
    for name, scorer, asked in _graders(file):
        done = {row.row_id for row in await _graded(settings, study, name, asked, rehearse=file.rehearse)}
        items = [one for one in items_of(scorer, rows) if one.id not in done]
        if items:
            title = grading_name(study, name, asked, items, rehearse=file.rehearse)
            plans.append(Plan(name, Grading(grading=title, study=study, scorer=name, fingerprint=asked), items))
    return plans


async def open_gradings(settings: Settings, study: str, file: ScorerFile) -> list[str]:
    """Return the gradings of the scorers of ``file`` that were started and have open deliberations."""
    found = []
    async with StudyReader(settings.database_url) as studies:
        for name, _, asked in _graders(file):
            mine = await _gradings(settings, study, name, asked, rehearse=file.rehearse)
            found += [one for one in mine if await studies.numbers(one, "open")]
    return found


async def collect_grades(settings: Settings, study: str, file: ScorerFile) -> dict[str, int]:
    """Write the scores that graders have given so far, and return how many each scorer has.

    A grading may be paused or interrupted: what it has not asked yet is no failure of the grader, and has no score.
    """
    counts = {}
    rows = {row.deliberation_id: row for row in await ended_rows(settings, study)}
    for name, scorer, asked in _graders(file):
        fingerprint = fingerprint_of(scorer, asked.encode())
        every = await _graded(settings, study, name, asked, rehearse=file.rehearse)
        graded = [one for one in every if one.status != "open"]
        if isinstance(scorer, GradedScorer):
            by = Scored(name, scorer.kind, fingerprint, scorer.over_repeats)
            scores = [_grade(by, scorer, one) for one in graded if one.row_id in rows]
            none = unanswered(is_labelled=scorer.right_from is not None)
            scores += [score_of(by, none, deliberation_id=one) for one, row in rows.items() if row.verdict is None]
        else:
            scores = _preferences(name, fingerprint, graded, rows)
        async with open_for_entering(settings.database_url) as store:
            await write_scores(store, study, scores, replaces=[name])
        counts[name] = len(scores)
    return counts


def _graders(file: ScorerFile) -> Iterator[tuple[str, GraderTable, str]]:
    """Yield name, scorer and fingerprint of the request of every scorer that asks models."""
    for name, scorer in file.scorers.items():
        if isinstance(scorer, GraderTable):
            yield name, scorer, request_fingerprint(scorer, file.panels)


async def _gradings(settings: Settings, study: str, scorer: str, asked: str, *, rehearse: bool) -> list[str]:
    """Return the gradings of ``scorer`` that asked the same, those by scripted models only for a rehearsal."""
    async with ScoreReader(settings.database_url) as scores, StudyReader(settings.database_url) as studies:
        alike = [one.grading for one in await scores.gradings(study, scorer) if one.fingerprint == asked]
        known = [await studies.known(name) for name in alike]
    return [one.name for one in known if one is not None and (rehearse or not one.rehearsal)]


async def _graded(settings: Settings, study: str, scorer: str, asked: str, *, rehearse: bool) -> list[ResultRow]:
    """Return the deliberations of the gradings of ``scorer`` that asked the same, open ones too, each item once.

    An item that was asked twice, because its first grading failed, counts as the grading with a verdict has it.
    """
    found: dict[str, ResultRow] = {}
    async with StudyReader(settings.database_url) as studies:
        for name in await _gradings(settings, study, scorer, asked, rehearse=rehearse):
            async for row in studies.every(name):
                if row.row_id not in found or found[row.row_id].verdict is None:
                    found[row.row_id] = row
    return list(found.values())


def _grade(by: Scored, scorer: GradedScorer, graded: ResultRow) -> Score:
    found = read_grade(scorer, graded)._replace(
        details={"grading": graded.study, "graded_by": graded.deliberation_id, "scale": [*scorer.scale]}
    )
    return _paid(by, found, [graded], deliberation_id=graded.row_id)


def _preferences(
    name: str, fingerprint: str, graded: Sequence[ResultRow], rows: Mapping[str, ResultRow]
) -> list[Score]:
    by_pair = {one.row_id: one for one in graded}
    shown = []
    for one in graded:
        first, _, second = one.row_id.partition(" ")
        if first in rows and second in rows:
            shown.append(Shown(rows[first], rows[second], None if one.verdict is None else read_preference(one)))
    scores = []
    for found in both_orders(shown):
        ours, theirs = rows[found.deliberation_id], rows[found.other_id]
        orders = [by_pair[pair_id(ours, theirs)], by_pair[pair_id(theirs, ours)]]
        finding = Finding(
            "scored" if found.is_read else "unread",
            found.value,
            reason="" if found.is_read else "the judge's answer to one of the two orders could not be read",
            details=found.model_dump(mode="json") | {"graded_by": [one.deliberation_id for one in orders]},
        )
        by = Scored(name, "pairwise", fingerprint)
        scores.append(_paid(by, finding, orders, deliberation_id=found.deliberation_id, other_id=found.other_id))
    return scores


def _paid(by: Scored, found: Finding, graded: Sequence[ResultRow], **place: str) -> Score:
    """Return ``found`` as a score, with what its gradings took."""
    known = [one.cost_usd for one in graded if one.cost_usd is not None]
    unpriced = sum(one.calls_of_unknown_cost for one in graded)
    return score_of(
        by,
        found._replace(details={**found.details, UNPRICED: unpriced}) if unpriced else found,
        **place,
        cost_usd=sum(known) if known else None,
        tokens=sum(one.tokens for one in graded),
        calls=sum(one.calls for one in graded),
        prompts=graded[0].prompts,
        rehearsal=any(one.rehearsal for one in graded),
    )
