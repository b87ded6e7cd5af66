"""Replies that were refused, guessed or not read: what still counts, what the verdict says, when a round is none."""

import pytest

from protocols.deliberation import Ending
from protocols.fire_circle import results, rules
from protocols.fire_circle.io import FireCircleInput, FireCircleResult, StopReason
from protocols.fire_circle.model import CircleState, Consensus, Reading, Source
from protocols.fire_circle.results import FireCircleRecord
from protocols.model_call import Spending
from tests.protocols.fire_circle.circle import (
    REFUSED,
    Said,
    answered,
    assessed,
    circle_input,
    hear,
    lost,
    played,
    said,
    seats,
)

A, B, C = seats(3)
UNREAD = "I would rather not give numbers."


def concluded(record: FireCircleRecord, stop_reason: StopReason = "round_limit", count: int = 3) -> FireCircleResult:
    """The result of a circle of ``count`` with these minutes."""
    return results.build_result(circle_input(count), record, Ending("circle-x", stop_reason, Spending(calls=6)))


def verdict(record: FireCircleRecord, stop_reason: StopReason = "round_limit") -> str:
    """Its line without the flag."""
    return (concluded(record, stop_reason).verdict or "").partition(": ")[2]


def found(record: FireCircleRecord) -> Consensus:
    """What a circle of three found."""
    consensus = rules.consensus(record.circle, seats(3))
    assert consensus is not None
    return consensus


def test_a_copied_evaluation_does_not_count_in_convergence() -> None:
    """Three that agreed in the baseline and two of whom were not read since have not converged."""
    record = played(circle_input(), [0.5, 0.5, 0.5], [0.9, UNREAD, UNREAD])
    assert record.rounds[1].convergence_metric is None
    assert not rules.is_converged(circle_input(), 2, record.rounds[1].convergence_metric)
    assert 0.2 == played(circle_input(), [0.5, 0.5, 0.5], [0.9, 0.5, UNREAD]).rounds[1].convergence_metric


@pytest.mark.parametrize("does", [[UNREAD] * 3, [REFUSED] * 3, [REFUSED, UNREAD, REFUSED]])
def test_a_round_without_one_read_reply_is_no_round(does: list[Said]) -> None:
    """The circle is what it was before: no model is a zombie, no copy counts as a reply, and what was lost is noted."""
    record = played(circle_input(), [0.2, 0.9, 0.4], does)
    assert [1] == [held.round_number for held in record.rounds]
    assert ((), {1}) == (record.circle.zombies, {one.round for one in record.circle.evaluations})
    assert 3 == len(record.circle.failed) + len(record.circle.unread)
    assert 0.9 == found(record).highest.falsehood


def test_a_provider_that_fails_in_a_round_without_a_reply_loses_its_model() -> None:
    """A refusal is an answer of the model, an outage is not: the model is gone."""
    record = played(circle_input(), [0.2, 0.9, 0.4], [REFUSED, None, UNREAD])
    assert (B,) == record.circle.zombies
    assert 0.4 == found(record).highest.falsehood


def test_when_all_refuse_round_two_the_baselines_finding_comes_out_marked() -> None:
    """It is neither converged nor whole, and the line states that no dialogue took place and who refused."""
    result = concluded(played(circle_input(), [0.2, 0.9, 0.4], [REFUSED] * 3), "round_unread")
    assert (
        "flagged at 0.5: F 0.90 (maker/b, round 1); baseline only; round 2 brought no reply that could be read; "
        "refused in round 2 by maker/a, maker/b, maker/c" == result.verdict
    )
    assert (True, "round_unread", None) == (result.partial, result.stop_reason, results.failure_message(result))
    assert [(A, 2), (B, 2), (C, 2)] == [(one.participant, one.round) for one in result.refusals]
    assert {"refused": 3} == dict(result.degraded.counts)


def test_when_round_three_cannot_be_read_the_dialogue_so_far_comes_out() -> None:
    """The patterns of round 2 count, and the line names the round that is missing."""
    record = played(circle_input(), [0.2, 0.9, 0.4], [0.2, 0.8, 0.4], [UNREAD] * 3)
    result = concluded(record, "round_unread")
    assert "F 0.90 (maker/b, round 1); no patterns; round 3 brought no reply that could be read" == verdict(
        record, "round_unread"
    )
    assert {"unread": 3} == dict(result.degraded.counts)


