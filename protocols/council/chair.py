"""The fields that a chair can give beside its verdict, and the readings of its reply."""

from typing import Literal, get_args

from pydantic import Field

from protocols.answers import AnswerRead
from protocols.flaws import Flaw
from protocols.model_call import Answered, FrozenModel
from protocols.panel import CHAIR

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
        points: tuple[str, ...] = getattr(self, field)
        return points


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


def answer_of(written: Answered | None) -> str | None:
    """Return the final answer in the synthesis, for a question that requests one."""
    read = _final_answer(written) if written else None
    return read.answer if read else None


def fields_of(written: Answered | None) -> ChairRead | None:
    """Return the reading of a synthesis with fields; ``None`` where none were asked for."""
    is_read = written is not None and isinstance(written.reading, dict) and "analysis" in written.reading
    return ChairRead.model_validate(written.reading) if written and is_read else None


def unread(written: Answered | None) -> tuple[Flaw, ...]:
    """Return the flaws of a synthesis without the requested final answer, or without the requested fields."""
    if written is None:
        return ()
    chair = fields_of(written)
    lacks_answer = _final_answer(written) is not None and answer_of(written) is None
    notes = (
        (lacks_answer, "no final answer could be read"),
        (chair is not None and chair.analysis is None, "the chair's fields could not be read"),
    )
    return tuple(Flaw(kind="unread", stage="synthesis", participant=CHAIR, note=note) for is_so, note in notes if is_so)


def _final_answer(written: Answered) -> AnswerRead | None:
    """Return the reading of the final answer in a synthesis; ``None`` where none was asked for."""
    if chair := fields_of(written):
        return chair.final
    is_read = isinstance(written.reading, dict) and "answer" in written.reading
    return AnswerRead.model_validate(written.reading) if is_read else None
