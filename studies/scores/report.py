"""The figures of a study's scores, from the ledger."""

from collections.abc import Collection

from ledger.studies.reading import StudyReader
from ledger.studies.scores import ScoreReader
from runtime.settings import Settings
from studies.scores.summary import ScoreReport, summarise


async def score_report(settings: Settings, studies: StudyReader, study: str, only: Collection[str] = ()) -> ScoreReport:
    """Return the figures of what all scorers of ``study`` said, or of those in ``only``.

    Raises:
        StoreError: the ledger cannot be read.
    """
    async with ScoreReader(settings.database_url) as ledger:
        scores = [one for one in await ledger.scores(study) if not only or one.scorer in only]
        graders: dict[str, list[str]] = {}
        for scorer in {one.scorer for one in scores}:
            for grading in await ledger.gradings(study, scorer):
                models = [model async for row in studies.results(grading.grading) for model in row.models]
                graders.setdefault(scorer, []).extend(dict.fromkeys(models))
    rows = [row async for row in studies.every(study)]
    return summarise(study, rows, scores, graders)
