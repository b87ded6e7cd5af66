"""The comparison of a study's arms, of several studies, of a schedule's firings or of panels, from the ledger."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from math import fsum
from typing import Any

from ledger.studies.reading import StudyReader
from ledger.studies.records import StudyUnknownError
from ledger.studies.scores import Score, ScoreReader
from parley.errors import RequestError
from protocols.study.scheduled import fired_at
from runtime.settings import Settings
from studies.comparison.compare import compare_scored
from studies.comparison.differences import trends
from studies.comparison.joined import Joined, StudyPart, join_panels, join_studies
from studies.comparison.metrics import SCORES, OverRepeats
from studies.comparison.metrics import metric as metric_of
from studies.comparison.model import Over, PositionBias, StudyComparison
from studies.comparison.preferences import position_bias, preferences_of
from studies.comparison.scoring import LabelRule, apply_scores, check_scorers, label_of, named_repeats, score_row

_FEWEST = 2


async def compare_study(
    settings: Settings,
    *names: str,
    baseline: str | None = None,
    metric: str | None = None,
    score: str | None = None,
    over: Over = "arms",
    over_repeats: str | None = None,
    running: Collection[str] = (),
) -> StudyComparison:
    """Return the comparison of the arms of a study, or of the same arms of several studies.

    Args:
        settings: Of the installation whose ledger has the studies.
        names: The studies; with ``firings`` the schedule.
        baseline: What the others are compared with: an arm, of several studies one of them or ``STUDY/ARM``; by
            default the cheapest arm, or the first study.
        metric: The figure to compare; by default accuracy, or tokens where nothing is labelled.
        score: A scorer of the studies, in place of their own labels; by default none.
        over: Arms, the panels of one study, or the firings of a schedule; of several studies it is always studies.
        over_repeats: The aggregation of the repeats of a row: ``mean``, ``mode``, ``max`` or ``pass@K``; by default
            that of the scorer, else none, and all repeats are added up.
        running: Those of the studies whose batch runs; see ``StudyReader.to_repeat``.

    Raises:
        RequestError: there is no such study, its rows are others than those of the first, or see ``compare_scored``.
        StoreError: the ledger cannot be read.
    """
    names = tuple(dict.fromkeys(names))
    parts = await _read_all(settings, names, over, running)
    content, scores = dict(parts[0].content), list[tuple[Score, ...]]()
    if score is not None:
        scores = [await _scores_of(settings, part.name, score) for part in parts]
        over_repeats = over_repeats or named_repeats(chain.from_iterable(scores))
        pairs = zip(parts, scores, strict=True)
        parts = [part._replace(rows=apply_scores(part.rows, _of_each(said), score)) for part, said in pairs]
        every = [row for part in parts for row in part.rows]
        content["label"] = label_of(every)
        has_only_values = any(score in row.scores for row in every) and all(row.expected is None for row in every)
        metric = metric or (f"{SCORES}{score}" if has_only_values else None)
    repeats, joined = _read_repeats(over_repeats, over), _joined(parts, baseline, over, is_scored=score is not None)
    by: dict[str, Any] = {"of": metric, "beside": joined.beside, "over_repeats": repeats}
    compared = compare_scored(", ".join(names), joined.rows, content, baseline=joined.baseline, **by)
    values: dict[str, Any] = {"score": score, "position": _position(joined, scores, compared.seed)}
    values |= {"rehearsed_scores": sum(one.rehearsal for one in chain.from_iterable(scores))}
    values |= {"left_out": dict(joined.left_out), "over": "studies" if len(names) > 1 else over}
    compared = compared.model_copy(update=values)
    if over == "firings":
        compared = _with_trends(compared, joined, [part.name for part in parts], repeats)
    return compared


def _position(joined: Joined, scores: Iterable[Sequence[Score]], seed: int) -> PositionBias | None:
    """Return the position bias of the judge of the deliberations of ``joined``; ``None`` without a judge of pairs."""
    ids = {one.deliberation_id for one in joined.rows}
    pairs = [one for said in scores for one in preferences_of(said) if {one.deliberation_id, one.other_id} <= ids]
    return position_bias(pairs, seed) if pairs else None


def _with_trends(
    compared: StudyComparison, joined: Joined, firings: Sequence[str], repeats: OverRepeats | None
) -> StudyComparison:
    """Return the comparison of ``firings`` of a schedule with the change of every arm."""
    times = {name: time for name in firings if (time := fired_at(compared.study, name)) is not None}
    of = metric_of(compared.metric, (name for one in joined.rows for name in one.scores))
    found = trends(joined.rows, times, repeats.applied(of) if repeats else of, compared.seed)
    return compared.model_copy(update={"trends": found})


def _read_repeats(text: str | None, over: Over) -> OverRepeats | None:
    if text is not None and over == "panels":
        raise RequestError(
            "--over panels takes a row's deliberations of all protocols together; leave out over_repeats"
        )
    try:
        return None if text is None else OverRepeats.of(text)
    except ValueError as error:
        raise RequestError(str(error)) from None


def _joined(parts: Sequence[StudyPart], baseline: str | None, over: Over, *, is_scored: bool) -> Joined:
    if over == "panels":
        if len(parts) > 1:
            raise RequestError("--over panels compares the panels of one study; name one")
        return join_panels(parts[0].name, parts[0].rows, parts[0].content)._replace(baseline=baseline)
    if len(parts) == 1:
        return Joined(parts[0].rows, baseline)
    return join_studies(parts, baseline, is_scored=is_scored)


async def _firings(ledger: StudyReader, names: Sequence[str]) -> tuple[str, ...]:
    if len(names) > 1:
        raise RequestError("--over firings compares the firings of one schedule; name one")
    found = await ledger.firings(names[0])
    if len(found) < _FEWEST:
        raise RequestError(
            f"the schedule {names[0]!r} has {len(found)} firings in the ledger, and a comparison takes two; "
            "parley schedule list shows when the next one is"
        )
    return found


async def _read_all(settings: Settings, names: Sequence[str], over: Over, running: Collection[str]) -> list[StudyPart]:
    """Return the studies, or the firings of a schedule."""
    async with StudyReader(settings.database_url, running) as ledger:
        studies = await _firings(ledger, names) if over == "firings" else names
        return [await _read(ledger, name) for name in studies]


async def _read(ledger: StudyReader, name: str) -> StudyPart:
    study = await ledger.known(name)
    if study is None:
        raise RequestError(str(StudyUnknownError(name)))
    rule = LabelRule.of(study.content)
    rows = [score_row(row, rule) async for row in ledger.every(name)]
    return StudyPart(name, rows, study.content, await ledger.row_texts(name))


async def _scores_of(settings: Settings, study: str, scorer: str) -> tuple[Score, ...]:
    """Return what ``scorer`` said of the deliberations of ``study``."""
    async with ScoreReader(settings.database_url) as ledger:
        found, known = await ledger.scores(study, scorer), await ledger.scorers(study)
    check_scorers(study, [scorer], known)
    return found


def _of_each(scores: Iterable[Score]) -> Iterable[Score]:
    """Yield a score for every deliberation: of pairs the share of those read that it won; a tie is half a win."""
    won: defaultdict[str, list[float]] = defaultdict(list)
    example: dict[str, Any] = {}
    for one in scores:
        if not one.other_id:
            yield one
            continue
        won[one.deliberation_id] += [] if one.value is None else [one.value]
        won[one.other_id] += [] if one.value is None else [1 - one.value]
        example = one.model_dump(exclude={"details", "reason", "other_id", "cost_usd", "tokens", "calls"})
    for deliberation_id, values in won.items():
        found = {"outcome": "scored", "value": fsum(values) / len(values)} if values else {"outcome": "unread"}
        yield Score.model_validate({**example, "value": None, **found, "deliberation_id": deliberation_id})
