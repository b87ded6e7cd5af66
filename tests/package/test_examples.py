"""Every Python example of a page is part of a file that a test runs."""

import re
import textwrap
from pathlib import Path

import pytest

from tests.repository.documents import PAGES
from tests.repository.sources import ROOT, listed, shown

BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = {path.name: path.read_text("utf-8") for path in (ROOT / "docs" / "examples").glob("*.py")}


def is_part(code: str, of: str) -> bool:
    """Whether every paragraph of ``code`` is in ``of``, at any depth of indentation."""
    paragraphs = re.split(r"\n{2,}", code.strip("\n"))
    return all(any(textwrap.indent(one, depth) in of for depth in ("", "    ")) for one in paragraphs)


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_every_python_example_is_part_of_a_file_that_runs(page: Path) -> None:
    """What a page shows in Python is in one of ``docs/examples``, which ``tests/e2e/test_examples.py`` runs."""
    blocks = [found["code"] for found in BLOCK.finditer(page.read_text("utf-8"))]
    found = [code for code in blocks if not any(is_part(code, of) for of in EXAMPLES.values())]

    assert not found, listed(found)


@pytest.mark.parametrize(
    ("code", "expected"),
    [("x = 1\nf(x)", True), ("x = 1\n\nf(x)", True), ("x = 1\ng(x)", False), ("f(x)\n\ng()", False)],
)
def test_an_example_that_differs_is_seen(code: str, expected: bool) -> None:
    """The check itself compares line by line, leaves out what is between paragraphs, and ignores the indentation."""
    assert is_part(code, "async def main():\n    x = 1\n    f(x)\n") is expected
