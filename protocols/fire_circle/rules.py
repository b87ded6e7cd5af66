"""The rules for the rounds of a fire circle (seed 000, sections 3.4, 4, 5 and 6.2).

A model lost in round 1 was never in the circle; the words of a model lost later stay, but its voice does
not count. So everything is counted over the **active** models::

    reply                      STRICT     RESILIENT, round 1    RESILIENT, later
    numbers, cut off or not     counts     counts                counts
    a text without numbers      lost       lost: excluded        the evaluation before counts
    no text, or a refusal       lost       lost: excluded        lost: a zombie

An evaluation that is kept is a copy: it is shown and keeps its model in the circle, and counts in no mean, spread
or convergence. A round after the first without a read reply is no round: the circle is again what it was before,
and ends with what it had found.

Means and deviations are rounded to twelve decimals, so that a deviation of exactly 0.1 is not below 0.1 by the dust of
an addition.
"""

from collections.abc import Collection, Iterable, Sequence
from statistics import fmean, pstdev

from protocols.fire_circle import replies
from protocols.fire_circle.io import FireCircleInput, JudgementInput, StopReason
from protocols.fire_circle.model import CircleSize, CircleState, Consensus, Evaluation, Reading, SessionMemory
from protocols.model_call import Answered, Failed, LostCall, ParticipantId, lost_call
from protocols.panel import name_of

unclear = replies.unclear
"""The rule by which a turn gets its one further call."""

DECIMALS = 12
_DIVERGENCE = 0.3
_DISSENT = 0.3
_EMA = 0.3
_SYNTHESIS = 3
_FEWEST_VOICES = 2
"""Evaluations that a deviation needs; of one alone it would be 0, which reads as agreement."""

_STILL_THERE = frozenset({"refused", "unparseable"})
"""Losses in which the model itself answered."""


def chair_of(
    round_number: int, seats: Sequence[ParticipantId], active: Collection[ParticipantId], before: ParticipantId | None
) -> ParticipantId | None:
    """Return the seat of the empty chair (section 4.1): none in round 1, nor if only ``before`` is left.

    The search starts at the seed's ``(round - 1) % n`` and ends at the first of ``seats`` that is active and did not
    have the chair in the round ``before``.
    """
    if round_number == 1:
        return None
    start = (round_number - 1) % len(seats)
    walk = (*seats[start:], *seats[:start])
    return next((seat for seat in walk if seat in active and seat != before), None)


def apply_reply(
    circle: CircleState, inp: JudgementInput, reply: Answered | Failed, round_number: int, *, is_chair: bool
) -> CircleState:
    """Apply a reply in this round to the circle (sections 5.2 and 5.4)."""
    reading = Reading.model_validate(reply.reading) if isinstance(reply, Answered) else Reading()
    if reading.assessment:
        said = Evaluation(
            participant=reply.participant,
            model=reply.model,
            round=round_number,
            assessment=reading.assessment,
            is_chair=is_chair,
        )
        return _added(circle, said)
    loss = lost_call(reply, f"round_{round_number}", round_number, reading.why or "no assessment could be read")
    earlier = [one for one in circle.evaluations if one.participant == reply.participant]
    if reply.kind in {"answered", "unparseable"} and earlier and inp.failure_mode == "resilient":
        unread = (*circle.unread, loss)
        return _added(circle.model_copy(update={"unread": unread}), _still(earlier[-1], round_number))
    return _without(circle, loss, is_chair=is_chair)


def mean(values: Collection[float]) -> float:
    """Return the mean of ``values``, of which there is at least one."""
    return round(fmean(values), DECIMALS)


def spread(values: Collection[float]) -> float:
    """Return the population standard deviation of ``values``, 0 without any."""
    return round(pstdev(values), DECIMALS) if values else 0.0


def settle_round(before: CircleState, after: CircleState, round_number: int) -> CircleState:
    """Return the circle after a round: ``after``, or ``before`` where no reply of a later round was read.

    The losses stay noted. A model that refused or could not be read is still there, since without a round it missed
    none; one whose provider failed is not.
    """
    is_read = any(one.round == round_number and one.is_fresh for one in after.evaluations)
    if round_number == 1 or is_read:
        return after
    gone = [call.participant for call in after.failed[len(before.failed) :] if call.kind not in _STILL_THERE]
    return after.model_copy(update={"evaluations": before.evaluations, "zombies": (*before.zombies, *gone)})


