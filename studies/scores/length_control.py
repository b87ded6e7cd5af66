"""Win rates at equal length: the rate if both answers were equally long, with an interval by bootstrap over rows.

All drawn samples are fitted at once, by Newton's method with the number of times that each row was drawn as its weight.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from scipy import special  # type: ignore[import-untyped]  # it has no annotations of its own

from studies.comparison.model import Figure
from studies.comparison.preferences import Preference, arms_of
from studies.comparison.resampling import percentiles
from studies.scores.strengths import LengthBias, Values, fit_length_bias, preference_table

FEWEST_PER_ARM = 10
"""Preferences for each arm: below it the effect of length is not fitted, because a few answers would decide it."""
_RESAMPLES = 999
_MOST_STEPS = 30
_LARGEST_STEP = 5.0
_SMALLEST_STEP = 1e-7
_RIDGE = 1e-9
_BATCH = 4_000_000
"""Preferences by drawn samples in memory at once."""


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
    lengths = np.array([one.length - one.other_length for one in preferences if one.value is not None], dtype=float)
    table = np.column_stack([design[:, 1:], lengths / np.std(lengths)])
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
    for _ in range(_MOST_STEPS):
        chances = special.expit(at @ table.T)
        slope = (weights * (outcomes - chances)) @ table
        curve = ((weights * chances * (1 - chances)) @ squares).reshape(-1, size, size) + _RIDGE * np.eye(size)
        step = np.clip(np.linalg.solve(curve, slope[..., None])[..., 0], -_LARGEST_STEP, _LARGEST_STEP)
        at += step
        if np.abs(step).max() < _SMALLEST_STEP:
            break
    at[np.abs(step).max(axis=1) > _SMALLEST_STEP] = np.nan
    return at
