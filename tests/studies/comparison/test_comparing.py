"""A whole comparison of a study that was worked out by hand."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.studies.results import ResultRow
from parley.errors import RequestError
from studies.comparison.model import ArmFigures, StudyComparison
from studies.comparison.notes import notes
from tests.studies.comparison.deliberations import CHOICES, YES_NO, answered, compare, deliberation, replace

LABELS = ["A", "B", "C", "D", "A", "B", "C", "D"]
GOOD = answered("good", ["A", "B", "C", "D", "A", "B", "C", "A"], LABELS)
POOR = answered("poor", ["A", "B", "D", "C", "B", "hm", None, "A"], LABELS)
"""Seven of eight right; two of eight right, one unreadable, one failed."""


def arm(name: str, compared: StudyComparison) -> ArmFigures:
    """The figures of one arm."""
    return next(one for one in compared.arms if one.arm == name)


def cheap(rows: list[ResultRow], cost_usd: float | None, **more: Any) -> list[ResultRow]:
    """The same at another price."""
    return [replace(row, cost_usd=cost_usd, **more) for row in rows]


def test_what_ended_how_is_counted() -> None:
    """Held, failed by reason, degraded of the held, unreadable of the held."""
    poor = arm("poor", compare("s", [*GOOD, *POOR[:-1], replace(POOR[-1], degraded=True)], CHOICES))
    assert (8, 7, 1, 1, 1) == (poor.n, poor.completed, poor.failed, poor.degraded, poor.unreadable)
    assert {"no_answers": 1} == poor.failures


def test_failed_and_unreadable_rows_are_wrong() -> None:
    """Two of eight in the accuracy; two of the six with an answer are beside it."""
    poor = arm("poor", compare("s", [*GOOD, *POOR], CHOICES))
    assert (2, 8, 2 / 8, 2 / 6) == (poor.correct, poor.labelled, poor.accuracy.value, poor.accuracy_answered.value)


def test_unlabelled_rows_are_in_no_accuracy() -> None:
    """A row without a label runs, paid and not marked."""
    rows = [*GOOD, deliberation(row_id="q900", arm="good")]
    good = arm("good", compare("s", rows, CHOICES))
    assert (9, 8, 7 / 8) == (good.n, good.labelled, good.accuracy.value)


def test_what_a_right_answer_costs() -> None:
    """All that was spent on labelled rows over the right answers: 8 times 0.02 over 7, and 800 tokens over 7."""
    good = arm("good", compare("s", cheap(GOOD, 0.02), CHOICES))
    assert pytest.approx(0.16 / 7) == good.usd_per_correct.value
    assert pytest.approx((800 / 7, 16, 800)) == (good.tokens_per_correct.value, good.calls, good.tokens)


def test_without_a_right_answer_none_has_a_price() -> None:
    """Nothing is divided by zero."""
    wrong = answered("wrong", ["A", "A"], ["B", "B"])
    found = arm("wrong", compare("s", wrong, CHOICES))
    assert (0.0, None, None) == (found.accuracy.value, found.usd_per_correct.value, found.tokens_per_correct.value)


def test_unknown_cost_is_unknown_and_not_zero() -> None:
    """Where no call has a price there is no sum; where some have, it is a lower bound."""
    unknown = arm("good", compare("s", cheap(GOOD, None, calls_of_unknown_cost=2), CHOICES))
    some = arm("good", compare("s", [*GOOD[1:], *cheap(GOOD[:1], None, calls_of_unknown_cost=2)], CHOICES))
    assert (None, None, True) == (unknown.usd, unknown.usd_per_correct.value, unknown.is_lower_bound)
    assert pytest.approx((0.07, True)) == (some.usd, some.is_lower_bound)


def test_time_is_that_of_what_was_held() -> None:
    """A deliberation that failed at once makes no arm quick: median and p90 of 10, 20, 30, 40."""
    rows = [deliberation(row_id=f"q{n}", seconds=10.0 * n) for n in range(1, 5)]
    found = arm("solo", compare("s", [*rows, deliberation(row_id="q5", seconds=0.1, verdict=None)], CHOICES))
    assert pytest.approx((25.0, 37.0)) == (found.seconds_median, found.seconds_p90)


def test_precision_and_recall_are_those_of_yes() -> None:
    """Yes is the answer to 3 of 4 that should be yes and to 1 of 4 that should not: 3/4 four times."""
    labels = ["yes"] * 4 + ["no"] * 4
    found = arm("a", compare("s", answered("a", ["yes"] * 3 + ["no", "yes"] + ["no"] * 3, labels), YES_NO)).confusion
    assert found is not None
    assert (3, 1, 1, 3) == (found.true_positives, found.false_positives, found.false_negatives, found.true_negatives)
    assert [0.75] * 4 == [one.value for one in (found.precision, found.recall, found.specificity, found.f1)]


def test_an_answer_that_is_missing_flags_nothing() -> None:
    """A miss where yes is right; where no is, no false alarm, and wrong in specificity as in accuracy."""
    found = arm("a", compare("s", answered("a", ["yes", None, None, "no"], ["yes", "yes", "no", "no"]), YES_NO))
    assert found.confusion is not None
    assert (1.0, 0.5, 0.5, 1) == (
        found.confusion.precision.value,
        found.confusion.recall.value,
        found.confusion.specificity.value,
        found.confusion.unanswered_negatives,
    )
    assert 0.5 == found.accuracy.value


@pytest.mark.parametrize("metric", ["precision", "recall", "specificity", "f1"])
def test_what_takes_yes_or_no_is_refused_of_choices(metric: str) -> None:
    """A table of such a metric would have no figure at all."""
    with pytest.raises(RequestError, match=f"{metric} takes labels that are yes or no; choose another metric"):
        compare("s", answered("solo", "AB", "AB"), CHOICES, of=metric)


def test_choices_have_no_precision() -> None:
    """Where no answer is the positive one, nothing is flagged."""
    assert arm("good", compare("s", GOOD, CHOICES)).confusion is None


def test_arms_are_compared_on_the_rows_that_both_have() -> None:
    """Good alone is right in five rows, poor alone in none: exact McNemar 2/32."""
    (pair,) = compare("s", [*GOOD, *POOR, deliberation(row_id="q999", arm="good", expected="B")], CHOICES).pairs
    assert ("poor", "good", "mcnemar", 8, 0, 5) == (
        *(pair.arm, pair.baseline, pair.test),
        *(pair.rows, pair.only_arm, pair.only_baseline),
    )
    assert pytest.approx((2 / 32, -5 / 8)) == (pair.p, pair.difference)


def test_the_cheapest_arm_is_the_baseline() -> None:
    """By known dollars per deliberation; the difference is the other arm's value less the baseline's."""
    compared = compare("s", [*GOOD, *cheap(POOR, 0.001)], CHOICES)
    assert ("poor", "cheapest") == (compared.baseline, compared.baseline_is)
    assert [("good", 5 / 8)] == [(pair.arm, pair.difference) for pair in compared.pairs]


@pytest.mark.parametrize("cost", [None, 0.0])
def test_without_prices_the_fewest_tokens_are_the_baseline(cost: float | None) -> None:
    """A rehearsal costs nothing and a local model has no price."""
    unknown = 2 if cost is None else 0
    rows = [*cheap(GOOD, cost, calls_of_unknown_cost=unknown), *cheap(POOR, cost, tokens=50)]
    compared = compare("s", rows, CHOICES)
    assert ("poor", "fewest tokens") == (compared.baseline, compared.baseline_is)


def test_an_arm_that_answered_nothing_is_no_baseline() -> None:
    """Calls that are all refused cost nothing; beside such an arm every other one would be better, without a reason."""
    dead = [replace(row, verdict=None, status="failed", cost_usd=0.0, tokens=0) for row in answered("dead", "AB", "AB")]
    compared = compare(
        "s", [*dead, *answered("dear", "AB", "AB"), *cheap(answered("fair", "AB", "AA"), 0.001)], CHOICES
    )
    assert ("fair", ["dead", "dear"]) == (compared.baseline, [pair.arm for pair in compared.pairs])


def test_the_baseline_may_be_chosen() -> None:
    """The others are compared with the arm that was asked for; another name is refused with those there are."""
    compared = compare("s", [*GOOD, *cheap(POOR, 0.001)], CHOICES, baseline="good")
    assert ("good", "asked for", -5 / 8) == (compared.baseline, compared.baseline_is, compared.pairs[0].difference)
    with pytest.raises(RequestError, match="no arm 'best' in this study; its arms are good, poor"):
        compare("s", [*GOOD, *POOR], CHOICES, baseline="best")


def test_holm_counts_the_pairs() -> None:
    """Two arms beside one baseline: the smaller p is doubled."""
    third = [replace(row, arm="third") for row in POOR]
    pairs = compare("s", [*GOOD, *POOR, *third], CHOICES, baseline="good").pairs
    assert [pytest.approx(2 * 2 / 32)] * 2 == [pair.p_holm for pair in pairs]


@pytest.mark.parametrize(("metric", "difference"), [("tokens", 60.0), ("seconds", 5.0), ("scores.kendall_w", 0.5)])
def test_other_metrics_are_compared_by_permutation(metric: str, difference: float) -> None:
    """Anything that a deliberation adds to can be tested, the protocol's own scores too."""
    base = [deliberation(row_id=f"q{n}", arm="a", tokens=n, seconds=n, scores={"kendall_w": 0.25}) for n in range(1, 9)]
    other = [
        replace(row, arm="b", tokens=row.tokens + 60, seconds=(row.seconds or 0.0) + 5, scores={"kendall_w": 0.75})
        for row in base
    ]
    (pair,) = compare("s", [*base, *other], {}, of=metric, baseline="a").pairs
    assert pair.test == "permutation"
    assert pytest.approx((difference, 2 / 2**8)) == (pair.difference, pair.p)


