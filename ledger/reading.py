"""Queries of the ledger: results, statistics of consensuses, and patterns.

It reads the database itself and changes nothing, so it works when the server has forgotten a deliberation, is not
running, or is busy. ``async with LedgerReader(url) as ledger`` opens it, read-only.
"""

from pydantic import JsonValue
from sqlalchemy import select

from ledger.connection import LedgerConnection
from ledger.patterns import PatternEntry
from ledger.statistics import AVERAGE_ROUNDS, DAILY_CONVERSATIONS, VOTING_PATTERNS, ConsensusStats
from ledger.store import unpacked_json
from ledger.store_errors import StoreError
from ledger.tables import DELIBERATIONS, PATTERNS

__all__ = ["LedgerReader", "StoreError"]


class LedgerReader(LedgerConnection):
    """The results, statistics and patterns in the ledger behind ``url``."""

    async def result(self, deliberation_id: str) -> JsonValue:
        """Return the protocol's result; ``None`` without such a deliberation."""
        wanted = select(DELIBERATIONS.c.result).where(DELIBERATIONS.c.id == deliberation_id)
        found: JsonValue = next((unpacked_json(row.result) for row in await self._store.rows(wanted)), None)
        return found

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
