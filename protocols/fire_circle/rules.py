"""What the rounds of a fire circle come to (seed 000, sections 3.4, 4, 5 and 6.2).

Who is lost in round 1 was never in the circle; who is lost later has spoken, and its words stay, but its voice does
not count. So everything is counted over those who are **active**::

    what came back              STRICT     RESILIENT, round 1    RESILIENT, later
    numbers, cut off or not     counts     counts                counts
    a text without numbers      lost       lost: excluded        the evaluation before stands
    no text                     lost       lost: excluded        lost: a zombie

Means and deviations are rounded to twelve decimals, so that a deviation of exactly 0.1 is not below 0.1 by the dust of
an addition. Where it matters who was first, a round is gone through in the order of the model ids.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum, sqrt
from typing import NamedTuple

from protocols.exchange import Answered, Failed, LostCall, ParticipantId, lost_call
from protocols.fire_circle.model import (
    UNCLASSIFIED,
    Circle,
    CircleSize,
    Consensus,
    Evaluation,
    PatternObservation,
    Reading,
    SessionMemory,
)
from protocols.fire_circle.modes import FireCircleInput, Judged
from protocols.panel import Participant, name_of

Chairs = Mapping[int, ParticipantId]
"""Round to who held the empty chair in it."""

UNSEATED: Chairs = {}
UNGROUPED: Mapping[str, str] = {}
"""No pattern text has a type that a model gave it."""

DECIMALS = 12
_DIVERGENCE = 0.3
_PERFORMATIVE = 0.10
_DISSENT = 0.3
_EMA = 0.3
_SIMILAR = 0.6
_MOST_EXAMPLES = 3
_SYNTHESIS = 3

_WORD = re.compile(r"[^\W_]+")
_STOP_WORDS = frozenset(
    (
        *("a", "an", "the", "this", "that", "it", "its", "of", "to", "in", "on", "at", "by", "for", "with", "from"),
        *("as", "and", "or", "but", "is", "are", "was", "were", "be", "been", "there"),
    )
)
_QUOTED = re.compile(r'"([^"\n]{3,200})"|“([^”\n]{3,200})”|«([^»\n]{3,200})»|(?<!\w)\'([^\'\n]{3,200})\'(?!\w)')


def chair_of(
    round_number: int, seats: Sequence[ParticipantId], active: Collection[ParticipantId], before: ParticipantId | None
) -> ParticipantId | None:
    """Who holds the empty chair (section 4.1): nobody in round 1, nor when only ``before`` is left.

    The walk begins at the seed's ``(round - 1) % n`` and goes on to the first of ``seats`` that is active and did not
    hold the chair in the round ``before``.
    """
    if round_number == 1:
        return None
    start = (round_number - 1) % len(seats)
    walk = (*seats[start:], *seats[:start])
    return next((seat for seat in walk if seat in active and seat != before), None)


def heard(
    circle: Circle,
    inp: Judged,
    seat: Participant,
    reply: Answered | Failed,
    round_number: int,
    *,
    is_chair: bool,
) -> Circle:
    """The circle after what came back from ``seat`` in this round (sections 5.2 and 5.4)."""
    reading = Reading.model_validate(reply.reading) if isinstance(reply, Answered) else Reading()
    if reading.assessment:
        said = Evaluation(
            participant=seat.id,
            model=reply.model,
            round=round_number,
            assessment=reading.assessment,
            is_chair=is_chair,
        )
        return _added(circle, said)
    earlier = [one for one in circle.evaluations if one.participant == seat.id]
    if reply.kind in {"answered", "unparseable"} and earlier and inp.failure_mode == "resilient":
        return _added(circle, _still(earlier[-1], round_number))
    return _without(circle, _loss(reply, reading.why, round_number), is_chair=is_chair)


def mean(values: Collection[float]) -> float:
    """The mean of ``values``, of which there is at least one."""
    return round(fsum(values) / len(values), DECIMALS)


def convergence(evaluations: Iterable[Evaluation], active: Collection[ParticipantId]) -> float:
    """How far the falsehoods of one round lie apart: their population standard deviation over the ``active``."""
    return _spread([one.falsehood for one in evaluations if one.participant in active])


def is_converged(inp: FireCircleInput, round_number: int, stddev: float) -> bool:
    """Whether it may stop early: agreement in the blind baseline is no dialogue and does not count."""
    return round_number >= inp.early_stop_min_round and stddev < inp.early_stop_convergence


def rounds_planned(inp: FireCircleInput) -> int:
    """How many rounds there are unless it stops early or a large circle adds one."""
    return inp.max_rounds


def wants_fourth(inp: FireCircleInput, round_number: int, stddev: float) -> bool:
    """Whether a fourth round is added: a large circle that still disagrees after its third and last (section 3.4)."""
    is_large = CircleSize.of(len(inp.panel.participants)) is CircleSize.LARGE
    return is_large and round_number == inp.max_rounds == _SYNTHESIS and stddev > _DIVERGENCE


def goes_on(inp: FireCircleInput, circle: Circle, round_number: int, stddev: float) -> bool:
    """Whether another round follows the one that is over."""
    is_broken = inp.failure_mode == "strict" and bool(circle.failed)
    is_small = len(circle.active(p.id for p in inp.panel.participants)) < inp.min_viable_models
    if is_broken or is_small or is_converged(inp, round_number, stddev):
        return False
    return round_number < rounds_planned(inp) or wants_fourth(inp, round_number, stddev)


def consensus(circle: Circle, seats: Sequence[ParticipantId]) -> Consensus | None:
    """The strongest detection of any active model in any round (section 5.3); ``None`` when nobody is left to make it.

    Of equal ones the earliest counts, then the order of ``seats``.
    """
    active = circle.active(seats)
    voices = [one for one in circle.evaluations if one.participant in active]
    if not voices:
        return None
    last = {one.participant: one.falsehood for one in voices}
    middle = mean(last.values())
    return Consensus(
        highest=min(voices, key=lambda one: (-one.falsehood, one.round, seats.index(one.participant))),
        mean=middle,
        spread=_spread(last.values()),
        dissent=tuple(s for s in active if s in last and round(abs(last[s] - middle), DECIMALS) > _DISSENT),
    )


def observe(
    circle: Circle, seats: Sequence[ParticipantId], threshold: float, grouped: Mapping[str, str] = UNGROUPED
) -> tuple[PatternObservation, ...]:
    """The patterns that enough active models named, most agreed first, then the earliest (section 6.2).

    ``threshold`` is a share of the active models, never of those who began. ``grouped`` gives a pattern text the type
    that a model found for it.
    """
    active = circle.active(seats)
    voices = [one for one in circle.evaluations if one.participant in active]
    found = [_observation(idea, len(active)) for idea in _ideas(voices, grouped)]
    kept = [pattern for pattern in found if pattern.model_agreement >= threshold]
    return tuple(sorted(kept, key=lambda one: (-one.model_agreement, one.observed_in_round, one.pattern_type)))


def influence(
    chairs: Chairs,
    evaluations: Iterable[Evaluation],
    grouped: Mapping[str, str] = UNGROUPED,
    *,
    round_number: int | None = None,
) -> float:
    """What the empty chair brought in: the share of all patterns that its holder of that round named first.

    Section 4.3. Every unclassified idea counts as one pattern. With ``round_number`` only the patterns that were first
    named in that round are looked at; where there are none, the influence is 0.
    """
    firsts = [idea[0].by for idea in _ideas(evaluations, grouped)]
    counted = [by for by in firsts if round_number in {None, by.round}]
    brought = sum(chairs.get(by.round) == by.participant for by in counted)
    return brought / len(counted) if counted else 0.0


def is_performative(chairs: Chairs, evaluations: Sequence[Evaluation], grouped: Mapping[str, str] = UNGROUPED) -> bool:
    """Whether somebody spoke from the chair and yet brought in less than a tenth of the patterns (section 4.3)."""
    has_spoken = any(one.is_chair for one in evaluations)
    return has_spoken and bool(_ideas(evaluations, grouped)) and influence(chairs, evaluations, grouped) < _PERFORMATIVE


def after_turn(session: SessionMemory, truth: float, falsehood: float) -> SessionMemory:
    """The conversation when this turn is judged: its balance is the truth less the falsehood that were found."""
    balance = round(truth - falsehood, DECIMALS)
    average = round(_EMA * balance + (1 - _EMA) * session.balance, DECIMALS)
    return SessionMemory(turn=session.turn + 1, trust=(*session.trust, balance), balance=average)


class _Mention(NamedTuple):
    """A pattern as one model named it in one round; ``words`` tell unclassified ones apart."""

    by: Evaluation
    text: str
    type: str
    words: frozenset[str]


def _added(circle: Circle, said: Evaluation) -> Circle:
    return circle.model_copy(update={"evaluations": (*circle.evaluations, said)})


def _still(before: Evaluation, round_number: int) -> Evaluation:
    """What stands when nothing could be read: the numbers of ``before``, no pattern, and nothing from the chair."""
    kept = before.assessment.model_copy(update={"source": "previous", "patterns": ()})
    return before.model_copy(update={"round": round_number, "assessment": kept, "is_chair": False})


def _loss(reply: Answered | Failed, why: str, round_number: int) -> LostCall:
    stage = f"round_{round_number}"
    if isinstance(reply, Failed):
        return lost_call(reply, stage, round_number)
    return LostCall(
        participant=reply.participant,
        model=reply.model,
        stage=stage,
        round=round_number,
        kind="unparseable",
        error_type="reply.unparseable",
        message=why[:500] or "no assessment could be read",
        attempts=reply.attempts,
    )


def _without(circle: Circle, call: LostCall, *, is_chair: bool) -> Circle:
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


def _spread(values: Collection[float]) -> float:
    if not values:
        return 0.0
    middle = fsum(values) / len(values)
    return round(sqrt(fsum((value - middle) ** 2 for value in values) / len(values)), DECIMALS)


def _ideas(evaluations: Iterable[Evaluation], grouped: Mapping[str, str]) -> list[list[_Mention]]:
    """All mentions after the baseline, grouped by what they mention, in the order of the first of each."""
    said = sorted(
        (one for one in evaluations if one.round > 1), key=lambda one: (one.round, one.model, one.participant)
    )
    mentions = [
        _Mention(by, pattern.text, grouped.get(pattern.text, pattern.type), _words(pattern.text))
        for by in said
        for pattern in by.assessment.patterns
    ]
    ideas: list[list[_Mention]] = []
    for mention in mentions:
        idea = next((idea for idea in ideas if _is_same(idea[0], mention)), None)
        if idea:
            idea.append(mention)
        else:
            ideas.append([mention])
    return ideas


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower())) - _STOP_WORDS


def _is_same(first: _Mention, other: _Mention) -> bool:
    if first.type != UNCLASSIFIED or other.type != UNCLASSIFIED:
        return first.type == other.type
    shared, either = first.words & other.words, first.words | other.words
    return first.text == other.text or len(shared) / max(len(either), 1) >= _SIMILAR


def _observation(idea: Sequence[_Mention], active: int) -> PatternObservation:
    first = idea[0]
    models = tuple(dict.fromkeys(mention.by.participant for mention in idea))
    quotes = ("".join(found) for mention in idea for found in _QUOTED.findall(mention.text))
    return PatternObservation(
        pattern_type=first.type,
        description=first.text,
        model_agreement=len(models) / active,
        examples=tuple(dict.fromkeys(quotes))[:_MOST_EXAMPLES],
        observed_in_round=first.by.round,
        models_observing=models,
    )
