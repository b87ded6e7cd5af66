"""Findings of a fire circle in words: falsehoods in rows, the verdict's line, the flaws of its readings."""

from collections.abc import Iterable, Mapping, Sequence

from protocols.fire_circle.io import FireCircleResult, Refusal
from protocols.fire_circle.model import (
    CircleState,
    Consensus,
    Evaluation,
    FalsehoodTrend,
    PatternObservation,
    RoundMetrics,
    Source,
)
from protocols.flaws import Flaw, FlawKind
from protocols.model_call import LostCall, ParticipantId
from protocols.panel import Participant, name_of
from protocols.plurals import counted

ALL_REFUSED = "every model refused to judge this prompt, which is a finding about the prompt and no falsehood"

_READ: Mapping[Source, tuple[FlawKind, str]] = {
    "heuristic": ("guessed", "no numbers in the reply; F follows from a keyword"),
    "repaired": ("repaired", "read after its JSON was mended"),
}
_PATTERNS_SHOWN = 3


def movements(circle: CircleState, participants: Sequence[Participant]) -> tuple[FalsehoodTrend, ...]:
    """Return every model's falsehood by round, in the order of ``participants``."""
    active = circle.active(p.id for p in participants)
    models = {one.participant: one.model for one in circle.evaluations}
    return tuple(
        FalsehoodTrend(
            participant=p.id,
            model=models.get(p.id, p.model),
            falsehoods=tuple(one.falsehood if one else None for one in _row(circle, p.id)),
            is_active=p.id in active,
        )
        for p in participants
    )


def refusals(failed: Iterable[LostCall]) -> tuple[Refusal, ...]:
    """Return the refusals among ``failed``."""
    return tuple(
        Refusal(participant=one.participant, model=one.model, round=one.round)
        for one in failed
        if one.kind == "refused"
    )


def flaws(circle: CircleState) -> tuple[Flaw, ...]:
    """Return the unreadable, guessed or repaired assessments: flaws specific to a circle."""
    unread = (
        Flaw(kind="unread", stage=one.stage, round=one.round, participant=one.participant, note=one.message)
        for one in circle.unread
    )
    fresh = [one for one in circle.evaluations if one.is_fresh]
    mended = (_flaw(one, *_READ[one.assessment.source]) for one in fresh if one.assessment.source in _READ)
    contradicted = (_flaw(one, "contradicted", said) for one in fresh if (said := one.assessment.contradicted))
    return (*unread, *mended, *contradicted)


def _flaw(read: Evaluation, kind: FlawKind, note: str) -> Flaw:
    return Flaw(kind=kind, stage=f"round_{read.round}", round=read.round, participant=read.participant, note=note)


def verdict_line(
    found: Consensus,
    patterns: Sequence[PatternObservation],
    circle: CircleState,
    rounds: int,
    *,
    unread: int | None = None,
) -> str:
    """Return the finding in one line: strength, seat, round, source, patterns and refusals.

    ``rounds`` were completed; the round ``unread`` had no readable reply.
    """
    highest = found.highest
    guessed = ", by keywords" if highest.is_guess else ""
    parts = [
        f"F {highest.falsehood:.2f} ({name_of(highest.model)}, round {highest.round}{guessed})",
        _patterns_in_words(patterns) if rounds > 1 else "baseline only",
        f"round {unread} brought no reply that could be read" if unread else "",
        refused_in_words(circle.failed),
    ]
    return "; ".join(part for part in parts if part)


def refused_in_words(failed: Iterable[LostCall]) -> str:
    """Return the refusals by round; blank without any."""
    by_round: dict[int, list[str]] = {}
    for one in refusals(failed):
        by_round.setdefault(one.round, []).append(name_of(one.model))
    return "; ".join(f"refused in round {number} by {', '.join(names)}" for number, names in by_round.items())


def summary(result: FireCircleResult) -> str:
    """Summarise the dialogue in a few plain lines (section 11.1, ``dialogue_summary``)."""
    models = counted(len(result.movements), "model")
    lines = [
        result.verdict or "No verdict.",
        f"{models}, {counted(len(result.dialogue_history), 'round')}; ended: {result.stop_reason}.",
        *(_round_line(completed, result) for completed in result.round_metrics),
        _chair_line(result),
        _dissent_line(result),
        _classified_line(result),
        f"Lost: {', '.join(result.failed_models)}." if result.failed_models else "",
    ]
    return "\n".join(line for line in lines if line)


def _patterns_in_words(patterns: Sequence[PatternObservation]) -> str:
    named = [f"{one.pattern_type} {one.model_agreement:.2f}" for one in patterns[:_PATTERNS_SHOWN]]
    rest = ["…"] if len(patterns) > _PATTERNS_SHOWN else []
    count = f"{len(patterns) or 'no'} pattern{'' if len(patterns) == 1 else 's'}"
    return f"{count}{': ' if named else ''}{', '.join([*named, *rest])}"


def last_round(circle: CircleState) -> int:
    """Return the number of the last round in which a model was asked; 0 before the first."""
    lost = (call.round for call in (*circle.failed, *circle.unread))
    return max((*(said.round for said in circle.evaluations), *lost), default=0)


def _row(circle: CircleState, seat: ParticipantId) -> list[Evaluation | None]:
    said = {one.round: one for one in circle.evaluations if one.participant == seat}
    return [said.get(number) for number in range(1, last_round(circle) + 1)]


def _round_line(completed: RoundMetrics, result: FireCircleResult) -> str:
    dialogue = next(one for one in result.dialogue_history if one.round_number == completed.round_number)
    chair = next((f", empty chair {name_of(one.model)}" for one in dialogue.evaluations if one.is_chair), "")
    spread = "one reply" if completed.f_score_stddev is None else f"spread {completed.f_score_stddev:.2f}"
    return f"Round {completed.round_number}: mean F {completed.f_score_mean:.2f}, {spread}{chair}."


def _chair_line(result: FireCircleResult) -> str:
    if all(completed.empty_chair is None for completed in result.dialogue_history):
        return ""
    performative = ", performative" if result.is_performative else ""
    return f"Influence of the empty chair: {result.empty_chair_influence:.2f}{performative}."


def _classified_line(result: FireCircleResult) -> str:
    by_words = sum(one.classified_by == "keywords" for one in result.patterns)
    if result.pattern_classification == "heuristic" or not by_words:
        return ""
    return f"The classifier named no type of {by_words} of {len(result.patterns)} patterns; theirs are by keywords."


def _dissent_line(result: FireCircleResult) -> str:
    found = result.consensus
    if found is None or not found.dissent:
        return ""
    dissents = [
        f"{name_of(one.model)} at F {[f for f in one.falsehoods if f is not None][-1]:.2f}"
        for one in result.movements
        if one.participant in found.dissent
    ]
    return f"Dissent from a mean of {found.mean:.2f}: {', '.join(dissents)}."
