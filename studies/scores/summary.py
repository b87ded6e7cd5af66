"""The figures of a study's scores: means by arm, win rates, strengths, position bias, and agreement of scorers."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from ledger.studies.reading import StudyReader
from ledger.studies.results import ResultRow
from ledger.studies.scores import UNPRICED, Outcome, Score, ScoreReader, count_outcomes
from parley.errors import RequestError
from protocols.model_call import FrozenModel
from studies.comparison.compare import figure_of, seed_of
from studies.comparison.metrics import METRICS, Metric, OverRepeats, score
from studies.comparison.model import NOTHING, Figure, PositionBias
from studies.comparison.preferences import Preference, arms_of, position_bias, preferences_of, share_by_row
from studies.comparison.scoring import ScoredRow, apply_scores, grouped, named_repeats, score_row
from studies.scores.scorer_agreement import ScorerAgreement, agreement
from studies.scores.strengths import LengthBias, Strengths, control_length, fit_strengths, is_enough

_SEED = 7
_WORD = re.compile(r"^o\d|[xz]-ai|[a-z]+")
_KNOWN = """\
anthropic claude, openai gpt chatgpt o1 o3 o4, google gemini gemma, meta llama codellama, qwen qwq alibaba, deepseek,
mistral mistralai mixtral ministral magistral codestral devstral pixtral, cohere command, amazon nova, microsoft phi,
xai x-ai grok, moonshot moonshotai kimi, zhipu z-ai zai glm, nvidia nemotron, ibm granite"""
_MAKERS = {word: words.split()[0] for words in _KNOWN.split(",") for word in words.split()}
"""Word in the names of models to their maker, whom the names of providers and hubs spell differently or leave out."""


class ArmScores(FrozenModel):
    """The figures of one scorer and one arm."""

    arm: str
    n: int
    """Deliberations that were looked at."""
    outcomes: dict[Outcome, int]
    mean: Figure
    """Of the values; without those that have none."""
    share_right: Figure
    """Of those that can be right or wrong; no answer is wrong."""
    judged: int
    """What the share divides by: those, or where repeats are aggregated, their rows."""
    classes: dict[str, int]
    """Class to how often it was read, where the scores are neither values nor right or wrong."""


class WinRate(FrozenModel):
    """The share of preferences for one of two arms; a tie is half a win."""

    arm: str
    other: str
    preferences: int
    rate: Figure
    controlled: Figure
    """The rate if both answers were equally long; without a value where it cannot be fitted."""
    inconsistent: int
    """Pairs whose two orders contradict each other; each counts as a tie."""
    unread: int


class PreferenceFigures(FrozenModel):
    """The figures of all preferences of one scorer."""

    rates: tuple[WinRate, ...]
    strengths: Strengths | None
    """``None`` where an arm was never beaten, or never preferred, so that its strength has no bound."""
    length_bias: LengthBias | None
    has_few: bool
    """There are too few pairs for the effect of length."""
    position: PositionBias


class ScorerSummary(FrozenModel):
    """The figures of one scorer."""

    scorer: str
    kind: str
    version: str
    fingerprint: str
    n: int
    outcomes: dict[Outcome, int]
    calls: int
    tokens: int
    cost_usd: float | None
    """The known part; ``None`` when nothing is known."""
    calls_of_unknown_cost: int
    rehearsal: bool
    graders: tuple[str, ...] = ()
    """The models that graded, as ``provider:model``."""
    protocol: str = ""
    """That in which they graded; empty where no model did."""
    prompts: str = ""
    """``version@fingerprint`` of the graders' prompt pack."""
    over_repeats: str | None = None
    """How the repeats of a row are aggregated: ``mean``, ``mode``, ``max`` or ``pass@K``; ``None``: added up."""
    arms: tuple[ArmScores, ...] = ()
    preferences: PreferenceFigures | None = None
    notes: tuple[str, ...] = ()


