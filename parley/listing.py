"""One line of the list of deliberations."""

from datetime import datetime

from temporalio.client import WorkflowExecution

from protocols.exchange import Frozen
from workflows import columns


class Listed(Frozen):
    """A deliberation as the list shows it; ``None`` is not known, or not yet."""

    id: str
    status: str
    """``running``, ``completed``, ``failed``, ``canceled``, ``terminated`` …, in Temporal's words."""
    protocol: str | None
    stage: str | None
    round: int | None
    title: str | None
    participants: int | None
    models: tuple[str, ...]
    failed_models: tuple[str, ...]
    tokens: int | None
    cost_usd: float | None
    agreement: float | None
    stop_reason: str | None
    degraded: bool | None
    rehearsal: bool
    batch_id: str | None
    started: datetime
    ended: datetime | None


def listed(execution: WorkflowExecution) -> Listed:
    """What a list entry of Temporal says about a deliberation."""
    known = execution.typed_search_attributes
    return Listed(
        id=execution.id,
        status=execution.status.name.lower() if execution.status else "unknown",
        protocol=known.get(columns.PROTOCOL),
        stage=known.get(columns.STAGE),
        round=known.get(columns.ROUND),
        title=known.get(columns.TITLE),
        participants=known.get(columns.PARTICIPANTS),
        models=tuple(known.get(columns.MODELS) or ()),
        failed_models=tuple(known.get(columns.FAILED_MODELS) or ()),
        tokens=known.get(columns.TOKENS),
        cost_usd=known.get(columns.COST_USD),
        agreement=known.get(columns.AGREEMENT),
        stop_reason=known.get(columns.STOP_REASON),
        degraded=known.get(columns.DEGRADED),
        rehearsal=bool(known.get(columns.REHEARSAL)),
        batch_id=known.get(columns.BATCH_ID),
        started=execution.start_time,
        ended=execution.close_time,
    )
