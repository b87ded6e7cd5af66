"""The report of a study made from the ledger. It imports ``scipy``, for which one deliberation has no use."""

from collections import Counter
from collections.abc import Sequence

from ledger.studies.reading import KnownStudy, StudyReader
from ledger.studies.scores import ScoreReader
from parley.errors import RequestError
from report.collect import StudyData
from report.study import study_page
from report.study_facts import StudyFacts
from studies.comparison.compare import compare_scored
from studies.comparison.scoring import LabelRule
from studies.scores.summary import score_report


async def build_study_page(
    reader: StudyReader, scored: ScoreReader, study: KnownStudy, scorers: Sequence[str]
) -> tuple[str, StudyData]:
    """Return the page of ``study`` with the scores of ``scorers``, or of all, and the rows that it was made from.

    Raises:
        RequestError: nothing of the study has ended yet.
    """
    seen = StudyData(LabelRule.of(study.content))
    async for row in reader.every(study.name, whole=True):
        seen.take(row)
    if not seen.ended:
        raise RequestError(f"nothing of {study.name!r} has ended yet; see: parley batch status {study.name}")
    compared = compare_scored(study.name, seen.marks, study.content)
    report, scores = await score_report(scored, reader, study.name, scorers)
    about = StudyFacts(
        study=study,
        rejected=await reader.rejected(study.name),
        losses=Counter(f"{one.error_type}: {one.message}" for one in await reader.losses(study.name)),
        scores=report,
    )
    return study_page(about, seen, compared, scores), seen
