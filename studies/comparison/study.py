"""The comparison of a study's arms, from the ledger."""

from ledger.studies.reading import Progress, StudyReader
from ledger.studies.records import StudyUnknownError
from ledger.studies.scores import Score, ScoreReader
from parley.errors import RequestError
from runtime.settings import Settings
from studies.comparison.compare import compare_scored
from studies.comparison.metrics import SCORES
from studies.comparison.model import StudyComparison
from studies.comparison.rows import LabelRule
from studies.comparison.scoring import apply_scores, label_of, score_row


async def compare_study(
    settings: Settings,
    name: str,
    *,
    baseline: str | None = None,
    metric: str | None = None,
    score: str | None = None,
) -> tuple[StudyComparison, Progress]:
    """Return the comparison of the study ``name``, and the progress of the study.

    Args:
        settings: Of the installation whose ledger has the study.
        name: Of the study.
        baseline: The arm that the others are compared with; by default the cheapest.
        metric: The figure to compare; by default accuracy, or tokens where nothing is labelled.
        score: A scorer of the study, in place of its own labels; by default none.

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
    if score is None:
        return compare_scored(name, rows, study.content, baseline=baseline, of=metric), progress
    scored = apply_scores(rows, await scores_of(settings, name, score), score)
    content = {**study.content, "label": label_of(scored)}
    is_right_or_wrong = any(row.expected is not None for row in scored)
    of = metric or (None if is_right_or_wrong else f"{SCORES}{score}")
    compared = compare_scored(name, scored, content, baseline=baseline, of=of)
    return compared.model_copy(update={"score": score}), progress


async def scores_of(settings: Settings, study: str, scorer: str) -> tuple[Score, ...]:
    """Return what ``scorer`` said of the deliberations of ``study``.

    Raises:
        RequestError: it has not scored the study, or it compares arms with each other.
        StoreError: the ledger cannot be read.
    """
    async with ScoreReader(settings.database_url) as ledger:
        found = await ledger.scores(study, scorer)
        known = await ledger.scorers(study)
    if not found:
        there = (
            f"those that have are {', '.join(known)}" if known else f"score it with: parley score {study} --with FILE"
        )
        raise RequestError(f"no scorer {scorer!r} has scored {study!r}; {there}")
    if any(one.other_id for one in found):
        raise RequestError(f"{scorer!r} prefers one arm to another and scores none alone; see: parley score {study}")
    return found
