"""The result of a baseline: an evaluation by one model, or by several without a dialogue."""

from collections.abc import Mapping, Sequence

from protocols.deliberation import Ending, describe_failure
from protocols.fire_circle import findings, rules
from protocols.fire_circle.flagging import flag, is_flagged
from protocols.fire_circle.io import FireCircleBaselineInput, FireCircleBaselineResult, FireCircleBaselineStopReason
from protocols.fire_circle.model import CircleState
from protocols.model_call import FailureKind

_ANSWERED: frozenset[FailureKind] = frozenset({"unparseable", "truncated", "refused"})
"""Losses of calls that a model answered."""


def build_result(
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


def failure_message(result: FireCircleBaselineResult) -> str | None:
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


def _verdict_line(inp: FireCircleBaselineInput, circle: CircleState, falsehood: float) -> str:
    guesses = sum(one.is_guess for one in circle.evaluations)
    guessed = f", {guesses} by keywords" if guesses else ""
    said = f"F {falsehood:.2f} ({inp.mode}, {len(circle.evaluations)} assessed{guessed})"
    refused = findings.refused_in_words(circle.failed)
    return f"{said}; {refused}" if refused else said


def _mean(scores: Sequence[float]) -> float | None:
    return rules.mean(scores) if scores else None
