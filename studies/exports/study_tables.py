"""The tables of a study as Arrow tables, for Python."""

from collections.abc import Sequence
from typing import Any

from temporalio.client import Client

from ledger.studies.exports import ExportReader
from parley.errors import RequestError, require
from parley.ids import looked_up_id
from protocols.constraints import quoted
from runtime.settings import Settings, load_settings
from studies.exports.columns import TABLES, TableName
from studies.exports.files import AT_ONCE, arrow_table, batches, schema_of
from studies.exports.rows import table_rows
from studies.runs.status import running_studies


class StudyTables:
    """The tables of a study, or of one deliberation, from the ledger; ``running_studies`` says when a server is asked.

    Each method returns a ``pyarrow.Table`` with the columns of ``docs/data.md``; ``.to_pandas()`` makes a data frame.

    Args:
        name: The study, or the id of a deliberation that has ended.
        settings: Of the installation; by default those of the environment.
        client: Connected to its server; by default one is reached, or started, when it must be asked.

    Where scores are, ``score`` names the scorer or scorers whose scores are wanted; by default all.

    Raises:
        RequestError: from every method, when the ledger has neither, or not that scorer.
        StoreError: from every method, when the ledger cannot be read.
    """

    def __init__(self, name: str, settings: Settings | None = None, client: Client | None = None) -> None:
        self.name = looked_up_id(name)
        require(settings, Settings | None, "settings are Settings(), or are left out")
        require(client, Client | None, "a client is that of Parley.connect(), or is left out")
        self._settings, self._client = settings or load_settings(), client

    async def deliberations(self, *, score: str | Sequence[str] = ()) -> Any:
        """Return one row for each deliberation."""
        return await self.table("deliberations", score=score)

    async def calls(self) -> Any:
        """Return one row for each call, with prompt and reply."""
        return await self.table("calls")

    async def scores(self, *, score: str | Sequence[str] = ()) -> Any:
        """Return one row for each score."""
        return await self.table("scores", score=score)

    async def pairs(self, *, score: str | Sequence[str] = ()) -> Any:
        """Return one row for each pair that was judged."""
        return await self.table("pairs", score=score)

    async def table(self, table: TableName, *, score: str | Sequence[str] = ()) -> Any:
        """Return the table of that name, one of those in ``docs/data.md``."""
        import pyarrow as pa  # noqa: PLC0415 - a large library, and a client that starts studies has no use for it

        if table not in tuple(TABLES):
            raise RequestError(f"there is no table {quoted(table)}; known are {', '.join(TABLES)}")
        require(score, Sequence, "score is the name of a scorer, or a list of names")
        columns, scorers = TABLES[table].columns, (score,) if isinstance(score, str) else score
        running = await running_studies(self._settings, self.name, client=self._client)
        async with ExportReader(self._settings.database_url, running) as reader:
            rows = table_rows(reader, self.name, table, scorers)
            parts = [arrow_table(some, columns) async for some in batches(rows, AT_ONCE)]
        return pa.concat_tables([schema_of(columns).empty_table(), *parts])
