"""The project's pages as the checks see them: links, commands, and paths that they name."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from tests.repository.sources import ROOT

PAGES = tuple(
    sorted(
        [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("*/*.md")]
    )
)

_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FOLDERS = (
    *("tests", "bench", "deploy", "docs", "starter", "report", "studies", "parley"),
    *("workflows", "activities", "ledger", "protocols", "runtime", "rehearsal"),
)
_PATH = re.compile(rf"(?<![\w/.-])((?:{'|'.join(_FOLDERS)})/[\w/.-]*\w\.(?:py|toml|yaml|md|csv))\b")
_MODULE = re.compile(r"python -m ((?:bench|tests)[\w.]+)")
_START = re.compile(r"^(?:\$ )?(?:\w+=\S+ )*(?:\.venv/bin/|docker compose (?:run|exec) .*?)?parley (?P<rest>.*)$")


def prose(page: Path) -> str:
    """Return the page without its fenced blocks."""
    return _FENCE.sub("", page.read_text("utf-8"))


def links(page: Path) -> list[str]:
    """Return every link to a file or heading of the project."""
    return [link for link in _LINK.findall(prose(page)) if "://" not in link]


def anchors(page: Path) -> set[str]:
    """Return the anchors of the page's headings, as a forge makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def paths(page: Path) -> set[str]:
    """Return every file of the project that the page names, as a path or as a module to run."""
    text = page.read_text("utf-8")
    modules = {f"{name.replace('.', '/')}" for name in _MODULE.findall(text)}
    return {*_PATH.findall(text), *(f"{m}.py" if (ROOT / f"{m}.py").exists() else m for m in modules)}


def commands(page: Path) -> Iterator[list[str]]:
    """Yield every ``parley …`` of the page as its words, from fenced blocks and from the text."""
    text = page.read_text("utf-8")
    blocks = [block.replace("\\\n", " ") for block in _FENCE.findall(text)]
    lines = [line for block in blocks for line in re.sub(r"\n {10,}", " ", block).splitlines()]
    indented = re.findall(r"^ {4,}(.+)$", prose(page), re.MULTILINE)
    for line in (*lines, *indented, *_INLINE.findall(prose(page))):
        if found := _START.match(line.strip()):
            yield _words(found["rest"])


def _words(rest: str) -> list[str]:
    plain = re.sub(r"\s{3,}.*| #.*", "", rest)
    try:
        return shlex.split(plain)
    except ValueError:
        return plain.split()
