"""The ledger's line for a deliberation, written when it ends.

Answered calls stand in the ledger already: the journal wrote each with its answer. What is missing are the calls that
were lost, and the deliberation itself. Both come in one ``DeliberationRecord``, and writing it twice leaves the same
rows: the deliberation is replaced by itself, and a lost call never replaces a line that is there.
"""

import json
from typing import Any

from pydantic import AwareDatetime, Field, JsonValue
from sqlalchemy import Connection, func, select
from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.identity import CallIdentity
from activities.receipts import receipt
from activities.store import Store, packed
from activities.store_errors import StoreError, StoreRefusedError
from activities.tables import CALLS, DELIBERATIONS
from protocols.exchange import Failed, Frozen, ModelId, Spent
from protocols.panel import FailureMode


class LostEntry(Frozen):
    """A call that the deliberation lost, with everything its line in the ledger says."""

    identity: CallIdentity
    stage: str
    round: int = Field(default=1, ge=1)
    reply: Failed


class DeliberationRecord(Frozen):
    """One deliberation that ended, whatever its protocol."""

    id: str = Field(min_length=1)
    """The workflow id."""
    run_id: str
    protocol: str
    protocol_version: str
    prompts: str
    """``version@fingerprint`` of the prompt pack that was used."""
    title: str
    question: str
    verdict: str | None
    stop_reason: str
    partial: bool
    failure_mode: FailureMode
    models: tuple[ModelId, ...]
    """Who was asked to take part, in panel order; who really served them is read from the calls."""
    spent: Spent
    """As the protocol counted it; answers that came after it had given up stand in ``calls`` alone."""
    rehearsal: bool
    batch_id: str | None = None
    started_at: AwareDatetime
    ended_at: AwareDatetime
    result: JsonValue
    """The protocol's own result, whole."""
    lost: tuple[LostEntry, ...] = ()


class Books:
    """The activity that writes the ledger."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @activity.defn(name="record_deliberation")
    async def record_deliberation(self, entry: DeliberationRecord) -> None:
        """Write the deliberation and the calls it lost; doing it again changes nothing.

        Raises:
            ApplicationError: of type ``store.busy`` or ``store.full`` (tried again) or ``store.refused`` (final).
        """
        try:
            await self._store.transaction(lambda connection: self._record(connection, entry))
        except StoreError as error:
            final = isinstance(error, StoreRefusedError)
            raise ApplicationError(str(error), type=error.kind, non_retryable=final) from None

    def _record(self, connection: Connection, entry: DeliberationRecord) -> None:
        for lost in entry.lost:
            row = receipt(lost.identity, lost.reply, stage=lost.stage, round_number=lost.round)
            connection.execute(self._store.insert(CALLS).on_conflict_do_nothing(), row)
        whole = _row(entry) | {
            "served_models": _seen(connection, entry.id, "served_model"),
            "upstreams": _seen(connection, entry.id, "upstream"),
        }
        line = self._store.insert(DELIBERATIONS).values(whole)
        again = whole | {"recorded_at": func.now()}
        connection.execute(line.on_conflict_do_update(index_elements=[DELIBERATIONS.c.id], set_=again))


def _seen(connection: Connection, deliberation_id: str, column: str) -> list[str]:
    wanted = CALLS.c[column]
    mine = (CALLS.c.deliberation_id == deliberation_id, wanted.is_not(None))
    return list(connection.execute(select(wanted).distinct().where(*mine).order_by(wanted)).scalars())


def _row(entry: DeliberationRecord) -> dict[str, Any]:
    whole = entry.model_dump(exclude={"models", "spent", "result", "lost"})
    spent = entry.spent
    is_cost_known = spent.calls_of_unknown_cost < spent.calls or spent.calls == 0
    return whole | {
        "models": list(entry.models),
        "calls": spent.calls,
        "prompt_tokens": spent.prompt_tokens,
        "completion_tokens": spent.completion_tokens,
        "cost_usd": spent.usd if is_cost_known else None,
        "calls_of_unknown_cost": spent.calls_of_unknown_cost,
        "result": packed(json.dumps(entry.result, separators=(",", ":")).encode("ascii")),
    }
