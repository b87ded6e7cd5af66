"""The figures of a study's scores, from the ledger."""

from collections.abc import Collection

from ledger.studies.reading import StudyReader
from ledger.studies.scores import Score, ScoreReader
from studies.comparison.compare import seed_of
from studies.scores.summary import ScoreReport, summarise


async def score_report(
    ledger: ScoreReader, studies: StudyReader, study: str, only: Collection[str] = ()
) -> tuple[ScoreReport, tuple[Score, ...]]:
    """Return the figures of what all scorers of ``study`` said, or of those in ``only``, and the scores themselves.

    Raises:
        StoreError: the ledger cannot be read.
    """
    scores = tuple(one for one in await ledger.scores(study) if not only or one.scorer in only)
    graders: dict[str, list[str]] = {}
    protocols: dict[str, str] = {}
    for scorer in {one.scorer for one in scores}:
        for grading in await ledger.gradings(study, scorer):
            async for row in studies.results(grading.grading):
                graders.setdefault(scorer, []).extend(row.models)
                protocols[scorer] = row.protocol
    rows = [row async for row in studies.every(study)]
    known = await studies.known(study)
    seed = seed_of(known.content if known else {})
    return summarise(study, rows, scores, graders, protocols=protocols, seed=seed), scores