def convergence(evaluations: Iterable[Evaluation], active: Collection[ParticipantId]) -> float | None:
    """Return the population standard deviation of one round's falsehoods, over the replies of ``active`` models.

    Copies of earlier evaluations do not count; ``None`` with fewer than two replies, which cannot agree.
    """
    falsehoods = [one.falsehood for one in evaluations if one.participant in active and one.is_fresh]
    return spread(falsehoods) if len(falsehoods) >= _FEWEST_VOICES else None


def is_converged(inp: FireCircleInput, round_number: int, stddev: float | None) -> bool:
    """Return whether it may stop early: agreement in the blind baseline is no dialogue and does not count."""
    return stddev is not None and round_number >= inp.early_stop_min_round and stddev < inp.early_stop_convergence


def wants_fourth(inp: FireCircleInput, round_number: int, stddev: float | None) -> bool:
    """Return whether to add a fourth round: a large circle without agreement after its third (section 3.4)."""
    is_large = CircleSize.of(len(inp.panel.participants)) is CircleSize.LARGE
    is_apart = stddev is not None and stddev > _DIVERGENCE
    return is_large and round_number == inp.max_rounds == _SYNTHESIS and is_apart


def stop_reason(
    inp: FireCircleInput, circle: CircleState, round_number: int, stddev: float | None
) -> StopReason | None:
    """Return the reason to end the dialogue after a round; ``None`` when another one follows."""
    if inp.failure_mode == "strict" and circle.failed:
        return "participant_lost"
    if len(circle.active(p.id for p in inp.panel.participants)) < inp.min_viable_models:
        return "circle_too_small"
    if not any(one.round == round_number for one in circle.evaluations):
        return "round_unread"
    if is_converged(inp, round_number, stddev):
        return "converged"
    goes_on = round_number < inp.max_rounds or wants_fourth(inp, round_number, stddev)
    return None if goes_on else "round_limit"


def consensus(circle: CircleState, seats: Sequence[ParticipantId]) -> Consensus | None:
    """Return the strongest detection of any active model in any round (section 5.3); ``None`` without active models.

    Of equal ones a number that was read counts before a guess by keywords, then the earliest, then the lowest truth and
    indeterminacy, and only then the order of ``seats``: which models they are changes no figure.
    """
    active = circle.active(seats)
    voices = [one for one in circle.evaluations if one.participant in active]
    if not voices:
        return None
    last = {one.participant: one for one in voices}
    fresh = {seat: one.falsehood for seat, one in last.items() if one.is_fresh}
    middle = mean(fresh.values()) if fresh else mean([one.falsehood for one in last.values()])
    return Consensus(
        highest=min(voices, key=lambda one: (*_strength(one), seats.index(one.participant))),
        mean=middle,
        spread=spread(fresh.values()),
        dissent=tuple(s for s in active if s in fresh and round(abs(fresh[s] - middle), DECIMALS) > _DISSENT),
        carried=tuple(seat for seat in active if seat in last and seat not in fresh),
    )


def after_turn(session: SessionMemory, truth: float, falsehood: float) -> SessionMemory:
    """Return the conversation's state for this turn: its balance is the truth less the falsehood found before."""
    balance = round(truth - falsehood, DECIMALS)
    average = round(_EMA * balance + (1 - _EMA) * session.balance, DECIMALS)
    return SessionMemory(turn=session.turn + 1, trust=(*session.trust, balance), balance=average)


def _added(circle: CircleState, said: Evaluation) -> CircleState:
    return circle.model_copy(update={"evaluations": (*circle.evaluations, said)})


def _still(before: Evaluation, round_number: int) -> Evaluation:
    """Return the evaluation after an unreadable reply: the numbers of ``before``, no pattern, no chair."""
    kept = before.assessment.model_copy(update={"source": "previous", "patterns": ()})
    return before.model_copy(update={"round": round_number, "assessment": kept, "is_chair": False})


def _without(circle: CircleState, call: LostCall, *, is_chair: bool) -> CircleState:
    excluded, zombies = ((call.participant,), ()) if call.round == 1 else ((), (call.participant,))
    name = f"{name_of(call.model)}_round_{call.round}{' (empty chair)' if is_chair else ''}"
    return circle.model_copy(
        update={
            "excluded": (*circle.excluded, *excluded),
            "zombies": (*circle.zombies, *zombies),
            "failed": (*circle.failed, call),
            "failed_models": (*circle.failed_models, name),
        }
    )


def _strength(one: Evaluation) -> tuple[float, bool, int, float, float]:
    assessment = one.assessment
    return (
        -assessment.falsehood,
        one.is_guess or not one.is_fresh,
        one.round,
        assessment.truth,
        assessment.indeterminacy,
    )
