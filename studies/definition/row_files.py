"""Files that a dataset attaches to its questions, row by row."""

from pathlib import Path

from parley.attached import AttachedFile, file_below, files_of
from studies.dataset.cells import structured


def row_files(folder: Path, cell: str) -> tuple[AttachedFile, ...]:
    """Return the files in ``cell``: a path, a list of paths in JSON, or none where it is blank.

    A dataset may come from others, so every path must lead to a file below ``folder``, links resolved.

    Raises:
        RequestError: a path leads out of the folder, or the file cannot be attached.
    """
    listed = structured(cell)
    paths = listed if isinstance(listed, list) else [cell.strip()] if cell.strip() else []
    files: tuple[AttachedFile, ...] = files_of([file_below(folder, path) for path in paths])
    return files
