"""One line of the list of deliberations."""

from datetime import datetime

from temporalio.client import WorkflowExecution

from protocols.model_call import FrozenModel
from workflows import search_attributes


class Listed(FrozenModel):
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
    continues: str | None = None
    """The deliberation that it is a follow-up of."""
    started: datetime
    ended: datetime | None


def listed(execution: WorkflowExecution) -> Listed:
    """Convert a list entry of Temporal to a row of the list."""
    known = execution.typed_search_attributes
    return Listed(
        id=execution.id,
        status=execution.status.name.lower() if execution.status else "unknown",
        protocol=known.get(search_attributes.PROTOCOL),
        stage=known.get(search_attributes.STAGE),
        round=known.get(search_attributes.ROUND),
        title=known.get(search_attributes.TITLE),
        participants=known.get(search_attributes.PARTICIPANTS),
        models=tuple(known.get(search_attributes.MODELS) or ()),
        failed_models=tuple(known.get(search_attributes.FAILED_MODELS) or ()),
        tokens=known.get(search_attributes.TOKENS),
        cost_usd=known.get(search_attributes.COST_USD),
        agreement=known.get(search_attributes.AGREEMENT),
        stop_reason=known.get(search_attributes.STOP_REASON),
        degraded=known.get(search_attributes.DEGRADED),
        rehearsal=bool(known.get(search_attributes.REHEARSAL)),
        batch_id=known.get(search_attributes.BATCH_ID),
        continues=known.get(search_attributes.CONTINUES),
        started=execution.start_time,
        ended=execution.close_time,
    )
