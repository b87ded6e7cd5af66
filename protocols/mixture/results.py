"""The result of a mixture, from its layers and its aggregation."""

from collections.abc import Mapping, Sequence

from protocols.answers import AnswerRead
from protocols.deliberation import Ending
from protocols.flaws import Flaw, is_cut
from protocols.further_calls import whole_turn
from protocols.mixture import rules
from protocols.mixture.model import (
    AGGREGATION,
    Layer,
    LayerCount,
    MixtureInput,
    MixtureRecord,
    MixtureResult,
    StopReason,
    stage_of,
)
from protocols.model_call import Answered, ParticipantId
from protocols.panel import name_of
from protocols.progress import Progress
from protocols.transcript import Transcript, Turn, turns_of
from protocols.update_requests import ReplaceParticipant
from protocols.votes import decide

FAILURES: Mapping[StopReason, str] = {
    "no_answers": "no proposer answered in the first layer, so there is nothing to build on",
    "participant_lost": "STRICT mode, and a proposer was lost",
    "aggregator_lost": "STRICT mode, and neither the aggregator nor a fallback concluded",
}
"""The stop reasons that are failures, in words."""


def refuse_replacement(
    inp: MixtureInput, record: MixtureRecord, progress: Progress, request: ReplaceParticipant
) -> None:
    """Refuse to replace a participant without remaining calls.

    Raises:
        ValueError: the proposer was given up, or has answered in the last layer.
    """
    seat = request.participant
    if seat == inp.panel.chair_seat:
        return
    if seat in rules.zombies(record.layers):
        raise ValueError(f"{seat!r} was lost in two layers in a row and is asked no more")
    waits = any(one.participant == seat and one.status in {"ready", "running"} for one in progress.seats)
    if progress.stage == AGGREGATION or (progress.stage == stage_of(inp.layers) and not waits):
        raise ValueError(f"{seat!r} has nothing left to do: the last layer has its answer")


def transcript(record: MixtureRecord, order: Sequence[ParticipantId]) -> Transcript:
    """Return all turns, layer by layer, the aggregator last."""
    turns = [turn for layer in record.layers for turn in _turns(layer, order)]
    if written := record.aggregation:
        last = len(record.layers)
        turns += turns_of(written, AGGREGATION, last)
    return Transcript(turns=tuple(turns))


def build_result(inp: MixtureInput, record: MixtureRecord, ending: Ending[StopReason]) -> MixtureResult:
    """Return the result of a mixture that ended for ``stop_reason`` with this record."""
    written = _verdict(inp, record)
    given_up, order = rules.zombies(record.layers), ending.draws.order
    return MixtureResult(
        verdict=whole_turn(written) if written else None,
        answer=AnswerRead.model_validate(written.reading).answer if written else None,
        decided_by=record.decided_by,
        aggregator=name_of(written.model) if written else None,
        partial=ending.stop_reason != "verdict" or is_cut(written),
        layers=tuple(map(_count, record.layers)),
        zombies=tuple(seat.id for seat in inp.panel.participants if seat.id in given_up),
        shown_order=order,
        transcript=transcript(record, order),
        **ending.fields(inp, record.lost, _flaws(inp, record)),
    )


def _verdict(inp: MixtureInput, record: MixtureRecord) -> Answered | None:
    """Return the reply with the verdict."""
    if record.decided_by == "fallback":
        return rules.standing_answer(record, inp.panel)
    return record.aggregation


def _flaws(inp: MixtureInput, record: MixtureRecord) -> tuple[Flaw, ...]:
    """Return the flaws of a verdict by another than the aggregator, or without a readable answer."""
    written, found = _verdict(inp, record), []
    if written is not None and record.decided_by in {"fallback", "fallback_aggregator"}:
        note = f"{name_of(written.model)} in place of {name_of(inp.panel.chair.model)}"
        found.append(Flaw(kind="fallback_chair", stage=AGGREGATION, participant=inp.panel.chair_seat, note=note))
    is_asked = inp.answer.kind != "free"  # an open question is answered by the whole text
    if written is not None and is_asked and AnswerRead.model_validate(written.reading).answer is None:
        note = "no final answer could be read"
        found.append(Flaw(kind="unread", stage=AGGREGATION, participant=written.participant, note=note))
    return tuple(found)


def _count(layer: Layer) -> LayerCount:
    counted = decide(layer.answers)
    return LayerCount(
        number=layer.number,
        asked=len(layer.asked),
        answered=len(layer.answers),
        votes=counted.votes,
        tally=counted.tally,
    )


def _turns(layer: Layer, order: Sequence[ParticipantId]) -> list[Turn]:
    names = rules.names(layer, order)
    stage = stage_of(layer.number)
    each = (turns_of(answer, stage, layer.number, names[answer.participant]) for answer in layer.answers)
    return [turn for turns in each for turn in turns]
