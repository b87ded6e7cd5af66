"""Exports of results that are in no ledger, and how other programs read them."""

import io
from collections.abc import AsyncIterator, Sequence
from typing import Any

from ledger.studies.results import ResultRow
from studies.comparison.scoring import LabelRule
from studies.exports.columns import TableName
from studies.exports.files import Format, export
from studies.exports.rows import Page, rows_of


async def exported(
    rows: Sequence[ResultRow],
    kind: Format,
    table: TableName = "deliberations",
    rule: LabelRule | None = None,
    **beside: Any,
) -> bytes:
    """What an export of ``rows`` writes; ``beside`` are scores and calls by deliberation."""

    async def each() -> AsyncIterator[dict[str, Any]]:
        for one in rows_of(Page(rows, rule, **beside), table):
            yield one

    to = io.BytesIO()
    await export(each(), table, to, kind)
    return to.getvalue()
