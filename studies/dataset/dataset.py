"""The file with a study's questions: its format, its columns, and its records in a span."""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from parley.errors import RequestError
from studies.dataset.csv_lines import CSV_LINES
from studies.dataset.json_files import JSON_FILE, JSON_LINES
from studies.dataset.parquet import PARQUET
from studies.dataset.records import Layout, Reader, Record
from studies.dataset.workbook import WORKBOOK

Format = Literal["jsonl", "json", "csv", "parquet", "xlsx"]

_READERS: Mapping[Format, Reader] = {
    "jsonl": JSON_LINES,
    "json": JSON_FILE,
    "csv": CSV_LINES,
    "parquet": PARQUET,
    "xlsx": WORKBOOK,
}
_SUFFIXES: Mapping[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
}
_OLD = {".xls", ".ods", ".numbers"}
"""Tables of programs that save them in a format that is read."""


class Dataset(NamedTuple):
    """An existing file of a known format."""

    path: Path
    format: Format
    layout: Layout = Layout()

    @classmethod
    def at(cls, path: Path, said: Format | None = None, layout: Layout = Layout()) -> "Dataset":  # noqa: B008 - a value that never changes
        """Return the dataset at ``path``, in the given format or the one of its suffix.

        Raises:
            RequestError: there is no such file, or its name does not say its format.
        """
        found = said or _SUFFIXES.get(path.suffix.lower())
        if found is None and path.suffix.lower() in _OLD:
            raise RequestError(f"{str(path)!r}: {path.suffix} is not read; save it as .xlsx or as CSV in UTF-8")
        if found is None:
            raise RequestError(
                f"{str(path)!r}: the format of the dataset is not to be seen from its name. Name it "
                f"{', '.join(_SUFFIXES)}, or set dataset.format: {', '.join(_READERS)}"
            )
        if path.is_dir():
            raise RequestError(f"the dataset {str(path)!r} is a directory; name the file in it")
        if not path.is_file():
            raise RequestError(f"there is no dataset {str(path)!r}; a path in a study file begins in its folder")
        return cls(path, found, layout)

    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns.

        Raises:
            RequestError: it cannot be read.
        """
        try:
            return _READERS[self.format].columns(self.path, self.layout)
        except OSError as error:
            raise self._unreadable(error) from None

    def records(self, wanted: Collection[str], span: tuple[int, int | None]) -> Iterator[Record]:
        """Yield the records from the first to the last number of ``span``, both included; ``None`` is the end.

        Raises:
            RequestError: it cannot be read any further.
        """
        first, last = span
        try:
            yield from islice(_READERS[self.format].records(self.path, self.layout, wanted), first - 1, last)
        except OSError as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: OSError) -> RequestError:
        return RequestError(f"the dataset {str(self.path)!r} cannot be read: {error.strerror or error}")
