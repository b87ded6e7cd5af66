"""Queries of the ledger: results, calls, costs and totals.

It reads the database itself and changes nothing, so it works when the server has forgotten a deliberation, is not
running, or is busy. ``async with LedgerReader(url) as ledger`` opens it, read-only.
"""

import json
from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import case, func, select

from ledger.connection import LedgerConnection
from ledger.patterns import PatternEntry
from ledger.statistics import AVERAGE_ROUNDS, DAILY_CONVERSATIONS, VOTING_PATTERNS, ConsensusStats
from ledger.store import unpacked
from ledger.store_errors import StoreError
from ledger.tables import CALLS, DELIBERATIONS, PATTERNS
from protocols.model_call import FrozenModel

__all__ = ["CallLogRow", "LedgerReader", "ModelTotal", "StoreError"]


class CallLogRow(FrozenModel):
    """One row of ``calls``."""

    key: str
    deliberation_id: str
    call_id: str
    salt: str
    stage: str
    round: int
    participant: str
    model: str
    provider: str
    served_model: str | None
    upstream: str | None
    request_id: str | None
    outcome: str
    """``answered``, or the kind of failure."""
    error_type: str | None
    message: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None
    cost_source: str
    finish: str | None
    attempts: int
    seconds: float | None
    rehearsal: bool
    recorded_at: datetime


class ModelTotal(FrozenModel):
    """One model's calls and costs over the selected calls; rehearsals are counted separately."""

    model: str
    rehearsal: bool
    calls: int
    answered: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    """The known part, a lower bound while ``calls_of_unknown_cost`` is not zero; ``None`` when nothing is known."""
    calls_of_unknown_cost: int


class LedgerReader(LedgerConnection):
    """The results and calls in the ledger behind ``url``."""

    async def result(self, deliberation_id: str) -> JsonValue:
        """Return the protocol's result; ``None`` without such a deliberation."""
        wanted = select(DELIBERATIONS.c.result).where(DELIBERATIONS.c.id == deliberation_id)
        found: JsonValue = next((json.loads(unpacked(row.result)) for row in await self._store.rows(wanted)), None)
        return found

    async def calls(self, deliberation_id: str) -> tuple[CallLogRow, ...]:
        """Return every call of a deliberation, also of a running one, by round and time of record."""
        wanted = select(CALLS).where(CALLS.c.deliberation_id == deliberation_id)
        in_order = wanted.order_by(CALLS.c.round, CALLS.c.recorded_at, CALLS.c.call_id)
        return tuple(CallLogRow.model_validate(row, from_attributes=True) for row in await self._store.rows(in_order))

    async def totals(self, deliberation_id: str | None = None) -> tuple[ModelTotal, ...]:
        """Return the totals per model, over one deliberation or the whole ledger."""
        wanted = _TOTALS if deliberation_id is None else _TOTALS.where(CALLS.c.deliberation_id == deliberation_id)
        return tuple(ModelTotal.model_validate(row, from_attributes=True) for row in await self._store.rows(wanted))

    async def consensus_stats(self, *, rehearsal: bool) -> ConsensusStats:
        """Return conversations per day, average rounds and votes, over all consensuses or their rehearsals."""
        apart = {"rehearsal": rehearsal}
        (average,) = await self._store.rows(AVERAGE_ROUNDS, apart)
        counts = {
            "daily_conversations": await self._store.rows(DAILY_CONVERSATIONS, apart),
            "average_rounds": average.avg_rounds_needed,
            "voting_patterns": await self._store.rows(VOTING_PATTERNS, apart),
        }
        return ConsensusStats.model_validate(counts, from_attributes=True)

    async def patterns(
        self,
        *,
        rehearsal: bool = False,
        pattern_type: str | None = None,
        min_agreement: float = 0.0,
        attack_id: str | None = None,
        limit: int = 50,
    ) -> tuple[PatternEntry, ...]:
        """Return the patterns of fire circles or their rehearsals: the newest circle first, in its ranking."""
        wanted = select(PATTERNS).where(PATTERNS.c.rehearsal == rehearsal, PATTERNS.c.agreement >= min_agreement)
        wanted = wanted if pattern_type is None else wanted.where(PATTERNS.c.subcategory == pattern_type)
        wanted = wanted if attack_id is None else wanted.where(PATTERNS.c.attack_id == attack_id)
        newest = (PATTERNS.c.recorded_at.desc(), PATTERNS.c.deliberation_id, PATTERNS.c.number)
        found = await self._store.rows(wanted.order_by(*newest).limit(limit))
        return tuple(PatternEntry.of(row) for row in found)


_TOTALS = (
    select(
        CALLS.c.model,
        CALLS.c.rehearsal,
        func.count().label("calls"),
        func.sum(case((CALLS.c.outcome == "answered", 1), else_=0)).label("answered"),
        func.coalesce(func.sum(CALLS.c.prompt_tokens), 0).label("prompt_tokens"),
        func.coalesce(func.sum(CALLS.c.completion_tokens), 0).label("completion_tokens"),
        func.sum(CALLS.c.cost_usd).label("cost_usd"),
        func.sum(case((CALLS.c.cost_usd.is_(None), 1), else_=0)).label("calls_of_unknown_cost"),
    )
    .group_by(CALLS.c.model, CALLS.c.rehearsal)
    .order_by(CALLS.c.model, CALLS.c.rehearsal)
)
