"""The comparison of a study's arms, from the ledger."""

from ledger.studies.reading import Progress, StudyReader
from ledger.studies.records import StudyUnknownError
from parley.errors import RequestError
from runtime.settings import Settings
from studies.comparison.compare import compare_scored
from studies.comparison.model import StudyComparison
from studies.comparison.rows import LabelRule
from studies.comparison.scoring import score_row


async def compare_study(
    settings: Settings, name: str, *, baseline: str | None = None, metric: str | None = None
) -> tuple[StudyComparison, Progress]:
    """Return the comparison of the study ``name``, and the progress of the study.

    Args:
        settings: Of the installation whose ledger has the study.
        name: Of the study.
        baseline: The arm that the others are compared with; by default the cheapest.
        metric: The figure to compare; by default accuracy, or tokens where nothing is labelled.

    Raises:
        RequestError: there is no such study, or see ``compare``.
        StoreError: the ledger cannot be read.
    """
    async with StudyReader(settings.database_url) as ledger:
        study = await ledger.known(name)
        if study is None:
            raise RequestError(str(StudyUnknownError(name)))
        rule = LabelRule.of(study.content)
        rows = [score_row(row, rule) async for row in ledger.every(name)]
        progress = await ledger.progress(name)
    return compare_scored(name, rows, study.content, baseline=baseline, of=metric), progress