@pytest.mark.parametrize("mode", ["strict", "resilient"])
def test_a_refusal_is_a_lost_turn_in_both_modes(mode: str) -> None:
    """It is counted apart and treated like any loss."""
    inp = circle_input(failure_mode=mode)
    circle = played(inp, [0.2, 0.4, REFUSED], [0.2, REFUSED, 0.4]).circle
    assert ((C,), (B,)) == (circle.excluded, circle.zombies)
    assert ["refused", "refused"] == [one.kind for one in circle.failed]


def test_when_all_refuse_the_baseline_the_message_states_so() -> None:
    """It is a finding about the prompt, and no number is made of it."""
    result = concluded(played(circle_input(), [REFUSED] * 3), "circle_too_small")
    assert (None, None, None) == (result.consensus, result.verdict, result.falsehood)
    assert (results.failure_message(result) or "").startswith(
        "every model refused to judge this prompt, which is a finding"
    )


def test_a_verdict_names_who_refused() -> None:
    """A refusal is shown beside the finding of the others."""
    record = played(circle_input(4), [0.2, 0.9, 0.4, REFUSED], [0.2, 0.9, 0.4, 0.0])
    told = concluded(record, count=4).verdict or ""
    assert told.endswith("F 0.90 (maker/b, round 1); no patterns; refused in round 1 by maker/d")


def guessing(inp: FireCircleInput, *guesses: tuple[int, float]) -> FireCircleRecord:
    """A baseline in which these seats were read by keywords and the others see 0.1."""
    circle = CircleState()
    for number in range(3):
        guess = dict(guesses).get(number)
        source: Source = "json" if guess is None else "heuristic"
        read = Reading(assessment=assessed(0.1 if guess is None else guess, source=source))
        reply = answered(number, 0.1, reading=read.model_dump(mode="json"))
        circle = hear(circle, inp, reply, 1)
    return FireCircleRecord(circle=circle)


def test_a_guess_that_is_the_highest_states_so() -> None:
    """The line, the sources and the count of flaws name the keyword."""
    result = concluded(guessing(circle_input(), (1, 0.8)), "stopped")
    assert "flagged at 0.5: F 0.80 (maker/b, round 1, by keywords); baseline only" == result.verdict
    assert (("heuristic",), {"guessed": 1}) == (result.sources, dict(result.degraded.counts))


def test_of_equal_falsehoods_one_that_was_read_counts_before_a_guess() -> None:
    """A read detection of the same strength is the finding, whatever its round."""
    circle = guessing(circle_input(), (0, 0.8)).circle
    later = circle.model_copy(update={"evaluations": (*circle.evaluations, said(2, 2, 0.8))})
    assert (C, 2) == (
        found(FireCircleRecord(circle=later)).highest.participant,
        found(FireCircleRecord(circle=later)).highest.round,
    )


def test_a_copy_of_a_guess_does_not_hide_that_it_was_one() -> None:
    """An earlier reply is never the finding: the reply that it copies is."""
    record = guessing(circle_input(), (0, 0.8))
    circle = hear(record.circle, circle_input(), answered(0, None), 2)
    assert ("heuristic", 1) == (
        found(FireCircleRecord(circle=circle)).highest.assessment.source,
        found(FireCircleRecord(circle=circle)).highest.round,
    )


def test_mean_spread_and_dissent_are_of_replies_and_the_carried_are_named() -> None:
    """The number of a model whose last reply was not read is in the maximum alone."""
    consensus = found(played(circle_input(), [0.2, 0.4, 1.0], [0.2, 0.4, UNREAD]))
    assert (0.3, 0.1, (), (C,)) == (consensus.mean, consensus.spread, consensus.dissent, consensus.carried)
    assert (C, 1.0) == (consensus.highest.participant, consensus.highest.falsehood)


def test_a_loss_in_words_is_no_refusal() -> None:
    """A timeout is lost, a refusal refused; the table of falsehoods distinguishes them."""
    circle = hear(hear(CircleState(), circle_input(), lost(0), 1), circle_input(), lost(1, "refused"), 1)
    assert [B] == [one.participant for one in concluded(FireCircleRecord(circle=circle), "circle_too_small").refusals]


def test_a_number_against_its_own_reasoning_is_stated() -> None:
    """The words that state the opposite are in the note; the number stays, and the result is no degraded one."""
    told = assessed(0.9).model_copy(update={"contradicted": "There is no violation."})
    circle = CircleState(evaluations=(said(0, 1, 0.1), said(1, 1, 0.9).model_copy(update={"assessment": told})))
    result = concluded(FireCircleRecord(circle=circle), "stopped")
    assert [("contradicted", B, "There is no violation.")] == [
        (flaw.kind, flaw.participant, flaw.note) for flaw in result.degraded.flaws
    ]
    assert (0.9, False) == (result.falsehood, result.degraded.is_degraded)
