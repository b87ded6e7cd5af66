"""One line of the list of deliberations."""

from datetime import datetime
from typing import TypeVar

from temporalio.client import WorkflowExecution
from temporalio.common import SearchAttributeKey

from protocols.exchange import Frozen
from workflows import columns

_T = TypeVar("_T")


class Listed(Frozen):
    """A deliberation as the list shows it; ``None`` is not known, or not yet."""

    id: str
    status: str
    """``running``, ``completed``, ``failed``, ``canceled``, ``terminated`` …, in Temporal's words."""
    protocol: str | None
    stage: str | None
    title: str | None
    participants: int | None
    models: tuple[str, ...]
    failed_models: tuple[str, ...]
    tokens: int | None
    cost_usd: float | None
    agreement: float | None
    stop_reason: str | None
    rehearsal: bool
    batch_id: str | None
    started: datetime
    ended: datetime | None


def listed(execution: WorkflowExecution) -> Listed:
    """What a list entry of Temporal says about a deliberation."""

    def column(key: SearchAttributeKey[_T]) -> _T | None:
        return execution.typed_search_attributes.get(key)

    return Listed(
        id=execution.id,
        status=execution.status.name.lower() if execution.status else "unknown",
        protocol=column(columns.PROTOCOL),
        stage=column(columns.STAGE),
        title=column(columns.TITLE),
        participants=column(columns.PARTICIPANTS),
        models=tuple(column(columns.MODELS) or ()),
        failed_models=tuple(column(columns.FAILED_MODELS) or ()),
        tokens=column(columns.TOKENS),
        cost_usd=column(columns.COST_USD),
        agreement=column(columns.AGREEMENT),
        stop_reason=column(columns.STOP_REASON),
        rehearsal=bool(column(columns.REHEARSAL)),
        batch_id=column(columns.BATCH_ID),
        started=execution.start_time,
        ended=execution.close_time,
    )