class ScoreReport(FrozenModel):
    """The scores of a study."""

    study: str
    scorers: tuple[ScorerSummary, ...]
    agreement: tuple[ScorerAgreement, ...] = ()
    """Of every two scorers that score the same deliberations."""


def summarise(
    study: str,
    rows: Iterable[ResultRow],
    scores: Sequence[Score],
    graders: Mapping[str, Sequence[str]] | None = None,
    *,
    protocols: Mapping[str, str] | None = None,
    seed: int = _SEED,
) -> ScoreReport:
    """Return the figures of ``scores``.

    Args:
        study: Its name.
        rows: Its deliberations.
        scores: What its scorers said.
        graders: Scorer to the models that graded, as ``provider:model``.
        protocols: Scorer to the protocol in which they did.
        seed: Of every interval.
    """
    placed = {row.deliberation_id: row for row in rows}
    by_scorer = grouped((one for one in scores if one.deliberation_id in placed), lambda one: one.scorer)
    single = {name: said for name, said in by_scorer.items() if not any(one.other_id for one in said)}
    pairs = (agreement(single[one], single[other]) for one, other in combinations(sorted(single), 2))
    return ScoreReport(
        study=study,
        scorers=tuple(
            _summary(said, placed, (graders or {}).get(name, ()), (protocols or {}).get(name, ""), seed)
            for name, said in sorted(by_scorer.items())
        ),
        agreement=tuple(one for one in pairs if one is not None),
    )


def _summary(
    scores: Sequence[Score], rows: Mapping[str, ResultRow], graders: Sequence[str], protocol: str, seed: int
) -> ScorerSummary:
    first, known = scores[0], [one.cost_usd for one in scores if one.cost_usd is not None]
    pairs = preferences_of(scores)
    arms, why_none = ((), None) if pairs else _scored_arms(first.scorer, scores, rows, seed)
    judged = [rows[id_] for one in scores for id_ in (one.deliberation_id, one.other_id) if id_ in rows]
    return ScorerSummary(
        scorer=first.scorer,
        kind=first.kind,
        version=first.version,
        fingerprint=first.fingerprint,
        n=len(scores),
        outcomes=count_outcomes(scores),
        calls=sum(one.calls for one in scores),
        tokens=sum(one.tokens for one in scores),
        cost_usd=sum(known) if known else None,
        calls_of_unknown_cost=sum(n for one in scores if isinstance(n := one.details.get(UNPRICED), int)),
        rehearsal=any(one.rehearsal for one in scores),
        graders=tuple(dict.fromkeys(graders)),
        protocol=protocol,
        prompts=first.prompts,
        over_repeats=named_repeats(scores),
        arms=arms,
        preferences=_preferences(pairs, seed) if pairs else None,
        notes=(*_own_makers(graders, judged), *filter(None, [why_none])),
    )


def _scored_arms(
    scorer: str, scores: Sequence[Score], rows: Mapping[str, ResultRow], seed: int
) -> tuple[tuple[ArmScores, ...], str | None]:
    """Return the figures of every arm, the same as those of a comparison by this scorer, and why there are none."""
    said = grouped(scores, lambda one: rows[one.deliberation_id].arm)
    marks = apply_scores([score_row(rows[one.deliberation_id], None) for one in scores], scores, scorer)
    by_arm = grouped(marks, lambda one: one.arm)
    try:
        of = _metrics(scorer, scores, by_arm)
    except RequestError as error:
        return (), str(error)
    way = named_repeats(scores)
    values = {arm: [figure_of(by_arm[arm], one, seed) for one in of] for arm in sorted(by_arm)}
    arms = (
        ArmScores(
            arm=arm,
            n=len(said[arm]),
            outcomes=count_outcomes(said[arm]),
            mean=mean,
            share_right=right,
            judged=len({(one.row_id, one.repeat * (way is None)) for one in by_arm[arm] if one.expected is not None}),
            classes=Counter(one.label for one in said[arm] if one.label and one.value is one.correct is None),
        )
        for arm, (mean, right) in values.items()
    )
    return tuple(arms), None


