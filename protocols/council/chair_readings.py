"""The readings of a chair's reply: the final answer, the fields, and the flaws of both."""

from protocols.answers import AnswerRead
from protocols.council.chair_fields import ChairRead
from protocols.flaws import Flaw
from protocols.model_call import Answered
from protocols.panel import CHAIR


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
