"""Queries of the ledger of studies: single results, and the progress of a study.

``async with StudyReader(url) as books`` opens the ledger read-only, whether anything runs or not.
"""

from collections import Counter
from collections.abc import AsyncIterator, Collection, Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, JsonValue
from sqlalchemy import Row, func, select

from ledger.connection import LedgerConnection
from ledger.store_errors import StoreError
from ledger.studies import queries
from ledger.studies.records import RejectedRow
from ledger.studies.results import ResultRow
from ledger.studies.settings import SavedSettings
from ledger.study_tables import INSTANCES, MISSING_INSTANCES, REJECTED_ROWS, STUDIES, STUDY_ROWS
from ledger.tables import CALLS, DELIBERATIONS
from protocols.flaws import total
from protocols.model_call import FrozenModel, Spending
from protocols.study.model import Amount, ArmUse, Counts, MissingInstance, RunSettings, sum_amounts
from protocols.study.scheduled import fired_at

__all__ = ["KnownStudy", "Progress", "StoreError", "StudyReader"]

_PAGE = 500
_PAGE_WHOLE = 25
"""Lines at a time, without and with the results."""

_SUMMED = ("calls", "calls_of_unknown_cost", "calls_of_unknown_tokens")


class KnownStudy(FrozenModel):
    """A study in the ledger."""

    name: str
    fingerprint: str
    content: dict[str, JsonValue]
    about: dict[str, JsonValue] = Field(default_factory=dict)
    """Its title and the name of its dataset."""
    rehearsal: bool
    created_at: datetime
    arms: tuple[str, ...]
    """By name, in the order in which an instance of each begins."""
    rows: int = Field(ge=0)
    instances: int = Field(ge=0)
    rejected: int = Field(ge=0)
    """Lines of the dataset that could not be used."""
    terms: RunSettings
    """In force now, or from the next start on."""


class Progress(FrozenModel):
    """The number of instances of a study by state; each counts once."""

    total: int = Field(ge=0)
    completed: int = Field(ge=0)
    """Ended with a verdict."""
    failed: int = Field(ge=0)
    """Ended without a result, and was not cancelled; a line gives the reason."""
    missing: int = Field(ge=0)
    """Ended without a line of their own."""

    @property
    def open(self) -> int:
        """Return the instances that have not ended or run again, cancelled ones among them."""
        return self.total - self.completed - self.failed - self.missing


class LossReason(FrozenModel):
    """A reason for lost calls in deliberations without a verdict."""

    error_type: str
    calls: int
    message: str
    """Of one of them."""