def test_whose_value_is_compared_is_said() -> None:
    """A value by a scorer is no score of the protocol."""
    rows = [deliberation(row_id=f"q{n}", arm=arm, scores={"judge": n / 8}) for n in range(1, 9) for arm in ("a", "b")]
    compared = compare("s", rows, {}, of="scores.judge", baseline="a")

    assert "scores.judge: mean of the protocol's own judge." in notes(compared)
    assert "scores.judge: mean of the values by the scorer judge." in notes(
        compared.model_copy(update={"score": "judge"})
    )


def test_an_unknown_metric_is_refused_with_those_there_are() -> None:
    """The scores of this study are among them."""
    with pytest.raises(RequestError, match=r"no metric 'beauty'.*accuracy.*scores\.falsehood"):
        compare("s", [deliberation(scores={"falsehood": 0.1})], {}, of="beauty")


def test_with_repeats_the_rows_are_swapped_and_not_the_deliberations() -> None:
    """Three repeats of five rows that all differ one way: 2 of 32 ways, as without repeats; McNemar would be wrong."""
    rows = [
        deliberation(row_id=f"q{n}", arm=name, repeat=repeat, expected="A", verdict=f"FINAL ANSWER: {said}")
        for n in range(5)
        for name, said in (("a", "A"), ("b", "B"))
        for repeat in (1, 2, 3)
    ]
    (pair,) = compare("s", rows, CHOICES, baseline="b").pairs
    assert pair.test == "permutation"
    assert pytest.approx((5, 2 / 32)) == (pair.rows, pair.p)


