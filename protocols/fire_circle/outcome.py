"""What comes out of a fire circle: its rounds, what is shown while it is held, and the result in the end.

The seed's ``FireCircleResult`` (seed 000, sections 2.1 and 8) is filled here and nowhere else.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import AwareDatetime

from protocols.exchange import ParticipantId
from protocols.fire_circle import rules
from protocols.fire_circle.flagging import flag, is_flagged
from protocols.fire_circle.model import (
    Circle,
    Consensus,
    DialogueRound,
    Evaluation,
    Movement,
    PatternObservation,
    RoundMetrics,
    SessionMemory,
    Source,
)
from protocols.fire_circle.modes import (
    FireCircleInput,
    FireCircleResult,
    StopReason,
)
from protocols.flaws import Flaw, degraded_of, losses
from protocols.panel import Participant, name_of
from protocols.progress import Progress
from protocols.rewinding import UNDRAWN, Dice
from protocols.transcript import Transcript, Turn

_HELD: frozenset[StopReason] = frozenset({"converged", "rounds_held"})
"""Ends that the rules came to with everything held."""

_NO_VERDICT: frozenset[StopReason] = frozenset({"participant_lost", "circle_too_small", "cancelled"})

_REMARKS: dict[Source, str] = {"heuristic": "by keywords", "previous": "as before"}
_PATTERNS_SHOWN = 3


class Minutes(NamedTuple):
    """What a circle has on the table: who said what, its rounds and chairs, and types that a model gave to patterns."""

    circle: Circle = Circle()
    rounds: tuple[DialogueRound, ...] = ()
    chairs: rules.Chairs = rules.UNSEATED
    classified: Mapping[str, str] = rules.UNGROUPED


def round_of(
    circle: Circle, inp: FireCircleInput, round_number: int, *, prompt: str, at: AwareDatetime
) -> DialogueRound:
    """The round that is over, as the dialogue history has it; ``prompt`` went to those without the chair.

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


def conclude(
    inp: FireCircleInput,
    minutes: Minutes,
    stop_reason: StopReason,
    *,
    deliberation_id: str,
    progress: Progress,
    flaws: Sequence[Flaw] = (),
    dice: Dice = UNDRAWN,
) -> FireCircleResult:
    """The result of a circle that ended for ``stop_reason``; what was found before it broke off stands in it too."""
    circle, chairs, grouped = minutes.circle, minutes.chairs, minutes.classified
    found = rules.consensus(circle, _seats(inp))
    patterns = rules.observe(circle, _seats(inp), inp.pattern_threshold, grouped)
    judged = None if stop_reason in _NO_VERDICT else found
    return FireCircleResult(
        consensus=found,
        patterns=patterns,
        dialogue_history=minutes.rounds,
        empty_chair_influence=rules.influence(chairs, circle.evaluations, grouped),
        failed_models=circle.failed_models,
        round_metrics=metrics(minutes.rounds, chairs, grouped),
        partial=bool(circle.failed) or stop_reason not in _HELD,
        deliberation_id=deliberation_id,
        question=inp.question,
        verdict=flag(verdict_line(judged, patterns), judged.highest.falsehood, inp.threshold) if judged else None,
        falsehood=judged.highest.falsehood if judged else None,
        flagged=is_flagged(judged.highest.falsehood, inp.threshold) if judged else None,
        threshold=inp.threshold,
        sources=(judged.highest.assessment.source,) if judged else (),
        stop_reason=stop_reason,
        is_performative=rules.is_performative(chairs, circle.evaluations, grouped),
        movements=movements(circle, inp.panel.participants),
        failed=circle.failed,
        degraded=degraded_of(flaws, circle.failed),
        attack_id=inp.attack_id,
        spent=progress.spent,
        prompts=f"{inp.prompts.version}@{inp.prompts.fingerprint}",
        session=_session(inp, judged),
        rehearsal=progress.rehearsal,
        dice=dice,
        branch=inp.branch and inp.branch.origin,
    )


def failure(result: FireCircleResult) -> str | None:
    """The one clear message of a circle that failed, or ``None`` when it did not."""
    left = sum(one.is_active for one in result.movements)
    reasons: Mapping[StopReason, str] = {
        "participant_lost": "STRICT mode, and a participant was lost",
        "circle_too_small": f"the circle is too small to go on: {left} of {len(result.movements)} models are left",
    }
    if result.stop_reason not in reasons:
        return None
    return f"{reasons[result.stop_reason]}: {losses(result.failed)}"[:1000]


def movements(circle: Circle, participants: Sequence[Participant]) -> tuple[Movement, ...]:
    """How every model's falsehood went, round by round, in the order of ``participants``."""
    active = circle.active(p.id for p in participants)
    models = {one.participant: one.model for one in circle.evaluations}
    return tuple(
        Movement(
            participant=p.id,
            model=models.get(p.id, p.model),
            falsehoods=tuple(one.falsehood if one else None for one in _row(circle, p.id)),
            is_active=p.id in active,
        )
        for p in participants
    )


