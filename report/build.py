"""A report made from the ledger: of a study by its name, or of a deliberation by its id."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ledger.studies.reading import KnownStudy, StudyReader
from ledger.studies.scores import ScoreReader
from parley.errors import RequestError, UnknownDeliberationError
from report.collect import StudyData
from report.deliberation_page import single_page
from report.read_results import read_result
from report.study import study_page
from report.study_facts import StudyFacts
from studies.comparison.compare import compare_scored
from studies.comparison.scoring import LabelRule, check_scorers
from studies.scores.summary import score_report


class Report(NamedTuple):
    """A finished report."""

    document: str
    deliberations: int
    rehearsals: int


async def build_report(reader: StudyReader, scores: ScoreReader, name: str, scorers: Sequence[str] = ()) -> Report:
    """Return the report of the study or deliberation called ``name``; studies are looked up first.

    Of a study it has the scores of all scorers, or of those in ``scorers``.

    Raises:
        RequestError: nothing of the study has ended yet, or one of ``scorers`` has not scored it.
        UnknownDeliberationError: there is neither a study nor an ended deliberation of that name.
    """
    study = await reader.known(name)
    if study is not None:
        check_scorers(name, scorers, await scores.scorers(name))
        return await _of_study(reader, scores, study, scorers)
    row = await reader.result(name, whole=True)
    if row is None:
        raise UnknownDeliberationError(
            f"the ledger has no study and no deliberation that ended called {name!r}; "
            "parley batch list shows the studies, parley list the deliberations"
        )
    if scorers:
        raise RequestError(f"the report of one deliberation has no scores; leave out --score {', '.join(scorers)}")
    origin = read_result(row).origin
    old = await reader.result(origin.of, whole=True) if origin else None
    return Report(single_page(row, old, await reader.follow_ups(name)), 1, int(row.rehearsal))


async def _of_study(reader: StudyReader, scored: ScoreReader, study: KnownStudy, scorers: Sequence[str]) -> Report:
    seen = StudyData(LabelRule.of(study.content))
    async for row in reader.every(study.name, whole=True):
        seen.take(row)
    if not seen.ended:
        raise RequestError(f"nothing of {study.name!r} has ended yet; see: parley batch status {study.name}")
    compared = compare_scored(study.name, seen.marks, study.content)
    report, scores = await score_report(scored, reader, study.name, scorers)
    about = StudyFacts(
        study=study,
        progress=await reader.progress(study.name),
        rejected=await reader.rejected(study.name),
        losses=Counter(f"{one.error_type}: {one.message}" for one in await reader.losses(study.name)),
        scores=report,
    )
    return Report(study_page(about, seen, compared, scores), seen.ended, seen.rehearsals)
