"""Every command of the pages, run as it is written, on a real server with scripted models."""

import re
import shlex
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from starter.cli import parley
from tests.e2e.pages import PAGES, Block, Command, Done, Folder, blocks, commands, folder, missing
from tests.fakes.installation import installation
from tests.fakes.server import port_variables

NOT_RUN = {
    "README.md": ["it installs", "a real key"],
    "docs/tutorial.md": [
        "it installs",
        "an empty account",
        "pandas prints it",
        "real models",
        "a provider of your own",
    ],
    "docs/operating.md": [
        *("two installations", "it takes a namespace from an installation", "docker", "docker"),
        *("a provider of your own", "an answer with sources", "days", "docker", "bench.bad_night runs it", "docker"),
        *("a newer version", "a newer version"),
        *("an installation with keys", "it ends the encryption of an installation"),
    ],
    "docs/protocols.md": [
        "a debate must have stalled",
        "tests/e2e/test_debate_kills.py prints it",
        "tests/e2e/test_rewind.py prints it",
    ],
    "docs/screening.md": [],
    "docs/temporal.md": [],
}
"""The blocks of each page that are not run, by their reasons."""

FILES = {
    "bad.csv": "id,prompt,a,b,c,d,answer,subject\nx,Which?,1,2,3,4,A,x\nw,Which?,1,2,3,4,E,x\n"
    "x,Which?,1,2,3,4,B,x\ny,Which?,1,,3,4,C,x\n",
    "report.md": "Traffic in the centre fell by a tenth.\n",
    "minutes.txt": "The council met on Monday.\n",
}
"""Files that the pages take for granted."""


def steps(page: str) -> list[Block]:
    """Return the blocks of a page that are run or compared."""
    shown = [block for block in blocks(page) if block.kind in {"sh", "console", "text"} and not block.reason]
    return [block for block in shown if block.mark != "synopsis"]


def compared(place: Folder, command: Command, block: Block) -> tuple[Done, list[str]]:
    """Run one command, and return what differs from its exit code and from what the page shows of it."""
    done = place.run_patiently(command)
    is_refused = block.kind == "console" and re.search(r"^parley: ", command.printed, re.MULTILINE) is not None
    is_right = (done.code != 0) is is_refused
    if block.mark:
        is_right = done.code != 0 if block.code is None else done.code == block.code
    wrong = [f"did not print {line!r}" for line in missing(command.printed, done.printed)]
    return done, [*wrong, *([] if is_right else [f"ended with {done.code}"])]


def differences(page: str, place: Folder) -> list[str]:
    """Run all blocks of a page in their order, and return what is not as the page shows it."""
    for name, content in FILES.items():
        (place.path / name).write_text(content, "utf-8")
    printed, found = "", []
    for block in steps(page):
        if block.kind == "text":
            wrong = missing(block.text, printed)
            wrong = missing(block.text, place.printed_in_background(block.text)) if wrong else []
            found += [f"nothing printed {line!r}" for line in wrong]
            continue
        for command in commands(block):
            done, wrong = compared(place, command, block)
            printed += f"{done.printed}\n"
            found += [f"{command.line}\n  {'; '.join(wrong)}, but\n{done.printed}"] if wrong else []
    return found


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[dict[str, str]]:
    """A server, a worker and scripted models."""
    async with installation(tmp_path / "page" / ".parley") as found:
        yield {name: found.environment[name] for name in found.environment if name.startswith(("PARLEY_", "TEMPORAL_"))}


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", ["README.md", "docs/operating.md", "docs/protocols.md"])
def test_every_command_of_a_page_does_what_it_shows(page: str, served: dict[str, str], tmp_path: Path) -> None:
    """Each ends with the code that the page says, and prints the lines that the page shows."""
    with folder(tmp_path / "page", served) as place:
        found = differences(page, place)

    assert not found, "\n".join(found)


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.pages
@pytest.mark.timeout(1800)
def test_every_command_of_the_tutorial_does_what_it_shows(tmp_path: Path) -> None:
    """From a folder with nothing but a home, to the last command: server and worker are those of the commands."""
    with folder(tmp_path / "study", {**port_variables(), "PARLEY_CHECK_MODELS": "false"}) as place:
        found = differences("docs/tutorial.md", place)

    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", PAGES)
def test_a_block_that_is_not_run_is_listed(page: str) -> None:
    """What cannot be run here is marked in one way, and is on the list with its reason."""
    assert [block.reason for block in blocks(page) if block.reason] == NOT_RUN[page]


@pytest.mark.parametrize("page", PAGES)
def test_an_option_of_a_synopsis_exists(page: str) -> None:
    """The help of each command has the options that the page lists for it."""
    for block in blocks(page):
        if block.mark == "synopsis":
            for line in re.sub(r"\n {2,}", " ", block.text).splitlines():
                words = shlex.split(re.sub(r"[\[\]|]", " ", line))
                shown = CliRunner().invoke(parley, [words[1], "--help"]).output
                assert not [word for word in words if word.startswith("--") and word not in shown], line


@pytest.mark.parametrize(
    ("shown", "printed", "differs"),
    [
        ("used 47,312 tokens", "…\nused 9 tokens", False),
        ("the log is …/worker.log", "the log is /home/a/worker.log", False),
        ("dataset.rows: 8 -> 9", "dataset.rows:  8\n  -> 9", False),
        ("━━━━ 32 of 32", "━━━━━━━━ 32 of 32", False),
        ("flaws: 4 ties broken", "flaws: 1 tie broken", False),
        ("completed 8 · failed 0", "completed 8 · lost 0", True),
        ("4 ties broken", "4 toes broken", True),
    ],
)
def test_what_a_page_shows_is_compared(shown: str, printed: str, differs: bool) -> None:
    """Numbers, wrapped lines and what is left out may differ; words may not."""
    assert bool(missing(shown, printed)) is differs
