"""The rows of a dataset, one after the other, and those that cannot be used.

They are read twice: once to check every one of them before the study starts, and once to run them. So even of a
hundred thousand rows only ids stay in memory.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from ledger.studies.records import RejectedRow
from parley.errors import RequestError
from protocols.plurals import counted
from studies.dataset.dataset import Dataset
from studies.definition.column_mapping import ColumnMapping, StudyRow

Check = Callable[[StudyRow], str | None]
"""Why no arm can run a row as it is; ``None`` when all can."""

_SHOWN = 20


class RowSource(NamedTuple):
    """A dataset and how it is understood."""

    dataset: Dataset
    mapping: ColumnMapping
    span: tuple[int, int | None]

    def read(self, check: Check) -> Iterator[StudyRow | RejectedRow]:
        """Yield every record as a row with its own id, or as a rejected row."""
        lines: dict[str, int] = {}
        short: dict[str, int] = {}
        for record in self.dataset.records(self.mapping.wanted, self.span):
            row = self.mapping.row(record, len(lines))
            if isinstance(row, StudyRow) and (why := _taken(row, lines, short) or check(row)):
                row = RejectedRow(row.line, why)
            if isinstance(row, StudyRow):
                lines[row.row_id] = row.line
                if row.short_id != row.row_id:
                    short[row.short_id] = row.line
            yield row

    def again(self, rejected: Collection[int]) -> Iterator[StudyRow]:
        """Yield the rows of ``read`` again, without the rejected lines.

        Raises:
            RequestError: the dataset is another one by now.
        """
        number = 0
        for record in self.dataset.records(self.mapping.wanted, self.span):
            if record.line in rejected:
                continue
            row = self.mapping.row(record, number)
            if isinstance(row, RejectedRow):
                raise RequestError(changed_message(self.dataset))
            number += 1
            yield row


class RowDigest:
    """A hash of the rows of a dataset, independent of the file."""

    def __init__(self) -> None:
        self._sum = hashlib.sha256()
        self.rows = 0

    def add(self, row: StudyRow) -> None:
        """Count ``row`` in; its line does not matter, its place does."""
        session = [] if row.session is None else [row.session.model_dump(mode="json")]
        files = [[one.ref.name, one.ref.sha256] for one in row.files]
        turns = [list(row.turns)] if row.turns else []
        fields = [row.row_id, row.question, row.expected, row.extra, row.layers, *session, *files, *turns]
        self._sum.update(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode() + b"\n")
        self.rows += 1

    @property
    def sha256(self) -> str:
        """The hash of all rows so far, in hex digits."""
        return self._sum.hexdigest()


def changed_message(dataset: Dataset) -> str:
    """Return the message about a dataset that changed while it was read."""
    return f"the dataset {str(dataset.path)!r} changed while it was read; start again when nothing writes to it"


def rejected_message(dataset: Dataset, rejected: Collection[RejectedRow]) -> str:
    """Return the message about unusable lines: the first of them, and the number of others."""
    lines = [f"  line {one.line}: {one.reason}" for one in list(rejected)[:_SHOWN]]
    more = [f"  and {len(rejected) - _SHOWN:,} more"] if len(rejected) > _SHOWN else []
    said = f"{str(dataset.path)!r} has {counted(len(rejected), 'row')} that cannot be used:"
    return "\n".join([said, *lines, *more, "Correct them, or leave them out: --skip-bad, or skip_bad in [dataset]"])


def _taken(row: StudyRow, lines: dict[str, int], short: dict[str, int]) -> str | None:
    """Return why ``row`` cannot have its id; ``short`` has the short forms of ids before it."""
    clash = short.get(row.short_id) or (lines.get(row.short_id) if row.short_id != row.row_id else None)
    before = lines.get(row.row_id) or clash
    return None if before is None else f"the id {row.row_id!r} is that of line {before} too; give each row its own"
