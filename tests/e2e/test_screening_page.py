"""Every command and the Python program of docs/screening.md, run unchanged on the real server."""

import re
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from click.testing import CliRunner

from parley.errors import BUG, FAILED, FLAGGED, INTERRUPTED, UNREACHABLE, USAGE, VERDICT
from starter.cli import parley
from tests.e2e.pages import Block, blocks
from tests.fakes.installation import Installation, installation
from tests.fakes.programs import ROOT

NAME = "docs/screening.md"
PAGE = ROOT / NAME


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Installation]:
    """A server, a worker and scripted models."""
    async with installation(tmp_path / "home") as found:
        yield found


class Done(NamedTuple):
    """A block that was run."""

    code: int
    printed: str
    told: str


def run(block: Block) -> Done:
    """Run a block: Parley's commands in this process, everything else as a shell or Python does."""
    words = shlex.split(block.text.replace("\\\n", ""))  # a shell joins such lines
    if words[0] == "parley":
        done = CliRunner().invoke(parley, words[1:])
        return Done(done.exit_code, done.stdout, done.stderr)
    command = ["bash", "-c", block.text] if block.kind == "sh" else [sys.executable, "-c", block.text]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    return Done(ended.returncode, ended.stdout, ended.stderr)


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.timeout(240)
def test_every_command_of_the_page_does_what_it_states(
    place: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each ends with the code that is beside it, and prints the lines that are below it."""
    monkeypatch.chdir(tmp_path)
    for name, value in place.environment.items():
        monkeypatch.setenv(name, value)
    last = Done(0, "", "")
    for block in blocks(NAME):
        if block.kind == "text":
            assert block.text.strip() in last.printed
        elif block.kind in {"sh", "python"}:
            last = run(block)
            assert "server_found" not in last.printed  # a log line
            assert block.code == last.code, f"{block.text}\n{last.told}"


def test_the_job_of_the_page_is_yaml_whose_command_exists() -> None:
    """The options of its command line are known, so the job does not fail for the wrong reason."""
    [job] = [yaml.safe_load(block.text)["jobs"]["prompts"] for block in blocks(NAME) if block.kind == "yaml"]
    [line] = [step["run"] for step in job["steps"] if "parley" in step.get("run", "")]
    done = CliRunner().invoke(parley, [*shlex.split(line)[1:], "--help"])
    told = CliRunner().invoke(parley, ["screen", "--help"]).output

    assert 0 == done.exit_code
    assert not [word for word in line.split() if word.startswith("--") and word not in told]


def test_the_page_names_every_exit_code() -> None:
    """The table of exit codes has those of the program, and no other."""
    told = PAGE.read_text().partition("## Exit codes")[2].partition("\n## ")[0]
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", told, re.MULTILINE)}
    assert {VERDICT, FAILED, USAGE, UNREACHABLE, FLAGGED, BUG, INTERRUPTED} == codes