def metrics(
    rounds: Sequence[DialogueRound], chairs: rules.Chairs, grouped: Mapping[str, str] = rules.UNGROUPED
) -> tuple[RoundMetrics, ...]:
    """Every round in numbers, over those who were active then; a round in which nobody spoke has none."""
    said = [one for held in rounds for one in held.evaluations]
    spoken = [held for held in rounds if held.evaluations]
    before = [None, *(held.convergence_metric for held in spoken)]
    return tuple(
        RoundMetrics(
            round_number=held.round_number,
            f_score_mean=rules.mean([one.falsehood for one in held.evaluations]),
            f_score_stddev=held.convergence_metric,
            convergence_delta=None if earlier is None else round(held.convergence_metric - earlier, rules.DECIMALS),
            empty_chair_influence=rules.influence(chairs, said, grouped, round_number=held.round_number),
        )
        for held, earlier in zip(spoken, before, strict=False)
    )


def findings(
    circle: Circle, participants: Sequence[Participant], chairs: rules.Chairs = rules.UNSEATED
) -> list[tuple[str, ...]]:
    """The falsehoods as rows of cells, a heading first: who saw how much in which round, and who is out."""
    heading = ("seat", "model", *(f"round {number}" for number in range(1, _rounds(circle) + 1)), "")
    return [heading, *(_cells(circle, p, chairs) for p in participants)]


def transcript(turns: Sequence[Turn]) -> Transcript:
    """Everything that was said, in the order in which it was noted."""
    return Transcript(turns=tuple(turns))


def verdict_line(found: Consensus, patterns: Sequence[PatternObservation]) -> str:
    """The finding in one line: how strongly who saw it and when, and the patterns most agreed on."""
    named = [f"{one.pattern_type} {one.model_agreement:.2f}" for one in patterns[:_PATTERNS_SHOWN]]
    rest = ["…"] if len(patterns) > _PATTERNS_SHOWN else []
    count = f"{len(patterns) or 'no'} pattern{'' if len(patterns) == 1 else 's'}"
    highest = found.highest
    seen = f"F {highest.falsehood:.2f} ({name_of(highest.model)}, round {highest.round})"
    return f"{seen}; {count}{': ' if named else ''}{', '.join([*named, *rest])}"


def summary(result: FireCircleResult) -> str:
    """The dialogue in a few plain lines (section 11.1, ``dialogue_summary``)."""
    lines = [
        result.verdict or "No verdict.",
        f"{len(result.movements)} models, {len(result.dialogue_history)} rounds; ended: {result.stop_reason}.",
        *(_round_line(held, result) for held in result.round_metrics),
        _chair_line(result),
        _dissent_line(result),
        f"Lost: {', '.join(result.failed_models)}." if result.failed_models else "",
    ]
    return "\n".join(line for line in lines if line)


def _session(inp: FireCircleInput, found: Consensus | None) -> SessionMemory | None:
    if inp.session is None or found is None:
        return inp.session
    told = found.highest.assessment
    return rules.after_turn(inp.session, told.truth, told.falsehood)


def _seats(inp: FireCircleInput) -> tuple[ParticipantId, ...]:
    return tuple(p.id for p in inp.panel.participants)


def _rounds(circle: Circle) -> int:
    return max((*(said.round for said in circle.evaluations), *(call.round for call in circle.failed)), default=0)


def _row(circle: Circle, seat: ParticipantId) -> list[Evaluation | None]:
    said = {one.round: one for one in circle.evaluations if one.participant == seat}
    return [said.get(number) for number in range(1, _rounds(circle) + 1)]


def _cells(circle: Circle, participant: Participant, chairs: rules.Chairs) -> tuple[str, ...]:
    seat = participant.id
    standing = "excluded" if seat in circle.excluded else "zombie" if seat in circle.zombies else ""
    lost = {call.round for call in circle.failed if call.participant == seat}
    cells = []
    for number, said in enumerate(_row(circle, seat), start=1):
        told = f"{said.falsehood:.2f}" if said else "lost" if number in lost else "-"
        remark = _REMARKS.get(said.assessment.source, "") if said else ""
        cells.append(" ".join(filter(None, (told, remark, "chair" if chairs.get(number) == seat else ""))))
    return (seat, name_of(participant.model).rpartition("/")[2], *cells, standing)


def _round_line(held: RoundMetrics, result: FireCircleResult) -> str:
    spoken = next(one for one in result.dialogue_history if one.round_number == held.round_number)
    chair = next((f", empty chair {name_of(one.model)}" for one in spoken.evaluations if one.is_chair), "")
    return f"Round {held.round_number}: mean F {held.f_score_mean:.2f}, spread {held.f_score_stddev:.2f}{chair}."


def _chair_line(result: FireCircleResult) -> str:
    if all(held.empty_chair is None for held in result.dialogue_history):
        return ""
    performative = ", performative" if result.is_performative else ""
    return f"Influence of the empty chair: {result.empty_chair_influence:.2f}{performative}."


def _dissent_line(result: FireCircleResult) -> str:
    found = result.consensus
    if found is None or not found.dissent:
        return ""
    told = [
        f"{name_of(one.model)} at F {[f for f in one.falsehoods if f is not None][-1]:.2f}"
        for one in result.movements
        if one.participant in found.dissent
    ]
    return f"Dissent from a mean of {found.mean:.2f}: {', '.join(told)}."
