"""One line of the list of deliberations."""

from datetime import datetime

from temporalio.client import WorkflowExecution

from protocols.model_call import FrozenModel
from workflows import search_attributes


class Listed(FrozenModel):
    """A deliberation as the list shows it; ``None`` is not known, or not yet."""

    id: str
    run_id: str
    """A deliberation that was started again is listed once for each of its runs."""
    status: str
    """``running``, ``completed``, ``failed``, ``canceled``, ``terminated`` …, in Temporal's words."""
    protocol: str | None = None
    stage: str | None = None
    round: int | None = None
    title: str | None = None
    participants: int | None = None
    models: tuple[str, ...] = ()
    failed_models: tuple[str, ...] = ()
    tokens: int | None = None
    cost_usd: float | None = None
    calls_of_unknown_cost: int | None = None
    """This and the next two are what tokens and cost lack, by the ledger, which ``parley list`` reads."""
    calls_of_unknown_tokens: int | None = None
    unanswered_requests: int | None = None
    """Of calls whose cost is known, the requests without an answer, which may be billed beside it."""
    agreement: float | None = None
    stop_reason: str | None = None
    degraded: bool | None = None
    rehearsal: bool = False
    batch_id: str | None = None
    continues: str | None = None
    """The deliberation that it is a follow-up of."""
    started: datetime
    ended: datetime | None


def listed(execution: WorkflowExecution) -> Listed:
    """Convert a list entry of Temporal to a row of the list."""
    columns = {column.name: column for column in search_attributes.ALL}
    known = {
        name: value
        for name in Listed.model_fields
        if (column := columns.get(name.title().replace("_", "")))
        and (value := execution.typed_search_attributes.get(column)) is not None
    }
    status = execution.status.name.lower() if execution.status else "unknown"
    times = {"started": execution.start_time, "ended": execution.close_time}
    return Listed.model_validate({**known, **times, "id": execution.id, "run_id": execution.run_id, "status": status})
