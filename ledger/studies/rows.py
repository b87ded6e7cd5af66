"""The rows of the datasets of studies, and the firings of schedules."""

from sqlalchemy import select

from ledger.connection import LedgerConnection
from ledger.study_tables import STUDIES, STUDY_ROWS
from protocols.study.scheduled import fired_at


class RowReader(LedgerConnection):
    """The rows and firings in the ledger behind ``url``."""

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
