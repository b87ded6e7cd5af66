"""Scores of finished deliberations, and the studies in which models gave them."""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, JsonValue
from sqlalchemy import Connection, Row, delete, select

from ledger.connection import LedgerConnection
from ledger.store import Store
from ledger.study_tables import GRADINGS, INSTANCES, SCORES
from ledger.tables import storable_json
from protocols.model_call import FrozenModel

Outcome = Literal["scored", "unanswered", "unread", "unlabelled", "failed"]
"""``unanswered``: the deliberation has no verdict, or no answer was read in it. ``unread``: the grader's reply has no
score. ``unlabelled``: nothing is known to compare with. ``failed``: the function or the grading ended with an error."""

UNPRICED = "calls_of_unknown_cost"
"""In the details of a score: the calls of its grader whose cost is not known, where there are any."""
_CHUNK = 500
"""Numbers in one statement."""


class Score(FrozenModel):
    """The result of one scorer for one deliberation, or for two of the same row."""

    scorer: str
    deliberation_id: str
    other_id: str = ""
    """The deliberation it was compared with; blank where a scorer looks at one alone."""
    outcome: Outcome
    value: float | None = None
    """``None`` unless it was scored. 1 is right and 0 wrong where ``correct`` is set; of a comparison 1 is better than
    the other, 0 worse, 0.5 a tie."""
    label: str | None = None
    """The answer or the class that was read."""
    correct: bool | None = None
    """``None``: the scorer does not say right or wrong."""
    reason: str = Field(default="", max_length=500)
    """Why there is no value."""
    details: dict[str, JsonValue] = Field(default_factory=dict)
    kind: str
    fingerprint: str
    """SHA-256 of the scorer, 64 hex digits: what it is and what it was given."""
    version: str
    """The version of Parley that scored."""
    prompts: str = ""
    """``version@fingerprint`` of the prompt pack of the grader; blank without one."""
    cost_usd: float | None = 0.0
    """The known part in US dollars; ``None`` when nothing is known. A score without calls costs nothing."""
    tokens: int = Field(default=0, ge=0)
    calls: int = Field(default=0, ge=0)
    rehearsal: bool = False
    """Scripted models graded: this measures the machinery, not the answers."""
    recorded_at: datetime | None = None
    """When it was written; set by the ledger."""


class Grading(FrozenModel):
    """A study in which models grade the deliberations of another one."""

    grading: str
    """The name of this study."""
    study: str
    """The study whose deliberations are graded."""
    scorer: str
    fingerprint: str
    """SHA-256 of what is asked of the graders, 64 hex digits."""


class ScoreReader(LedgerConnection):
    """The scores in the ledger behind ``url``."""

    async def scores(self, study: str, scorer: str | None = None) -> tuple[Score, ...]:
        """Return the scores of ``study``, all or those of one scorer, in a fixed order."""
        wanted = select(SCORES).where(SCORES.c.study == study)
        wanted = wanted if scorer is None else wanted.where(SCORES.c.scorer == scorer)
        places = (SCORES.c.scorer, SCORES.c.deliberation_id, SCORES.c.other_id)
        return tuple(map(score_of_row, await self._store.rows(wanted.order_by(*places))))

    async def scorers(self, study: str) -> tuple[str, ...]:
        """Return the names of the scorers that have scored ``study``."""
        wanted = select(SCORES.c.scorer).where(SCORES.c.study == study).distinct().order_by(SCORES.c.scorer)
        return tuple(row.scorer for row in await self._store.rows(wanted))

    async def gradings(self, study: str, scorer: str) -> tuple[Grading, ...]:
        """Return the studies in which ``scorer`` graded ``study``, the first one first."""
        wanted = select(GRADINGS).where(GRADINGS.c.study == study, GRADINGS.c.scorer == scorer)
        rows = await self._store.rows(wanted.order_by(GRADINGS.c.recorded_at, GRADINGS.c.grading))
        return tuple(Grading.model_validate(row, from_attributes=True) for row in rows)


async def write_scores(store: Store, study: str, scores: Sequence[Score], *, replaces: Collection[str] = ()) -> None:
    """Write ``scores`` in one transaction, in place of those of the same scorer and deliberation.

    All earlier scores of the scorers named in ``replaces`` are removed.
    """

    def write(connection: Connection) -> None:
        for scorer in replaces:
            connection.execute(delete(SCORES).where(SCORES.c.study == study, SCORES.c.scorer == scorer))
        if lines:
            connection.execute(store.replacement(SCORES), lines)

    lines = [_line(study, one) for one in scores]
    await store.transaction(write)


async def remove_scores(store: Store, study: str, numbers: Sequence[int]) -> None:
    """Remove every score of the instances of ``study`` with these numbers, alone or beside another one."""

    def write(connection: Connection) -> None:
        for start in range(0, len(numbers), _CHUNK):
            of_these = INSTANCES.c.study == study, INSTANCES.c.number.in_(numbers[start : start + _CHUNK])
            ids = select(INSTANCES.c.deliberation_id).where(*of_these)
            either = SCORES.c.deliberation_id.in_(ids) | SCORES.c.other_id.in_(ids)
            connection.execute(delete(SCORES).where(SCORES.c.study == study, either))

    await store.transaction(write)


async def save_grading(store: Store, grading: Grading) -> None:
    """Save which study a grading belongs to; a repeated call changes nothing."""
    await store.change(store.insert(GRADINGS).on_conflict_do_nothing(), grading.model_dump())


def score_of_row(row: Row[Any]) -> Score:
    """Convert ``row`` of the table of scores to a score."""
    values = {name: getattr(row, name) for name in Score.model_fields}
    return Score.model_validate(values | {"details": row.details or {}})


def count_outcomes(scores: Sequence[Score]) -> dict[Outcome, int]:
    """Count ``scores`` by outcome, without those that did not occur."""
    return dict(Counter(one.outcome for one in scores))


def _line(study: str, score: Score) -> dict[str, Any]:
    values = score.model_dump(exclude={"recorded_at", "details"})
    return values | {"study": study, "details": storable_json(score.details) or None}
