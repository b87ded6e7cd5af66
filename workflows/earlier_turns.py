"""The earlier turns of a question: child workflows that end before the deliberation on the last turn begins.

Each turn is one deliberation of the same protocol, with an id, a record and a budget for itself. Its question and its
verdict precede the following turns.
"""

import asyncio

from temporalio import workflow
from temporalio.common import TypedSearchAttributes, WorkflowIDReusePolicy
from temporalio.exceptions import (
    ApplicationError,
    ChildWorkflowError,
    WorkflowAlreadyStartedError,
    is_cancelled_exception,
)

from protocols.deliberation import DeliberationInput
from protocols.instructions import AnsweredTurn
from protocols.starting import INVALID
from workflows import search_attributes
from workflows.activity_calls import start_failure
from workflows.child_start import start_child

LOST = "turn.lost"
"""The type of the failure when an earlier turn has no verdict."""

_LONGEST_ID = 1000
"""Bytes. The server refuses the whole step of a workflow that gives a longer one, again and again."""
_COLUMNS = (
    search_attributes.PROTOCOL,
    search_attributes.PARTICIPANTS,
    search_attributes.MODELS,
    search_attributes.REHEARSAL,
)
"""The list columns that a turn has in common with the whole."""


def has_earlier_turns(inp: object) -> bool:
    """Return whether other questions must be answered before that of ``inp``."""
    return isinstance(inp, DeliberationInput) and bool(inp.earlier)


async def answer_earlier(inp: DeliberationInput) -> DeliberationInput:
    """Run the earlier turns one after the other and return ``inp`` with their answers.

    Raises:
        ApplicationError: one of them ended without a verdict.
    """
    count = len(inp.earlier) + 1
    for number, question in enumerate(inp.earlier, 1):
        turn = inp.on_turn(number, question)
        inp = inp.with_turn(await _answered(turn, f"turn {number} of {count}", number))
        if (task := asyncio.current_task()) and task.cancelling():
            raise asyncio.CancelledError  # the turn had ended before it learned of it
    return inp.model_copy(update={"earlier": ()})


async def _answered(turn: DeliberationInput, place: str, number: int) -> AnsweredTurn:
    info = workflow.info()
    child_id = f"{info.workflow_id}/turn-{number}"
    if len(child_id.encode()) > _LONGEST_ID:
        said = f"the id of this run is too long for those of its turns, which have at most {_LONGEST_ID} bytes"
        raise start_failure(said, INVALID)
    try:
        child = await start_child(
            info.workflow_type,
            turn,
            id=child_id,
            result_type=AnsweredTurn,
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
            priority=info.priority,
            search_attributes=_columns(turn.title),
            static_summary=f"{place} · {turn.title}"[:200],
        )
        answered: AnsweredTurn = await child
    except WorkflowAlreadyStartedError:
        said = f"{place} could not begin: {child_id} runs already. Start this again when that has ended"
        raise ApplicationError(said, type=LOST, non_retryable=True) from None
    except ChildWorkflowError as error:
        if is_cancelled_exception(error):
            raise
        said = getattr(error.cause, "message", "") or str(error.cause)
        raise _lost(place, child_id, said) from error
    if not answered.verdict:
        raise _lost(place, child_id, answered.stop_reason)
    return answered


def _columns(title: str) -> TypedSearchAttributes:
    known = workflow.info().typed_search_attributes
    shared = {key: known.get(key) for key in _COLUMNS}
    return search_attributes.columns_of({**shared, search_attributes.TITLE: title, search_attributes.STAGE: "ready"})


def _lost(place: str, child_id: str, why: str) -> ApplicationError:
    message = (
        f"{place} ended without a verdict ({why[:300]}), so the next one has no context; see: parley show {child_id}"
    )
    return ApplicationError(message, type=LOST, non_retryable=True)
