"""The figures of a study's scores: means by arm, win rates, strengths, position bias, and agreement of scorers."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from ledger.studies.results import ResultRow
from ledger.studies.scores import Outcome, Score, count_outcomes
from protocols.model_call import FrozenModel
from studies.comparison.model import Figure
from studies.comparison.resampling import RatioSums, interval
from studies.scores.preferences import Preference, arms_of
from studies.scores.scorer_agreement import ScorerAgreement, agreement
from studies.scores.strengths import LengthBias, Strengths, fit_length_bias, fit_strengths

_SEED = 7


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


class WinRate(FrozenModel):
    """The share of preferences for one of two arms; a tie is half a win."""

    arm: str
    other: str
    preferences: int
    rate: Figure
    controlled: float | None
    """The rate if both answers were equally long; ``None`` where it cannot be fitted."""
    inconsistent: int
    """Pairs whose two orders contradict each other; each counts as a tie."""
    unread: int


class PreferenceFigures(FrozenModel):
    """The figures of all preferences of one scorer."""

    rates: tuple[WinRate, ...]
    strengths: Strengths | None
    """``None`` where an arm was never beaten, or never preferred, so that its strength has no bound."""
    length_bias: LengthBias | None
    first_in_both: Figure
    """The share of pairs in which the answer shown first was preferred in both orders."""
    second_in_both: Figure


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
    rehearsal: bool
    graders: tuple[str, ...] = ()
    """The models that graded, as ``provider:model``."""
    prompts: str = ""
    """``version@fingerprint`` of the graders' prompt pack."""
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
    seed: int = _SEED,
) -> ScoreReport:
    """Return the figures of ``scores``.

    Args:
        study: Its name.
        rows: Its deliberations.
        scores: What its scorers said.
        graders: Scorer to the models that graded, as ``provider:model``.
        seed: Of every interval.
    """
    placed = {row.deliberation_id: row for row in rows}
    by_scorer: defaultdict[str, list[Score]] = defaultdict(list)
    for one in scores:
        if one.deliberation_id in placed:
            by_scorer[one.scorer].append(one)
    single = {name: said for name, said in by_scorer.items() if not any(one.other_id for one in said)}
    return ScoreReport(
        study=study,
        scorers=tuple(
            _summary(said, placed, (graders or {}).get(name, ()), seed) for name, said in sorted(by_scorer.items())
        ),
        agreement=tuple(
            found
            for first, second in combinations(sorted(single), 2)
            if (found := agreement(single[first], single[second])) is not None
        ),
    )


def preferences_of(scores: Iterable[Score]) -> list[Preference]:
    """Return the preferences that ``scores`` keep."""
    return [
        Preference.model_validate({name: one.details[name] for name in Preference.model_fields})
        for one in scores
        if one.other_id
    ]


def _summary(
    scores: Sequence[Score], rows: Mapping[str, ResultRow], graders: Sequence[str], seed: int
) -> ScorerSummary:
    first, known = scores[0], [one.cost_usd for one in scores if one.cost_usd is not None]
    pairs = preferences_of(scores)
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
        rehearsal=any(one.rehearsal for one in scores),
        graders=tuple(dict.fromkeys(graders)),
        prompts=first.prompts,
        arms=() if pairs else tuple(_arms(scores, rows, seed)),
        preferences=_preferences(pairs, seed) if pairs else None,
        notes=tuple(_own_family(graders, {rows[one.deliberation_id].arm: rows[one.deliberation_id] for one in scores})),
    )


def _arms(scores: Sequence[Score], rows: Mapping[str, ResultRow], seed: int) -> Iterable[ArmScores]:
    by_arm: defaultdict[str, list[Score]] = defaultdict(list)
    for one in scores:
        by_arm[rows[one.deliberation_id].arm].append(one)
    for arm, said in sorted(by_arm.items()):
        values = [(rows[one.deliberation_id].row_id, one.value) for one in said if one.value is not None]
        right = [(rows[one.deliberation_id].row_id, float(one.correct)) for one in said if one.correct is not None]
        yield ArmScores(
            arm=arm,
            n=len(said),
            outcomes=count_outcomes(said),
            mean=_mean(values, seed),
            share_right=_mean(right, seed, is_share=True),
        )


def _mean(values: Sequence[tuple[str, float]], seed: int, *, is_share: bool = False) -> Figure:
    """Return the mean of ``values``, by row; the interval draws rows."""
    sums: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row, value in values:
        sums[row][0] += value
        sums[row][1] += 1
    table = np.array([sums[row] for row in sorted(sums)], dtype=np.float64).reshape(len(sums), 2)
    found = RatioSums(table[:, 0], table[:, 1])
    return Figure(value=found.ratio, interval=interval(found, seed, is_share=is_share))


def _preferences(pairs: Sequence[Preference], seed: int) -> PreferenceFigures:
    length = fit_length_bias(pairs)
    read = [one for one in pairs if one.is_read]
    favoured = {
        position: _mean([(one.row_id, float(one.favoured_position == position)) for one in read], seed, is_share=True)
        for position in ("first", "second")
    }
    rates = []
    for arm, other in combinations(arms_of(pairs), 2):
        mine = [one for one in pairs if {one.arm, one.other} == {arm, other}]
        if mine:
            values = [
                (one.row_id, one.value if one.arm == arm else 1 - one.value) for one in mine if one.value is not None
            ]
            rates.append(
                WinRate(
                    arm=arm,
                    other=other,
                    preferences=len(values),
                    rate=_mean(values, seed, is_share=True),
                    controlled=None if length is None else length[1](arm, other),
                    inconsistent=sum(one.is_read and not one.is_consistent for one in mine),
                    unread=sum(not one.is_read for one in mine),
                )
            )
    return PreferenceFigures(
        rates=tuple(rates),
        strengths=fit_strengths(pairs),
        length_bias=None if length is None else length[0],
        first_in_both=favoured["first"],
        second_in_both=favoured["second"],
    )


def _own_family(graders: Sequence[str], arms: Mapping[str, ResultRow]) -> Iterable[str]:
    """Yield a sentence for every arm that a grader's own family takes part in."""
    families = Counter(map(family_of, graders))
    for arm, row in sorted(arms.items()):
        shared = sorted({family_of(model) for model in row.models} & set(families))
        if shared:
            yield f"graders and {arm} have models of one family ({', '.join(shared)}): they may prefer their own"


def family_of(model: str) -> str:
    """Return the maker of ``model``, the part between provider and slash; without a slash the name's first word."""
    name = model.partition(":")[2] or model
    maker, slash, _ = name.partition("/")
    return maker if slash else name.partition("-")[0]
