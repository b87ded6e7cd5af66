"""The pattern bank: what fire circles found, a row per pattern, and its entries as a user reads them (seed 000, 11.2).

The rows are made from a circle's own result, and become durable with the deliberation's row. The seed's bank is called
REASONINGBANK and is a separate store; here it is a table of the ledger. Each entry also has the deliberation that found
the pattern and its date.
"""

from datetime import datetime
from typing import Any, Literal, Self

from pydantic import Field, JsonValue
from sqlalchemy import Row

from ledger.tables import storable
from protocols.fire_circle.model import FalsehoodTrend, PatternObservation
from protocols.model_call import FrozenModel
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
            "models": list(dict.fromkeys(names.get(seat, str(seat)) for seat in pattern.models_observing)),
            "rehearsal": rehearsal,
        }
        for number, pattern in enumerate(found.patterns)
    ]


class PatternContent(FrozenModel):
    """The content of a pattern, under the seed's names."""

    description: str
    """As it was first named."""
    agreement: float = Field(ge=0, le=1)
    """The share of the models that were active in the end which named it."""
    attack_id: str
    """What was judged: the attack, where one was named, else the deliberation."""
    examples: tuple[str, ...]
    """What the models quoted."""
    models: tuple[str, ...]
    """Those that named it, as their providers call them."""


class PatternEntry(FrozenModel):
    """One entry of the bank."""

    category: Literal["fire_circle_pattern"]
    subcategory: str
    """The type of the pattern, or ``unclassified``."""
    content: PatternContent
    deliberation_id: str
    """The fire circle that found it."""
    recorded_at: datetime
    """When that circle was entered in the ledger."""

    @classmethod
    def of(cls, row: Row[Any]) -> Self:
        """Build the entry from one row of ``patterns``."""
        return cls(
            category=row.category,
            subcategory=row.subcategory,
            content=PatternContent.model_validate(row, from_attributes=True),
            deliberation_id=row.deliberation_id,
            recorded_at=row.recorded_at,
        )
