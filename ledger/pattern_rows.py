"""The pattern bank's lines: what a fire circle found, one line per pattern (seed 000, section 11.2).

They are made from the circle's own result, and become durable with the deliberation's line.
"""

from typing import Any

from pydantic import JsonValue

from ledger.tables import storable
from protocols.fire_circle.model import FalsehoodTrend, PatternObservation
from protocols.model_call import FrozenModel, ParticipantId
from protocols.panel import name_of

FIRE_CIRCLE = "fire-circle"
"""The protocol whose results have patterns."""

CATEGORY = "fire_circle_pattern"
"""Under which the bank keeps every one of them."""


class _Found(FrozenModel):
    """The part of a circle's result that the pattern bank stores."""

    patterns: tuple[PatternObservation, ...] = ()
    movements: tuple[FalsehoodTrend, ...] = ()
    """Who sat where."""
    attack_id: str | None = None


def pattern_rows(deliberation_id: str, result: JsonValue, *, rehearsal: bool) -> list[dict[str, Any]]:
    """Return one row of ``patterns`` for each pattern in a fire circle's ``result``, in its order.

    Every column is named but ``recorded_at``, which is left to the database. A circle that names no attack is its own.
    """
    found = _Found.model_validate(result)
    names = {seat.participant: name_of(seat.model) for seat in found.movements}
    return [
        {
            "deliberation_id": deliberation_id,
            "number": number,
            "category": CATEGORY,
            "subcategory": pattern.pattern_type,
            "attack_id": found.attack_id or deliberation_id,
            "description": pattern.description,
            "agreement": pattern.model_agreement,
            "examples": [storable(example) for example in pattern.examples],
            "models": _named(pattern.models_observing, names),
            "rehearsal": rehearsal,
        }
        for number, pattern in enumerate(found.patterns)
    ]


def _named(seats: tuple[ParticipantId, ...], names: dict[ParticipantId, str]) -> list[str]:
    """Return the models in ``seats``, each once; a seat with an unknown model is named by itself."""
    return list(dict.fromkeys(names.get(seat, str(seat)) for seat in seats))