def _metrics(scorer: str, scores: Sequence[Score], by_arm: Mapping[str, Sequence[ScoredRow]]) -> tuple[Metric, Metric]:
    """Return the mean of the values and the share that is right, the repeats aggregated in the scorer's way."""
    mean, right = score(scorer), METRICS["accuracy"]
    way = named_repeats(scores)
    if way is None:
        return mean, right
    wanted = right if any(one.correct is not None for one in scores) else mean
    found = OverRepeats.of(way).aggregated(wanted, by_arm)
    return found.get(mean.name, mean), found[right.name]


def _preferences(pairs: Sequence[Preference], seed: int) -> PreferenceFigures:
    length = control_length(pairs, seed)
    rates = []
    for arm, other in combinations(arms_of(pairs), 2):
        if mine := [one for one in pairs if (one.arm, one.other) == (arm, other)]:  # in the order of their names
            values = [(one.row_id, one.value) for one in mine if one.value is not None]
            rates.append(
                WinRate(
                    arm=arm,
                    other=other,
                    preferences=len(values),
                    rate=share_by_row(values, seed),
                    controlled=NOTHING if length is None else length[1][arm, other],
                    inconsistent=sum(one.is_read and not one.is_consistent for one in mine),
                    unread=sum(not one.is_read for one in mine),
                )
            )
    return PreferenceFigures(
        rates=tuple(rates),
        strengths=fit_strengths(pairs),
        length_bias=None if length is None else length[0],
        has_few=not is_enough(pairs),
        position=position_bias(pairs, seed),
    )


def _own_makers(graders: Sequence[str], judged: Iterable[ResultRow]) -> Iterable[str]:
    """Yield a sentence for every arm that a maker of the graders has a seat in, the chair's too."""
    grading = {maker for model in graders for maker in makers_of(model)}
    for arm, rows in sorted(grouped(judged, lambda one: one.arm).items()):
        seated = {model for row in rows for model in row.seated}
        if shared := sorted({maker for model in seated for maker in makers_of(model)} & grading):
            yield f"graders and {arm} have models of one maker ({', '.join(shared)}): they may prefer their own"


def makers_of(model: str) -> set[str]:
    """Return the makers of ``model`` by the known words of its name, or by its slash or first word."""
    *before, name = (model.partition(":")[2] or model).casefold().split("/")
    said = before[0] if len(before) == 1 else name.partition("-")[0].partition(":")[0].rstrip("0123456789.")
    return (_known_makers(said) or {said}) | _known_makers(name)


def _known_makers(text: str) -> set[str]:
    return {_MAKERS[word] for word in _WORD.findall(text) if word in _MAKERS}


async def score_report(
    ledger: ScoreReader, studies: StudyReader, study: str, only: Collection[str] = ()
) -> tuple[ScoreReport, tuple[Score, ...]]:
    """Return the figures of what all scorers of ``study`` said, or of those in ``only``, and the scores themselves."""
    scores = tuple(one for one in await ledger.scores(study) if not only or one.scorer in only)
    graders: dict[str, list[str]] = {}
    protocols: dict[str, str] = {}
    for scorer, grading in sorted({(one.scorer, id_.partition("/")[0]) for one in scores for id_ in _graded_by(one)}):
        async for row in studies.results(grading):
            graders.setdefault(scorer, []).extend(row.seated)
            protocols[scorer] = row.protocol
    rows = [row async for row in studies.every(study)]
    known = await studies.known(study)
    seed = seed_of(known.content if known else {})
    return summarise(study, rows, scores, graders, protocols=protocols, seed=seed), scores


def _graded_by(score: Score) -> list[str]:
    """Return the ids of the deliberations of ``score``; they begin with the name of the grading."""
    said: Any = score.details.get("graded_by", [])
    return [said] if isinstance(said, str) else said
