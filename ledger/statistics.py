"""Statistics over all consensuses: the analytics queries of seed 004, "Database Tracking".

The queries are the seed's own, with three additions: real runs and rehearsals are counted apart, PostgreSQL needs
a name for the inner query, and the rows are ordered. Corrections are counted apart from objections, and so are
checks without a vote.
"""

from datetime import date

from sqlalchemy import Boolean, TextClause, bindparam, text

from protocols.model_call import FrozenModel


class DayCount(FrozenModel):
    """The number of conversations with a call on one day; one past midnight counts on both."""

    day: date
    """In UTC."""
    conversations: int


class VotingPattern(FrozenModel):
    """The votes of one model in the consensus checks."""

    model_id: str
    """The provider's name of it."""
    no_votes: int
    """It accepted: NO, the draft cannot be improved."""
    total_votes: int
    """All checks that it was asked for, those without an answer included."""
    corrections: int
    """YES with a corrected text."""
    objections: int
    """YES with remarks and without a text."""
    unread_votes: int
    """Answers that neither clearly accept nor clearly object, or that were cut off: neither NO nor YES."""
    lost_votes: int
    """Those without an answer."""


class ConsensusStats(FrozenModel):
    """The three counts, over real runs or over rehearsals."""

    daily_conversations: tuple[DayCount, ...]
    """The oldest day first."""
    average_rounds: float | None
    """Started rounds per conversation, with or without a consensus; ``None`` without conversations."""
    voting_patterns: tuple[VotingPattern, ...]
    """By model."""

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to count."""
        return not self.daily_conversations


def _counted(sql: str) -> TextClause:
    return text(sql).bindparams(bindparam("rehearsal", type_=Boolean))


DAILY_CONVERSATIONS = _counted("""\
SELECT DATE(datetime) as day, COUNT(DISTINCT consensus_id) as conversations
FROM consensus_iterations
WHERE rehearsal = :rehearsal
GROUP BY DATE(datetime)
ORDER BY day
""")

AVERAGE_ROUNDS = _counted("""\
SELECT AVG(max_rounds) as avg_rounds_needed
FROM (
  SELECT consensus_id, MAX(round_number) as max_rounds
  FROM consensus_iterations
  WHERE rehearsal = :rehearsal
  GROUP BY consensus_id
) as conversations
""")

VOTING_PATTERNS = _counted("""\
SELECT model_id,
       SUM(CASE WHEN flag = 1 THEN 1 ELSE 0 END) as no_votes,
       COUNT(*) as total_votes,
       SUM(CASE WHEN stance = 'correction' THEN 1 ELSE 0 END) as corrections,
       SUM(CASE WHEN stance = 'objection' THEN 1 ELSE 0 END) as objections,
       SUM(CASE WHEN opinion IS NULL AND outcome = 'answered' THEN 1 ELSE 0 END) as unread_votes,
       SUM(CASE WHEN outcome <> 'answered' THEN 1 ELSE 0 END) as lost_votes
FROM consensus_iterations
WHERE stage_name LIKE 'consensus_check_%' AND rehearsal = :rehearsal
GROUP BY model_id
ORDER BY model_id
""")
