"""Strengths of arms from preferences: Bradley and Terry's model, and how far the length of an answer decides.

The chance that an arm is preferred to another one is ``logistic(strength - other strength)``; a tie is half a win of
each. Strengths add up to zero. Intervals come from a covariance in which all preferences of a row count as one
observation (the sandwich estimator), because they are not independent, and so does the test that all are equal. Those
of win rates at equal length come from a bootstrap over rows: all drawn samples are fitted at once, by Newton's method
with the number of times that each row was drawn as its weight.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse, special, stats  # type: ignore[import-untyped]  # it has no annotations of its own

from protocols.model_call import FrozenModel
from studies.comparison.model import Figure
from studies.comparison.preferences import Preference, arms_of
from studies.comparison.resampling import percentiles

Values = npt.NDArray[np.float64]

_Z = float(stats.norm.ppf(0.975))
_MOST_STEPS = 200
_FEWEST_ARMS = 2
_TIE = 0.5
_SINGULAR = 1e-10
"""Of the largest eigenvalue: strengths are known up to a common shift, in whose direction there is no information."""


class Strength(FrozenModel):
    """The strength of one arm."""

    arm: str
    strength: float
    """In logits; the mean of all arms is 0."""
    low: float
    high: float
    """The interval of 95 %."""


class Strengths(FrozenModel):
    """The strengths of all arms, and the test that they are all the same."""

    arms: tuple[Strength, ...]
    """The strongest first."""
    statistic: float
    """Of the score test against equal strengths, in which all preferences of a row count as one observation."""
    degrees: int
    p: float
    least_p: float
    """Below which ``p`` cannot be: the statistic is at most the number of rows."""
    preferences: int


class LengthBias(FrozenModel):
    """The effect of length on preferences, beside the strengths."""

    coefficient: float
    """Logits for one standard deviation of the difference of lengths; above 0 the longer one is preferred."""
    low: float
    high: float
    p: float
    """Of the test against no effect, over rows like the interval: ties vary less than a likelihood takes them to."""


class Fit(NamedTuple):
    """A logistic model without an intercept."""

    coefficients: Values
    covariance: Values


def fit_strengths(preferences: Sequence[Preference]) -> Strengths | None:
    """Fit the strengths of the arms.

    Returns:
        ``None`` with fewer than two arms, where every preference is a tie and so nothing varies, or where the wins do
        not connect all arms in both directions: then some arm was never beaten by some others, and its strength has no
        bound.
    """
    design, outcomes, rows = preference_table(preferences)
    if not _is_connected(design, outcomes):
        return None
    fitted = fit_logistic(design, outcomes, rows)
    arms = arms_of(preferences)
    errors = np.sqrt(np.clip(np.diag(fitted.covariance), 0, None))
    found = [
        Strength(arm=arm, strength=float(at), low=float(at - _Z * error), high=float(at + _Z * error))
        for arm, at, error in zip(arms, fitted.coefficients, errors, strict=True)
    ]
    scores = _cluster_scores(design, outcomes - _TIE, rows)
    total, spread = scores.sum(axis=0), scores.T @ scores
    statistic = float(total @ np.linalg.pinv(spread, rcond=_SINGULAR, hermitian=True) @ total)
    degrees = int(np.linalg.matrix_rank(spread, tol=_SINGULAR * float(np.trace(spread)), hermitian=True))
    return Strengths(
        arms=tuple(sorted(found, key=lambda one: (-one.strength, one.arm))),
        statistic=statistic,
        degrees=degrees,
        p=float(stats.chi2.sf(statistic, degrees)),
        least_p=float(stats.chi2.sf(len(scores), degrees)),
        preferences=len(outcomes),
    )


def fit_length_bias(preferences: Sequence[Preference]) -> tuple[LengthBias, Callable[[str, str], float]] | None:
    """Fit the strengths together with the effect of length.

    Returns:
        The bias, and a function that returns how often the first of two arms would be preferred to the second if
        their answers were equally long. ``None`` where the strengths have no bound or all lengths are the same.
    """
    design, outcomes, rows = preference_table(preferences)
    lengths = _lengths(preferences)
    if not len(lengths) or not _is_connected(design, outcomes):
        return None
    fitted = fit_logistic(np.column_stack([design, lengths]), outcomes, rows)
    if not np.all(np.isfinite(fitted.covariance)):
        return None
    at, error = float(fitted.coefficients[-1]), float(np.sqrt(max(fitted.covariance[-1, -1], 0)))
    p = float(2 * stats.norm.sf(abs(at) / error)) if error else 1.0
    place = {arm: number for number, arm in enumerate(arms_of(preferences))}

    def controlled(arm: str, other: str) -> float:
        return float(special.expit(fitted.coefficients[place[arm]] - fitted.coefficients[place[other]]))

    return LengthBias(coefficient=at, low=at - _Z * error, high=at + _Z * error, p=p), controlled


def fit_logistic(design: Values, outcomes: Values, clusters: Sequence[object]) -> Fit:
    """Fit a logistic model of ``outcomes`` from 0 to 1; the covariance counts each cluster as one observation."""

    def loss(at: Values) -> tuple[float, Values]:
        logits = design @ at
        value = np.sum(np.logaddexp(0, logits) - outcomes * logits)
        return float(value), design.T @ (special.expit(logits) - outcomes)

    found = optimize.minimize(
        loss, np.zeros(design.shape[1]), jac=True, method="BFGS", options={"maxiter": _MOST_STEPS, "gtol": 1e-9}
    )
    at: Values = found.x
    chances = special.expit(design @ at)
    information = design.T @ (design * (chances * (1 - chances))[:, None])
    bread = np.linalg.pinv(information, rcond=_SINGULAR, hermitian=True)
    scores = _cluster_scores(design, outcomes - chances, clusters)
    return Fit(at, bread @ (scores.T @ scores) @ bread)


def _cluster_scores(design: Values, residuals: Values, clusters: Sequence[object]) -> Values:
    places = {one: number for number, one in enumerate(dict.fromkeys(clusters))}
    scores = np.zeros((len(places), design.shape[1]))
    np.add.at(scores, [places[one] for one in clusters], design * residuals[:, None])
    return scores


def preference_table(preferences: Sequence[Preference]) -> tuple[Values, Values, list[str]]:
    """Return the design with 1 for the arm and -1 for the other, the outcomes, and the rows."""
    place = {arm: number for number, arm in enumerate(arms_of(preferences))}
    read = [one for one in preferences if one.value is not None]
    design = np.zeros((len(read), len(place)))
    for number, one in enumerate(read):
        design[number, place[one.arm]], design[number, place[one.other]] = 1.0, -1.0
    return design, np.array([one.value for one in read], dtype=float), [one.row_id for one in read]


def _lengths(preferences: Sequence[Preference]) -> Values:
    """Return the differences of length in standard deviations; none where all are the same."""
    lengths = np.array([one.length - one.other_length for one in preferences if one.value is not None], dtype=float)
    spread = float(np.std(lengths)) if len(lengths) else 0.0
    return lengths / spread if spread else lengths[:0]


def _is_connected(design: Values, outcomes: Values) -> bool:
    """Return whether a preference was no tie, and every arm at some distance preferred to every other one (Ford)."""
    arms = design.shape[1]
    if arms < _FEWEST_ARMS or np.all(outcomes == _TIE):
        return False
    beaten = np.zeros((arms, arms))
    for line, outcome in zip(design, outcomes, strict=True):
        arm, other = int(np.argmax(line)), int(np.argmin(line))
        beaten[arm, other] += outcome
        beaten[other, arm] += 1 - outcome
    parts, _ = sparse.csgraph.connected_components(beaten, directed=True, connection="strong")
    return bool(parts == 1)


FEWEST_PER_ARM = 10
"""Preferences for each arm: below it the effect of length is not fitted, because a few answers would decide it."""
_RESAMPLES = 999
_NEWTON_STEPS = 30
_LARGEST_STEP = 5.0
_SMALLEST_STEP = 1e-7
_RIDGE = 1e-9
_BATCH = 100_000
"""Preferences by drawn samples in memory at once: more leave the processor's caches."""


