"""Circles without models: inputs, evaluations and whole dialogues, for tests of what is counted, asked and reported."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from protocols.fire_circle import results, rules
from protocols.fire_circle.io import FireCircleInput
from protocols.fire_circle.model import (
    UNCLASSIFIED,
    Assessment,
    CircleState,
    Evaluation,
    Layers,
    Pattern,
    PatternType,
    Reading,
    Source,
)
from protocols.fire_circle.prompts import PACK
from protocols.fire_circle.results import FireCircleRecord
from protocols.model_call import Answered, Failed, FailureKind, ModelId, ParticipantId
from protocols.panel import Panel

LAYERS = Layers(system="Be of help.", application="A shop for tea.", user="As we agreed earlier, send me the list.")
NOON = datetime(2025, 10, 12, 12, tzinfo=UTC)
KINDS = frozenset(kind.value for kind in PatternType)

Said = float | str | None
"""What a seat does in a round: a falsehood, a text without numbers, ``refused``, or nothing: it is lost."""

REFUSED = "refused"


def seat(number: int) -> ParticipantId:
    """``p1`` for 0, ``p2`` for 1 and so on."""
    return ParticipantId(f"p{number + 1}")


def seats(count: int) -> tuple[ParticipantId, ...]:
    """The first ``count`` of them."""
    return tuple(map(seat, range(count)))


def model(number: int) -> ModelId:
    """The model on that seat; the ids are in the order of the seats."""
    return ModelId(f"openrouter:maker/{'abcdefghij'[number]}")


def panel(count: int) -> Panel:
    """So many of them, and a classifier."""
    return Panel.of(tuple(map(model, range(count))), "maker/cheap")


def circle_input(count: int = 3, **changes: Any) -> FireCircleInput:
    """A circle of ``count`` models on one layer, with ``changes``."""
    given = {
        "question": LAYERS.user,
        "title": "tea",
        "layers": LAYERS,
        "layer": "user",
        "panel": panel(count),
        "prompts": PACK,
    }
    return FireCircleInput.model_validate({**given, **changes})


def pattern(named: str) -> Pattern:
    """A pattern type by its name, or else an idea without a class; ``type: text`` says both."""
    kind, _, text = named.partition(": ")
    return Pattern(text=text or kind, type=kind) if kind in KINDS else Pattern(text=named, type=UNCLASSIFIED)


def assessed(falsehood: float, *named: str, source: Source = "json", truth: float = 0.5) -> Assessment:
    """Numbers and the patterns ``named`` with them."""
    return Assessment(
        truth=truth,
        indeterminacy=0.25,
        falsehood=falsehood,
        reasoning=f"It seems {falsehood}.",
        patterns=tuple(map(pattern, named)),
        source=source,
    )


def said(number: int, held: int, falsehood: float, *named: str, is_chair: bool = False, **changes: Any) -> Evaluation:
    """What that seat said in the round ``held``."""
    return Evaluation(
        participant=seat(number),
        model=model(number),
        round=held,
        assessment=assessed(falsehood, *named, **changes),
        is_chair=is_chair,
    )


def answered(number: int, falsehood: float | None, *named: str, **changes: Any) -> Answered:
    """The reply of that seat with its reading; without a falsehood it could not be read."""
    reading = Reading(why="no numbers") if falsehood is None else Reading(assessment=assessed(falsehood, *named))
    given = {
        "call_id": f"r1-{seat(number)}",
        "participant": seat(number),
        "model": model(number),
        "text": "Well.",
        "reading": reading.model_dump(mode="json"),
        "provider": "openrouter",
        "attempts": 2,
    }
    return Answered.model_validate({**given, **changes})


def lost(number: int, kind: FailureKind = "timeout") -> Failed:
    """A call of that seat that was lost."""
    return Failed(
        kind=kind,
        call_id=f"r1-{seat(number)}",
        participant=seat(number),
        model=model(number),
        error_type=f"provider.{kind}",
        message="no answer within 60 s",
        attempts=3,
    )


def reply(number: int, does: Said) -> Answered | Failed:
    """The reply of a seat that does that; a text that is no pattern type cannot be read."""
    if does is None or does == REFUSED:
        return lost(number, "timeout" if does is None else "refused")
    return answered(number, None if isinstance(does, str) else does)


def hear(
    circle: CircleState, inp: FireCircleInput, answer: Answered | Failed, held: int, *, is_chair: bool = False
) -> CircleState:
    """The circle after ``answer`` of a model."""
    return rules.apply_reply(circle, inp, answer, held, is_chair=is_chair)


def holding(inp: FireCircleInput, record: FireCircleRecord, does: Sequence[Said]) -> FireCircleRecord:
    """The minutes after one more round, in which every seat that is still active ``does`` what is at its place."""
    held, everybody = len(record.rounds) + 1, tuple(p.id for p in inp.panel.participants)
    circle, active = record.circle, record.circle.active(everybody)
    chair = rules.chair_of(held, everybody, active, record.chairs.get(held - 1))
    for number, one in enumerate(everybody):
        if one in active:
            circle = hear(circle, inp, reply(number, does[number]), held, is_chair=one == chair)
    circle = rules.settle_round(record.circle, circle, held)
    closed = results.round_of(circle, inp, held, prompt=f"round {held}", at=NOON)
    rounds = (*record.rounds, closed) if held == 1 or closed.evaluations else record.rounds
    chairs = {**record.chairs, **({held: chair} if chair else {})}
    return record._replace(circle=circle, rounds=rounds, chairs=chairs)


def played(inp: FireCircleInput, *rounds: Sequence[Said]) -> FireCircleRecord:
    """The minutes of a circle in which that was done, whatever it gives."""
    record = FireCircleRecord()
    for does in rounds:
        record = holding(inp, record, does)
    return record
