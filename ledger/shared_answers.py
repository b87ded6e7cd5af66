"""Answers and losses of another deliberation, for a branch that shares its rounds.

An answer that is found is also stored under the branch's own identity, so that a branch is independent: it can be reset
and branched off again, however its origin ends. It gets no line in the ledger's calls, because nothing was paid.
"""

from typing import Any

from sqlalchemy import Connection, Row, select

from ledger.identity import CallIdentity
from ledger.prepared_inserts import PreparedInsert
from ledger.store import Store
from ledger.tables import CALLS, JOURNAL
from protocols.model_call import Cost, Failed, Usage


class SharedAnswers:
    """The journal and the ledger as a branch reads them. Every method raises ``StoreError``."""

    def __init__(self, store: Store, keep: PreparedInsert) -> None:
        self._store, self._keep = store, keep

    async def answer(self, identity: CallIdentity, source: CallIdentity) -> bytes | None:
        """Return the stored answer to ``source`` and store it for ``identity`` too; ``None`` without one."""
        there = JOURNAL.c.key.in_((identity.key, source.key)), JOURNAL.c.answer.is_not(None)
        own = {"key": identity.key, "workflow_id": identity.workflow_id, "call_id": identity.call_id}

        def adopt(connection: Connection) -> bytes | None:
            kept = {row.key: row.answer for row in connection.execute(select(JOURNAL).where(*there))}
            if identity.key in kept:
                return bytes(kept[identity.key])
            if source.key not in kept:
                return None
            self._keep.run(connection, [{**own, "owner": source.key, "answer": kept[source.key]}])
            return bytes(kept[source.key])

        return await self._store.transaction(adopt)

    async def loss(self, source: CallIdentity) -> Failed | None:
        """Return the loss of ``source`` from its ledger row; ``None`` without one."""
        wanted = select(CALLS).where(CALLS.c.key == source.key, CALLS.c.outcome != "answered")
        return next((_failed(row) for row in await self._store.rows(wanted)), None)


def _failed(row: Row[Any]) -> Failed:
    line = row._asdict()
    names = ("call_id", "participant", "model", "attempts", "rehearsal", "unanswered_requests")
    return Failed.model_validate(
        {
            **{name: line[name] for name in names},
            "kind": line["outcome"],
            "error_type": line["error_type"] or "unknown",
            "message": line["message"] or "",
            "usage": Usage.model_validate({name: line[name] for name in Usage.model_fields}),
            "cost": Cost(usd=line["cost_usd"], source=line["cost_source"]),
        }
    )