def control_length(
    preferences: Sequence[Preference], seed: int
) -> tuple[LengthBias, Mapping[tuple[str, str], Figure]] | None:
    """Return the effect of length, and by arm and other arm the win rate without it.

    Returns:
        ``None`` with too few preferences, where the strengths have no bound, or where all lengths are the same.
    """
    arms = arms_of(preferences)
    found = fit_length_bias(preferences) if is_enough(preferences) else None
    if found is None:
        return None
    bias, rate = found
    drawn = np.column_stack([np.zeros(_RESAMPLES), *_drawn_strengths(preferences, seed)])
    rates = {
        (arms[at], arms[beside]): Figure(
            value=rate(arms[at], arms[beside]), interval=percentiles(special.expit(drawn[:, at] - drawn[:, beside]))
        )
        for at, beside in combinations(range(len(arms)), 2)
    }
    return bias, rates


def is_enough(preferences: Sequence[Preference]) -> bool:
    """Return whether there are enough preferences for the effect of length."""
    return sum(one.is_read for one in preferences) >= FEWEST_PER_ARM * len(arms_of(preferences))


def _drawn_strengths(preferences: Sequence[Preference], seed: int) -> Iterator[Values]:
    """Yield for each arm but the first its strength in every drawn sample, that of the first being 0."""
    design, outcomes, rows = preference_table(preferences)
    table = np.column_stack([design[:, 1:], _lengths(preferences)])
    places = {row: number for number, row in enumerate(dict.fromkeys(rows))}
    of_row = [places[row] for row in rows]
    counts = np.random.default_rng(seed).multinomial(len(places), [1 / len(places)] * len(places), size=_RESAMPLES)
    parts = np.array_split(counts, 1 + len(rows) * _RESAMPLES // _BATCH)
    fitted = np.concatenate([_fitted(table, outcomes, part[:, of_row].astype(float)) for part in parts])
    yield from fitted.T[:-1]


def _fitted(table: Values, outcomes: Values, weights: Values) -> Values:
    """Return a line of coefficients for each line of ``weights``; not-a-number where the fit has no bound."""
    size = table.shape[1]
    squares = (table[:, :, None] * table[:, None, :]).reshape(len(table), -1)
    at, step = np.zeros((len(weights), size)), np.ones((len(weights), size))
    for _ in range(_NEWTON_STEPS):
        chances = special.expit(at @ table.T)
        slope = (weights * (outcomes - chances)) @ table
        curve = ((weights * chances * (1 - chances)) @ squares).reshape(-1, size, size) + _RIDGE * np.eye(size)
        step = np.clip(np.linalg.solve(curve, slope[..., None])[..., 0], -_LARGEST_STEP, _LARGEST_STEP)
        at += step
        if np.abs(step).max() < _SMALLEST_STEP:
            break
    at[np.abs(step).max(axis=1) > _SMALLEST_STEP] = np.nan
    return at
