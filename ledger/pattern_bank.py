"""The pattern bank as a user reads it: one entry per pattern, in the shape of seed 000, section 11.2.

The seed's bank is called REASONINGBANK and is a separate store; here it is a table of the ledger. Each entry also has
the deliberation that found the pattern and its date.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, Self

from pydantic import Field

from protocols.model_call import FrozenModel


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
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Build the entry from one row of ``patterns``."""
        return cls(
            category=row["category"],
            subcategory=row["subcategory"],
            content=PatternContent.model_validate(row),
            deliberation_id=row["deliberation_id"],
            recorded_at=row["recorded_at"],
        )