def test_repeats_that_agree_have_an_alpha_of_one() -> None:
    """Within an arm the repeats are the coders; between arms the arms are, row by row and repeat by repeat."""
    rows = [replace(row, repeat=repeat) for row in GOOD for repeat in (1, 2)]
    other = [replace(row, arm="other") for row in rows]
    compared = compare("s", [*rows, *other], CHOICES)
    assert pytest.approx((1.0, 1.0, 16)) == (
        compared.arms[0].alpha_repeats,
        compared.agreement.alpha,
        compared.agreement.alpha_units,
    )


def test_whole_texts_have_no_alpha() -> None:
    """Where a label is only looked for in an answer, no two answers are the same."""
    compared = compare("s", [*GOOD, *POOR], {"label": {"read": "contains"}})
    assert (None, None) == (compared.agreement.alpha, compared.arms[0].alpha_repeats)


def test_councils_have_the_mean_of_their_rankings_w() -> None:
    """Other protocols' ``agreement`` is something else and is in no mean of W."""
    rows = [deliberation(row_id=f"q{n}", scores={"kendall_w": n / 4}) for n in (1, 2)]
    other = [replace(row, arm="vote", protocol="vote", scores={"winner_share": 1.0}) for row in rows]
    compared = compare("s", [*rows, *other], {})
    assert (0.375, None) == (arm("solo", compared).rankings_w, arm("vote", compared).rankings_w)


