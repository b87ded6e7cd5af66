"""The recording of a deliberation, put together from what the ledger kept of its calls."""

from typing import Any, Literal

from sqlalchemy import Row, Select, select

from ledger.connection import LedgerConnection
from ledger.journal import type_of_reply
from ledger.store import unpacked, unpacked_json
from ledger.tables import CALLS, DELIBERATIONS, JOURNAL
from parley.recordings import RecordedAnswer, RecordingHead
from protocols.branch import RandomDraws
from protocols.model_call import Answered, FailureKind

_ENDS: dict[FailureKind, Literal["complete", "truncated", "refused"]] = {
    "refused": "refused",
    "truncated": "truncated",
    "unparseable": "complete",
}
"""How the lost calls ended that a model answered; one that no model answered is not in a recording, and lost again."""


class RecordingLedger(LedgerConnection):
    """The recordings in the ledger behind ``url``."""

    async def recorded(self, deliberation_id: str) -> tuple[RecordingHead, tuple[RecordedAnswer, ...]] | None:
        """Return the deliberation as it was recorded, or ``None`` when none of that id has ended.

        Answers of a round that it shared with the deliberation it branched off are those that were paid for there.
        """
        ended = await self._store.rows(_ended(deliberation_id))
        if not ended:
            return None
        result: dict[str, Any] = unpacked_json(ended[0].result)
        answers = await self._answers(deliberation_id)
        origin = result.get("branch")
        while origin is not None:
            answers = await self._answers(origin["of"]) | answers
            before = await self._store.rows(_ended(origin["of"]))
            origin = unpacked_json(before[0].result).get("branch") if before else None
        recorded = tuple(answers.values())
        first = {one.participant: one.model for one in reversed(recorded) if one.model is not None}
        head = RecordingHead(
            deliberation=deliberation_id,
            protocol=ended[0].protocol,
            question=ended[0].question,
            models=dict(sorted(first.items())),
            draws=RandomDraws.model_validate(result["draws"]) if result.get("draws") else None,
        )
        return head, recorded

    async def _answers(self, deliberation_id: str) -> dict[str | None, RecordedAnswer]:
        """Return the answers by call id; of a repeated call, the latest one."""
        rows = await self._store.rows(_calls(deliberation_id))
        return {one.call: one for one in map(_answer, rows) if one is not None}


def _ended(deliberation_id: str) -> Select[Any]:
    wanted = select(DELIBERATIONS.c.protocol, DELIBERATIONS.c.question, DELIBERATIONS.c.result)
    return wanted.where(DELIBERATIONS.c.id == deliberation_id)


def _calls(deliberation_id: str) -> Select[Any]:
    named = (CALLS.c[name] for name in ("call_id", "stage", "round", "participant", "model"))
    wanted = select(*named, JOURNAL.c.answer).select_from(CALLS.join(JOURNAL, JOURNAL.c.key == CALLS.c.key))
    of_it = (CALLS.c.deliberation_id == deliberation_id, JOURNAL.c.answer.is_not(None))
    return wanted.where(*of_it).order_by(CALLS.c.recorded_at, CALLS.c.round, CALLS.c.call_id)


def _answer(row: Row[Any]) -> RecordedAnswer | None:
    reply = type_of_reply.validate_json(unpacked(row.answer))
    finish = reply.finish if isinstance(reply, Answered) else _ENDS.get(reply.kind)
    if finish is None:
        return None
    said = {name: getattr(row, name) for name in ("stage", "round", "participant", "model")}
    answered: dict[str, Any] = (
        {"reasoning": reply.reasoning, "sources": reply.sources} if isinstance(reply, Answered) else {}
    )
    return RecordedAnswer(call=row.call_id, text=reply.text, finish=finish, usage=reply.usage, **said, **answered)
