"""The results of a fire circle, with its rounds, and of a baseline: one model, or several without a dialogue.

The seed's ``FireCircleResult`` (seed 000, sections 2.1 and 8) is filled here and nowhere else.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from pydantic import AwareDatetime

from protocols.deliberation import Ending, describe_failure
from protocols.fire_circle import findings, patterns, rules
from protocols.fire_circle.flagging import flag, is_flagged
from protocols.fire_circle.io import (
    FireCircleBaselineInput,
    FireCircleBaselineResult,
    FireCircleBaselineStopReason,
    FireCircleInput,
    FireCircleResult,
    StopReason,
)
from protocols.fire_circle.model import CircleState, Consensus, DialogueRound, RoundMetrics, SessionMemory
from protocols.model_call import FailureKind, ParticipantId

_FINISHED: frozenset[StopReason] = frozenset({"converged", "round_limit"})
"""Ends by the rules, after all rounds."""

_NO_VERDICT: frozenset[StopReason] = frozenset({"participant_lost", "circle_too_small", "cancelled"})


class FireCircleRecord(NamedTuple):
    """The record of a circle: turns, rounds, chairs, and the types of patterns."""

    circle: CircleState = CircleState()
    rounds: tuple[DialogueRound, ...] = ()
    chairs: patterns.Chairs = patterns.UNSEATED
    classified: Mapping[str, str] = patterns.UNGROUPED


_ANSWERED: frozenset[FailureKind] = frozenset({"unparseable", "truncated", "refused"})
"""Losses of calls that a model answered."""


def round_of(
    circle: CircleState, inp: FireCircleInput, round_number: int, *, prompt: str, at: AwareDatetime
) -> DialogueRound:
    """Return the completed round for the dialogue history; ``prompt`` was sent to those without the chair.

    A chair that was lost, or of which nothing could be read, leaves the round without one.
    """
    said = tuple(one for one in circle.evaluations if one.round == round_number)
    return DialogueRound(
        round_number=round_number,
        evaluations=said,
        empty_chair=next((one.participant for one in said if one.is_chair), None),
        prompt_used=prompt,
        convergence_metric=rules.convergence(said, circle.active(_seats(inp))),
        timestamp=at,
    )


def build_result(inp: FireCircleInput, record: FireCircleRecord, ending: Ending[StopReason]) -> FireCircleResult:
    """Return the result of a circle, with what was found before it broke off."""
    stop_reason = ending.stop_reason
    circle, chairs, grouped, seats = record.circle, record.chairs, record.classified, _seats(inp)
    found = rules.consensus(circle, seats)
    named = patterns.observe(circle, seats, inp.pattern_threshold, grouped)
    judged = None if stop_reason in _NO_VERDICT else found
    highest = judged.highest if judged else None
    rounds = len(record.rounds)
    unread = rounds + 1 if stop_reason == "round_unread" else None
    said = findings.verdict_line(judged, named, circle, rounds, unread=unread) if judged else ""
    return FireCircleResult(
        consensus=found,
        patterns=named,
        dialogue_history=record.rounds,
        empty_chair_influence=patterns.influence(chairs, circle, seats, grouped),
        failed_models=circle.failed_models,
        round_metrics=metrics(record, seats),
        partial=bool(circle.failed) or stop_reason not in _FINISHED,
        verdict=flag(said, highest.falsehood, inp.threshold) if highest else None,
        falsehood=highest.falsehood if highest else None,
        flagged=is_flagged(highest.falsehood, inp.threshold) if highest else None,
        threshold=inp.threshold,
        sources=(highest.assessment.source,) if highest else (),
        is_performative=patterns.is_performative(chairs, circle, seats, grouped),
        pattern_classification=inp.pattern_classification,
        movements=findings.movements(circle, inp.panel.participants),
        refusals=findings.refusals(circle.failed),
        attack_id=inp.attack_id,
        session=_session(inp, judged),
        **ending.fields(inp, circle.failed, findings.flaws(circle)),
    )


def failure_message(result: FireCircleResult) -> str | None:
    """Return the failure message of a circle, or ``None`` if it did not fail."""
    left, models = sum(one.is_active for one in result.movements), len(result.movements)
    reasons: Mapping[StopReason, str] = {
        "participant_lost": "STRICT mode, and a participant was lost",
        "circle_too_small": f"the circle is too small to continue: {left} of {models} models are left",
    }
    if sum(one.round == 1 for one in result.refusals) == models:
        reasons = dict.fromkeys(reasons, findings.ALL_REFUSED)
    return describe_failure(result, reasons)


def metrics(record: FireCircleRecord, seats: Sequence[ParticipantId]) -> tuple[RoundMetrics, ...]:
    """Return every round in numbers, over the replies that were read of the models active in the end.

    A round without one of them has no numbers.
    """
    active = record.circle.active(seats)
    rows: list[RoundMetrics] = []
    for completed in record.rounds:
        falsehoods = [one.falsehood for one in completed.evaluations if one.participant in active and one.is_fresh]
        if falsehoods:
            rows.append(_metrics(record, seats, completed, falsehoods, rows[-1] if rows else None))
    return tuple(rows)


def build_baseline_result(
    inp: FireCircleBaselineInput, circle: CircleState, ending: Ending[FireCircleBaselineStopReason]
) -> FireCircleBaselineResult:
    """Return the result of a baseline: the means over all assessments."""
    stop_reason = ending.stop_reason
    assessments = [one.assessment for one in circle.evaluations]
    truth, falsehood = _mean([one.truth for one in assessments]), _mean([one.falsehood for one in assessments])
    judged = falsehood if stop_reason in {"assessed", "budget"} else None
    session = inp.session
    if session and truth is not None and judged is not None:
        session = rules.after_turn(session, truth, judged)
    said = "" if judged is None else _verdict_line(inp, circle, judged)
    return FireCircleBaselineResult(
        mode=inp.mode,
        evaluations=circle.evaluations,
        truth=truth,
        indeterminacy=_mean([one.indeterminacy for one in assessments]),
        falsehood=falsehood,
        highest=max((one.falsehood for one in assessments), default=None),
        spread=rules.spread([one.falsehood for one in assessments]),
        verdict=None if judged is None else flag(said, judged, inp.threshold),
        flagged=None if judged is None else is_flagged(judged, inp.threshold),
        threshold=inp.threshold,
        sources=tuple(dict.fromkeys(one.source for one in assessments)),
        partial=stop_reason != "assessed",
        refusals=findings.refusals(circle.failed),
        attack_id=inp.attack_id,
        session=session,
        **ending.fields(inp, circle.failed, findings.flaws(circle)),
    )


def baseline_failure(result: FireCircleBaselineResult) -> str | None:
    """Return the failure message of a baseline, or ``None`` if it did not fail."""
    reasons: Mapping[FireCircleBaselineStopReason, str] = {
        "participant_lost": "STRICT mode, and a participant was lost",
        "not_assessed": "no model gave an assessment that can be used",
    }
    if not _ANSWERED.intersection(call.kind for call in result.failed):
        reasons = {**reasons, "not_assessed": "no model answered, so there is no assessment"}
    if result.refusals and len(result.refusals) == len(result.failed) and not result.evaluations:
        reasons = dict.fromkeys(reasons, findings.ALL_REFUSED)
    return describe_failure(result, reasons)


def _metrics(
    record: FireCircleRecord,
    seats: Sequence[ParticipantId],
    completed: DialogueRound,
    falsehoods: Collection[float],
    before: RoundMetrics | None,
) -> RoundMetrics:
    stddev = rules.convergence(completed.evaluations, record.circle.active(seats))
    earlier = before.f_score_stddev if before else None
    return RoundMetrics(
        round_number=completed.round_number,
        f_score_mean=rules.mean(falsehoods),
        f_score_stddev=stddev,
        convergence_delta=None if stddev is None or earlier is None else round(stddev - earlier, rules.DECIMALS),
        empty_chair_influence=patterns.influence(
            record.chairs, record.circle, seats, record.classified, round_number=completed.round_number
        ),
    )


def _session(inp: FireCircleInput, found: Consensus | None) -> SessionMemory | None:
    if inp.session is None or found is None:
        return inp.session
    rows = found.highest.assessment
    return rules.after_turn(inp.session, rows.truth, rows.falsehood)


def _seats(inp: FireCircleInput) -> tuple[ParticipantId, ...]:
    return tuple(p.id for p in inp.panel.participants)


def _verdict_line(inp: FireCircleBaselineInput, circle: CircleState, falsehood: float) -> str:
    guesses = sum(one.is_guess for one in circle.evaluations)
    guessed = f", {guesses} by keywords" if guesses else ""
    said = f"F {falsehood:.2f} ({inp.mode}, {len(circle.evaluations)} assessed{guessed})"
    refused = findings.refused_in_words(circle.failed)
    return f"{said}; {refused}" if refused else said


def _mean(scores: Sequence[float]) -> float | None:
    return rules.mean(scores) if scores else None
