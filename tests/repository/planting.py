"""Plant violations into a copy of the packages and lint it after each, in one process.

The program runs in the folder of the copy. It reads a list of pairs (file, line to plant) as JSON and writes the exit
code and the output of the linter, first of the unchanged copy, then for each pair. One process for each pair would
take three times as long, most of it to load the linter.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path

from importlinter.cli import lint_imports


@contextmanager
def planted(place: str, line: str) -> Iterator[None]:
    """Append ``line`` to the file ``place``, which is created if it is missing, and undo that at the end."""
    path = Path(place)
    before = path.read_text("utf-8") if path.exists() else None
    path.write_text(f"{before or ''}\n{line}\n", "utf-8")
    yield
    if before is None:
        path.unlink()
    else:
        path.write_text(before, "utf-8")


def linted() -> tuple[int, str]:
    """Return the exit code of the linter and its output."""
    output = StringIO()
    with redirect_stdout(output):
        code = lint_imports(cache_dir="cache", no_logo=True)
    return code, " ".join(output.getvalue().split())


if __name__ == "__main__":
    found = [linted()]
    for one, text in json.load(sys.stdin):
        with planted(one, text):
            found.append(linted())
    json.dump(found, sys.stdout)