def test_scores_of_different_meaning_are_not_held_together() -> None:
    """Between protocols W learns of the falsehood alone; between arms of one protocol of everything they share."""
    scores = [{"falsehood": n / 10, "kendall_w": n / 20} for n in range(5)]
    rows = [deliberation(row_id=f"q{n}", scores=told) for n, told in enumerate(scores)]
    same = compare("s", [*rows, *(replace(row, arm="b") for row in rows)], {})
    mixed = compare("s", [*rows, *(replace(row, arm="b", protocol="vote") for row in rows)], {})
    assert {"kendall_w": pytest.approx(1.0), "falsehood": pytest.approx(1.0)} == same.agreement.scores_w
    assert {"falsehood": pytest.approx(1.0)} == mixed.agreement.scores_w


def test_without_labels_there_is_everything_but_accuracy() -> None:
    """Tokens are what is compared then."""
    compared = compare("s", [deliberation(row_id=f"q{n}", arm=name) for n in range(3) for name in ("a", "b")], {})
    assert (False, "tokens", None) == (compared.is_labelled, compared.metric, compared.arms[0].accuracy.value)
    assert (3, 10.0, None) == (compared.arms[0].completed, compared.arms[0].seconds_median, compared.arms[0].unreadable)


def test_nothing_that_ended_is_nothing_to_compare() -> None:
    """It is listed by name."""
    with pytest.raises(RequestError, match="no deliberation of 'early' has ended yet"):
        compare("early", [], CHOICES)


def test_rehearsals_are_counted() -> None:
    """One is enough for the label."""
    assert 1 == compare("s", [*GOOD, replace(POOR[0], rehearsal=True)], CHOICES).rehearsals


@settings(max_examples=15)
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(shuffler: random.Random) -> None:
    """The same deliberations in any order give the same figures, intervals and tests to the last digit."""
    rows = [*cheap(GOOD, 0.1), *cheap(POOR, 0.3)]
    wanted = compare("s", rows, CHOICES)
    shuffler.shuffle(rows)
    assert wanted == compare("s", rows, CHOICES)


@settings(max_examples=15)
@given(st.lists(st.sampled_from(["A", "B", "hm", None]), min_size=2, max_size=12), st.sampled_from(["accuracy", "usd"]))
def test_identical_arms_do_not_differ(answers: list[str | None], metric: str) -> None:
    """Whatever they answered: the difference is 0 and p is 1."""
    rows = answered("a", answers, ["A"] * len(answers))
    (pair,) = compare("s", [*rows, *(replace(row, arm="b") for row in rows)], CHOICES, of=metric).pairs
    assert (0.0, 1.0, 1.0) == (pair.difference, pair.p, pair.p_holm)


@settings(max_examples=15)
@given(st.lists(st.sampled_from(["A", "B", None]), min_size=2, max_size=20))
def test_intervals_hold_their_figures(answers: list[str | None]) -> None:
    """Of the accuracy, of what an answer costs, and of the difference between arms."""
    rows = answered("a", answers, ["A"] * len(answers))
    compared = compare("s", [*rows, *(replace(row, arm="b", verdict="FINAL ANSWER: A") for row in rows)], CHOICES)
    told = [(one.accuracy.value, one.accuracy.interval) for one in compared.arms]
    told += [(one.tokens_per_correct.value, one.tokens_per_correct.interval) for one in compared.arms]
    told += [(pair.difference, pair.interval) for pair in compared.pairs]
    assert all(of is None or (value is not None and of.low <= value <= of.high) for value, of in told)
