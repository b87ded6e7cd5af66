"""The fields that a chair can give beside its verdict."""

from typing import Literal, get_args

from pydantic import Field

from protocols.answers import AnswerRead
from protocols.model_call import FrozenModel

FieldName = Literal["agreement", "contradictions", "unique_insights", "blind_spots"]
FIELDS: tuple[FieldName, ...] = get_args(FieldName)
"""In the order in which they are asked for and shown."""


class ChairAnalysis(FrozenModel):
    """The findings of a chair in the answers of the council, point by point."""

    agreement: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()
    unique_insights: tuple[str, ...] = ()
    blind_spots: tuple[str, ...] = ()

    def points(self, field: FieldName) -> tuple[str, ...]:
        """Return the points of one field."""
        return {
            "agreement": self.agreement,
            "contradictions": self.contradictions,
            "unique_insights": self.unique_insights,
            "blind_spots": self.blind_spots,
        }[field]


class ChairReply(FrozenModel):
    """The object requested of a chair with a JSON schema."""

    agreement: tuple[str, ...] = Field(description="What all or most answers agree on, one point each.")
    contradictions: tuple[str, ...] = Field(description="Where answers contradict each other, and who says what.")
    unique_insights: tuple[str, ...] = Field(description="What only one answer says, and whose it is.")
    blind_spots: tuple[str, ...] = Field(description="What no answer considers.")
    verdict: str = Field(description="The council's final answer.")


class ChairRead(FrozenModel):
    """The reading of a chair's reply with fields."""

    analysis: ChairAnalysis | None
    """``None``: the fields could not be read, and the whole reply is the verdict."""
    verdict: str = ""
    """The text behind the fields; blank where they could not be read."""
    final: AnswerRead | None = None
    """The final answer in the verdict, where the question asks for one."""