class StudyReader(LedgerConnection):
    """The studies in the ledger behind ``url``; a batch of those in ``running`` has not ended."""

    def __init__(self, url: str, running: Collection[str] = ()) -> None:
        super().__init__(url)
        self._running = running

    async def studies(self) -> tuple[KnownStudy, ...]:
        """Return every study, the newest first."""
        rows = await self._store.rows(select(STUDIES).order_by(STUDIES.c.created_at.desc(), STUDIES.c.name))
        return tuple([await self._known(row) for row in rows])

    async def known(self, study: str) -> KnownStudy | None:
        """Return the study of that name, or ``None`` without one."""
        rows = await self._store.rows(select(STUDIES).where(STUDIES.c.name == study))
        return await self._known(rows[0]) if rows else None

    async def results(self, study: str, *, whole: bool = False) -> AsyncIterator[ResultRow]:
        """Yield every completed instance page by page, by number; ``whole`` includes the protocols' results."""
        size, after, again = (_PAGE_WHOLE if whole else _PAGE), -1, await self.to_repeat(study)
        while page := await self._store.rows(queries.results_page(study, again, after=after, size=size, whole=whole)):
            for row in page:
                yield queries.one_row(row)
            after = page[-1].number

    async def to_repeat(self, study: str) -> frozenset[int]:
        """Return what ended and is open: for want of credit, a key or settings, or in a running batch for an outage."""
        is_running = study in self._running
        rows = await self._store.rows(queries.troubled_query(study, is_running=is_running))
        return frozenset(row.number for row in rows if queries.is_repeated(row, is_running=is_running))

    async def missing(self, study: str) -> tuple[ResultRow, ...]:
        """Yield every instance without a result, by number: missing or not ended."""
        rows = await self._store.rows(queries.missing_rows(study, await self.to_repeat(study)))
        return tuple(map(queries.missing_row, rows))

    async def every(self, study: str, *, whole: bool = False) -> AsyncIterator[ResultRow]:
        """Yield every instance once: the completed ones by number, then those that were ``missing`` at the start."""
        missing = {row.number: row for row in await self.missing(study)}
        async for row in self.results(study, whole=whole):
            missing.pop(row.number, None)  # it ended while they were read
            yield row
        for row in missing.values():
            yield row

    async def result(self, deliberation_id: str, *, whole: bool = False) -> ResultRow | None:
        """Return one deliberation, of a study or alone; ``None`` if it has not ended or does not exist."""
        rows = await self._store.rows(queries.ended_rows(whole=whole).where(DELIBERATIONS.c.id == deliberation_id))
        return queries.one_row(rows[0]) if rows else None

    async def gaps(self, ids: Collection[str]) -> dict[str, dict[str, Any]]:
        """Return the gaps in the tokens and costs of these deliberations, by their last run."""
        return {row.run_id: row._asdict() for row in await self._store.rows(queries.gaps_of(ids))}

    async def follow_ups(self, deliberation_id: str) -> tuple[str, ...]:
        """Return the ids of the ended deliberations that continue this one, the oldest first."""
        wanted = select(DELIBERATIONS.c.id).where(DELIBERATIONS.c.continues == deliberation_id)
        return tuple(row.id for row in await self._store.rows(wanted.order_by(DELIBERATIONS.c.started_at)))

    async def deliberations(self, *, limit: int) -> tuple[ResultRow, ...]:
        """Return the deliberations that ended, of studies or alone, the newest first."""
        wanted = queries.ended_rows().order_by(DELIBERATIONS.c.started_at.desc(), DELIBERATIONS.c.id)
        return tuple(map(queries.one_row, await self._store.rows(wanted.limit(limit))))

    async def progress(self, *studies: str) -> Progress:
        """Count the instances of ``studies`` by state."""
        ends = Counter[str]()
        for study in studies:
            rows = await self._store.rows(queries.end_counts(study, await self.to_repeat(study)))
            ends.update({row.outcome: row.instances for row in rows})
        return Progress(total=ends.total(), completed=ends["completed"], failed=ends["failed"], missing=ends["missing"])

    async def numbers(self, study: str, *ends: Literal["failed", "missing", "open"]) -> tuple[int, ...]:
        """Return the instances with these ends, in order; open ones have not ended or run again."""
        wanted = {*ends, "cancelled"} if "open" in ends else ends
        return tuple(row.number for row in await self._ends(study) if row.outcome in wanted)

    async def deliberation_ids(self, study: str) -> frozenset[str]:
        """Return the ids of all instances of the study."""
        wanted = select(INSTANCES.c.deliberation_id).where(INSTANCES.c.study == study)
        return frozenset(row.deliberation_id for row in await self._store.rows(wanted))

    async def spent(self, study: str) -> Spending:
        """Return the spending of all calls of the study, also of those that were given up and have no line."""
        (row,) = await self._store.rows(queries.spending(study))
        ends = await self._ends(study)
        # One that was answered after all has a line.
        more = ((one.calls - one.lines, one.calls_of_unknown_cost - one.unpriced_lines) for one in ends if one.calls)
        given_up = sum(max(0, min(both)) for both in more)
        changed = {name: getattr(row, name) + given_up for name in ("calls", "calls_of_unknown_cost")}
        return Spending.model_validate({**row._asdict(), **changed, "usd": round(row.usd, queries.DECIMALS)})

    async def charged(self, study: str, *, again: Collection[int] = ()) -> Amount:
        """Return what counts against the budget of the study, before the numbers ``again`` run; see ``charges``."""
        rows = await self._store.rows(queries.charges_query(study))
        return sum_amounts(*queries.charges(rows, again=frozenset(again)).values())

    async def tally(self, study: str, *, excluding: Collection[int] = ()) -> Counts:
        """Count the ended instances by outcome, without the numbers ``excluding``."""
        left_out = frozenset(excluding)
        rows = [row for row in await self._ends(study) if row.number not in left_out]
        ends = Counter(row.outcome for row in rows)
        lines = [row for row in rows if row.outcome in {"completed", "failed"}]
        usd = round(sum(row.cost_usd or 0.0 for row in lines), queries.DECIMALS)
        return Counts(
            completed=ends["completed"],
            failed=ends["failed"],
            missing=ends["missing"],
            cancelled=ends["cancelled"],
            degraded=sum(row.outcome == "completed" and bool(row.degraded) for row in rows),
            flaws=total(row.flaws or {} for row in lines),
            **{name: sum(getattr(row, name) for row in lines) for name in _SUMMED},
            used=Amount(usd=usd, tokens=sum(row.prompt_tokens + row.completion_tokens for row in lines)),
        )

    async def learned(self, study: str) -> dict[str, ArmUse]:
        """Return plan and use of the completed deliberations of each arm."""
        return queries.arm_uses(await self._ends(study))

    async def rejected(self, study: str) -> tuple[RejectedRow, ...]:
        """Return the unusable lines of the dataset, in order."""
        wanted = select(REJECTED_ROWS).where(REJECTED_ROWS.c.study == study).order_by(REJECTED_ROWS.c.line)
        return tuple(RejectedRow(line=row.line, reason=row.reason) for row in await self._store.rows(wanted))

    async def losses(self, study: str) -> tuple[MissingInstance, ...]:
        """Return the instances that ended without a result, with their reason, in order."""
        wanted = select(MISSING_INSTANCES).where(MISSING_INSTANCES.c.study == study)
        rows = await self._store.rows(wanted.order_by(MISSING_INSTANCES.c.number))
        return tuple(MissingInstance.model_validate(row, from_attributes=True) for row in rows)

    async def why_failed(self, study: str, *, most: int = 3) -> tuple[LossReason, ...]:
        """Return the reasons for lost calls in failed deliberations, the most frequent first."""
        mine = INSTANCES.join(DELIBERATIONS, DELIBERATIONS.c.id == INSTANCES.c.deliberation_id)
        lost = mine.join(CALLS, CALLS.c.deliberation_id == INSTANCES.c.deliberation_id)
        count = func.count().label("calls")
        wanted = select(CALLS.c.error_type, count, func.max(CALLS.c.message).label("message")).select_from(lost)
        of_study = (INSTANCES.c.study == study, INSTANCES.c.number.not_in(await self.to_repeat(study)))
        ended = (*of_study, DELIBERATIONS.c.verdict.is_(None), CALLS.c.error_type.is_not(None))
        rows = await self._store.rows(
            wanted.where(*ended).group_by(CALLS.c.error_type).order_by(count.desc(), CALLS.c.error_type).limit(most)
        )
        return tuple(LossReason(error_type=row.error_type, calls=row.calls, message=row.message or "") for row in rows)

    async def row_texts(self, study: str) -> dict[str, tuple[str, str | None]]:
        """Return question and label of every row of the dataset, by row id."""
        wanted = select(STUDY_ROWS.c.row_id, STUDY_ROWS.c.question, STUDY_ROWS.c.expected)
        rows = await self._store.rows(wanted.where(STUDY_ROWS.c.study == study).order_by(STUDY_ROWS.c.number))
        return {row.row_id: (row.question, row.expected) for row in rows}

    async def firings(self, schedule: str) -> tuple[str, ...]:
        """Return the studies that ``schedule`` started, the first one first."""
        wanted = select(STUDIES.c.name).where(STUDIES.c.name.startswith(f"{schedule}-", autoescape=True))
        names = [row.name for row in await self._store.rows(wanted.order_by(STUDIES.c.name))]
        return tuple(name for name in names if fired_at(schedule, name) is not None)

    async def _ends(self, study: str) -> Sequence[Row[Any]]:
        return await self._store.rows(queries.ends_of(study, await self.to_repeat(study)))

    async def _known(self, row: Row[Any]) -> KnownStudy:
        (counts,) = await self._store.rows(queries.counts_of(row.name))
        arms = await self._store.rows(queries.arms_of(row.name))
        values = {
            **row._asdict(),
            **counts._asdict(),
            "about": row.about or {},
            "arms": [arm.arm for arm in arms],
            "terms": RunSettings() if row.terms is None else SavedSettings.model_validate(row.terms).now,
        }
        return KnownStudy.model_validate(values)
