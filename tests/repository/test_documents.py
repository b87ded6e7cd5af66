import re
from pathlib import Path

import click
import pytest

from starter.cli import parley
from tests.repository.documents import PAGES, anchors, commands, links, paths
from tests.repository.sources import ROOT, listed, shown

README_LINES, GLOSSARY_TERMS, DECISION_LINES = 200, 60, 55


def option_names(command: click.Command) -> set[str]:
    """Every spelling of every option that the command takes."""
    return {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {"--help", "-h"}


def unknown(words: list[str], group: click.Command = parley) -> str | None:
    """The first word that the command line does not know, if there is one."""
    context = click.Context(group)
    while isinstance(group, click.Group) and words and re.fullmatch(r"[a-z][a-z-]*", words[0]):
        command = group.get_command(context, words[0])
        if command is None:
            return words[0]
        group, words = command, words[1:]
    named = {name for word in words for name in re.findall(r"--[a-z][a-z-]*", word) if word.strip("[").startswith("--")}
    return next(iter(sorted(named - option_names(group))), None)


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_every_command_of_a_page_exists(page: Path) -> None:
    """Each ``parley`` command of the pages is one of the program's, with options that it takes."""
    found = [f"{shown(page)}: parley {' '.join(words)}: {word}" for words in commands(page) if (word := unknown(words))]

    assert not found, listed(found)


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    """Each link to a file, a picture or a heading of the project finds it."""
    found = []
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            found.append(f"{shown(page)}: {link}")

    assert not found, listed(found)


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    """Each test, benchmark and program that a page says reproduces a figure is there."""
    found = [f"{shown(page)}: {path}" for path in sorted(paths(page)) if not (ROOT / path).exists()]

    assert not found, listed(found)


def test_every_picture_is_shown_somewhere() -> None:
    """No picture is kept that no page shows."""
    shown_ones = {(page.parent / link).resolve() for page in PAGES for link in links(page)}
    found = [shown(path) for path in sorted((ROOT / "docs" / "images").iterdir()) if path not in shown_ones]

    assert not found, listed(found)


def test_every_decision_is_listed() -> None:
    """The index of the decisions names every file beside it."""
    folder = ROOT / "docs" / "decisions"
    listed_ones = set(links(folder / "README.md"))

    assert {path.name for path in folder.glob("[0-9]*.md")} == listed_ones


def test_pages_stay_short() -> None:
    """The README is a landing page, the glossary has the few words that need it, a decision is read in a minute."""
    terms = re.findall(r"^\| \*\*", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.MULTILINE)
    folder = ROOT / "docs" / "decisions"  # its index has a line for each of them
    decisions = {path.name: len(path.read_text("utf-8").splitlines()) for path in folder.glob("[0-9]*.md")}

    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= README_LINES
    assert len(terms) <= GLOSSARY_TERMS
    assert [name for name, lines in decisions.items() if lines > DECISION_LINES] == []


@pytest.mark.parametrize(
    "line", ["cuncil Why?", "batch begin", "council Why? --modles a", "fire-circle --user x --mode y"]
)
def test_an_unknown_command_is_seen(line: str) -> None:
    """The check itself notices a command, a command of a group, and an option that the program does not have."""
    assert unknown(line.split())


@pytest.mark.parametrize("line", ["council Why? --models a,b", "batch run study.toml --dry-run", "COMMAND --help"])
def test_a_known_command_is_accepted(line: str) -> None:
    """The check itself accepts what the program takes."""
    assert not unknown(line.split())
