"""Every arm beside the baseline, over the rows that both have."""

from collections.abc import Mapping, Sequence

from starter.comparison.marking import Entry
from starter.comparison.metrics import Metric, sums
from starter.comparison.model import Pair, TestName
from starter.comparison.resampling import (
    Sums,
    Tested,
    difference_interval,
    holm,
    mcnemar,
    permutation,
)


def paired(by_arm: Mapping[str, Sequence[Entry]], baseline: str, of: Metric, seed: int) -> tuple[Pair, ...]:
    """The other arms in their order, their p corrected by Holm over all of them."""
    pairs = [_pair(by_arm, arm, baseline, of, seed) for arm in by_arm if arm != baseline]
    corrected = holm([one.p for one in pairs])
    return tuple(one.model_copy(update={"p_holm": p}) for one, p in zip(pairs, corrected, strict=True))


def _pair(by_arm: Mapping[str, Sequence[Entry]], arm: str, baseline: str, of: Metric, seed: int) -> Pair:
    rows = sorted(_rows(by_arm[arm], of) & _rows(by_arm[baseline], of))
    first, second = (sums(by_arm[name], of, rows) for name in (arm, baseline))
    tested, test = _tested(first, second, of, seed)
    above, below = first.ratio, second.ratio
    return Pair(
        arm=arm,
        baseline=baseline,
        rows=len(rows),
        arm_value=above,
        baseline_value=below,
        difference=None if above is None or below is None else above - below,
        interval=difference_interval(first, second, seed),
        p=tested.p,
        p_holm=None,
        test=test,
        only_arm=tested.only_first,
        only_baseline=tested.only_second,
    )


def _rows(entries: Sequence[Entry], of: Metric) -> set[str]:
    return {entry.row_id for entry in entries if of.parts(entry) is not None}


def _tested(first: Sums, second: Sums, of: Metric, seed: int) -> tuple[Tested, TestName]:
    if first.ratio is None or second.ratio is None:
        return Tested(None), "none"
    if of.name == "accuracy" and all((side.denominators == 1).all() for side in (first, second)):
        return mcnemar(first.numerators, second.numerators), "mcnemar"
    return permutation(first, second, seed), "permutation"
