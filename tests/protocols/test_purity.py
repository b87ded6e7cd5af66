"""The protocols: what it may import, and what the __init__ of a protocol package may hold."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PROTOCOLS = Path(__file__).parents[2] / "protocols"
FILES = sorted(PROTOCOLS.rglob("*.py"))
ALLOWED = {
    *("typing", "collections", "enum", "re", "json", "math", "statistics", "functools", "itertools", "dataclasses"),
    *(
        "difflib",
        "hashlib",
        "string",
        "html",
        "unicodedata",
        "base64",
        "decimal",
        "datetime",
        "pydantic",
        "pydantic_core",
        "protocols",
    ),
}
CLOCK = re.compile(r"\b(?:datetime|date)\.(?:now|utcnow|today)$")
"""Of ``datetime`` values may be used, and these may not: they read a clock."""
PARSERS = {
    PROTOCOLS / "json_in_text.py": {"json_repair"},
    PROTOCOLS / "markdown_text.py": {"markdown_it"},
    PROTOCOLS / "prompt_pack.py": {"zlib"},
    PROTOCOLS / "reply_reader.py": {"importlib"},
    PROTOCOLS / "secret_text.py": {"urllib"},
    PROTOCOLS / "text_dictionary.py": {"importlib"},
    PROTOCOLS / "text_files.py": {"importlib", "tomllib"},
}
"""The files that may import more: JSON is mended for readers, which activities call; Markdown is only shown; the
readers of a protocol are imported when a reply is read; a key is looked for as an address would escape it; templates,
word lists and the dictionary of short texts are read from their files when their module is imported; the templates of
an input are compressed.

No command of a workflow follows from either, so a later version of the library changes no history."""


def imported(source: str) -> Iterator[str]:
    """The first word of every module that ``source`` imports, wherever the statement is."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0] if not node.level else "a relative import"


def clocks_read(source: str) -> set[str]:
    """The ways in which ``source`` reads a clock."""
    named = (ast.unparse(node) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute))
    return {one for one in named if CLOCK.search(one)}


def is_sign(source: str) -> bool:
    """Whether ``source`` is a docstring and nothing else."""
    body = ast.parse(source).body
    return len(body) == 1 and ast.get_docstring(ast.parse(source)) is not None


def name(path: Path) -> str:
    """The path of a file as a test shows it."""
    return str(path.relative_to(PROTOCOLS.parent))


def test_a_protocol_imports_only_value_modules() -> None:
    """A file of this package imports no clock, draws, disk, network, log or Temporal."""
    beyond = {name(path): set(imported(path.read_text("utf-8"))) - ALLOWED - PARSERS.get(path, set()) for path in FILES}
    assert {} == {path: modules for path, modules in beyond.items() if modules}


def test_a_protocol_reads_no_clock() -> None:
    """Moments are values that come from outside."""
    assert [] == [name(path) for path in FILES if clocks_read(path.read_text("utf-8"))]


@pytest.mark.parametrize("source", ["datetime.now(UTC)", "import datetime\ndatetime.date.today()"])
def test_a_clock_is_seen(source: str) -> None:
    """The check itself notices a clock that is read."""
    assert 1 == len(clocks_read(source))


@pytest.mark.parametrize("path", [p for p in FILES if p.name == "__init__.py"], ids=name)
def test_the_init_of_a_space_holds_only_its_sign(path: Path) -> None:
    """An ``__init__`` is a docstring without code."""
    assert is_sign(path.read_text("utf-8"))


@pytest.mark.parametrize(
    "source",
    [
        "import random",
        "import json_repair",
        "def f():\n    from time import time",
        "from . import secret",
        "import os.path as p, re",
    ],
)
def test_a_forbidden_import_is_seen_wherever_it_stands(source: str) -> None:
    """The check itself notices what it is there to notice."""
    assert not set(imported(source)) <= ALLOWED


@pytest.mark.parametrize("source", ["", '"""Sign."""\nX = 1', "X = 1"])
def test_a_init_with_code_is_seen(source: str) -> None:
    """The check itself notices an __init__ with code."""
    assert not is_sign(source)
