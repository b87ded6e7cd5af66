"""The rules for proposers, shown answers and the aggregator."""

from collections.abc import Sequence
from itertools import pairwise

from protocols.mixture.model import Layer, MixtureRecord, Proposal
from protocols.model_call import Answered, ModelId, ParticipantId
from protocols.panel import Panel
from protocols.sources import with_sources


def zombies(layers: Sequence[Layer]) -> tuple[ParticipantId, ...]:
    """Return proposers lost in two layers in a row, in the order of their loss."""
    given_up: list[ParticipantId] = []
    for before, layer in pairwise(layers):
        lost = [seat for seat in layer.lost if seat in before.lost]
        given_up += [seat for seat in lost if seat not in given_up]
    return tuple(given_up)


def proposers(panel: Panel, layers: Sequence[Layer]) -> tuple[ParticipantId, ...]:
    """Return the proposers of the next layer, in panel order."""
    given_up = zombies(layers)
    return tuple(seat.id for seat in panel.participants if seat.id not in given_up)


def last_answered(layers: Sequence[Layer]) -> Layer | None:
    """Return the last answered layer: the next one and the aggregator build on it."""
    return next((layer for layer in reversed(layers) if layer.answers), None)


def names(layer: Layer, order: Sequence[ParticipantId]) -> dict[ParticipantId, str]:
    """Return the shown name of each answer of ``layer``, in the ``order`` drawn for the run."""
    present = {answer.participant for answer in layer.answers}
    return {seat: f"Answer {number}" for number, seat in enumerate((s for s in order if s in present), start=1)}


def shown(layer: Layer | None, order: Sequence[ParticipantId]) -> dict[str, str]:
    """Return the shown names and texts of ``layer`` for the next one; nothing before the first layer."""
    if layer is None:
        return {}
    read = [(answer, Proposal.model_validate(answer.reading).shown) for answer in layer.answers]
    texts = {answer.participant: with_sources(text, answer.sources) for answer, text in read}
    return {name: texts[seat] for seat, name in names(layer, order).items()}


def aggregators(panel: Panel) -> tuple[ModelId, ...]:
    """Return the candidates for the conclusion, in order: the chair, then its fallbacks."""
    return tuple(dict.fromkeys((panel.chair.model, *panel.chair_fallbacks)))


def standing_answer(record: MixtureRecord, panel: Panel) -> Answered:
    """Return the fallback without an aggregator: the last answer of the first other proposer.

    Raises:
        ValueError: there is no proposal.
    """
    layer = last_answered(record.layers)
    if layer is None:
        raise ValueError("no layer was answered, so there is no answer to keep")
    tried = aggregators(panel)
    return next((answer for answer in layer.answers if answer.model not in tried), layer.answers[0])
