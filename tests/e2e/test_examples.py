"""The scripts of the documentation, run unchanged on the real server with scripted models."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.installation import Installation, installation
from tests.fakes.programs import ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(120)]

EXAMPLES = ROOT / "docs" / "examples"
LEAVING = "import os, runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__'); sys.stdout.flush(); os._exit(0)"
"""Runs a script and leaves at once: the SDK now and then crashes while Python shuts down, after the work is done."""


@pytest.fixture(scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """A server, a worker and scripted models."""
    async with installation(tmp_path_factory.mktemp("home")) as found:
        yield found


def run(place: Installation, name: str, directory: Path) -> str:
    """What a script prints when it is run in ``directory``."""
    return ended(place, directory, "-c", LEAVING, str(EXAMPLES / name))


def ended(place: Installation, directory: Path, *arguments: str) -> str:
    """What Python prints for ``arguments`` in ``directory``."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=directory,
        env=place.environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


async def test_ask_prints_a_verdict_and_what_it_took(place: Installation, tmp_path: Path) -> None:
    """The first script ends with the council's verdict, its winner, and a cost that is no bill."""
    told = run(place, "ask.py", tmp_path)
    assert "Python is the better first language for most scientists" in told
    assert "9 calls" in told
    assert "invented cost $" in told


async def test_a_debate_is_watched_and_its_gate_answered(place: Installation, tmp_path: Path) -> None:
    """The second script shows the rounds, answers the gate, and prints the conclusion with the accepted claims."""
    told = run(place, "watch_and_steer.py", tmp_path)
    assert "waits for: " in told
    assert "closure of the centre in steps" in told
    assert "\nC" in told


async def test_a_study_is_held_compared_and_analysed(place: Installation, tmp_path: Path) -> None:
    """The third script holds every question under each arm and prints the accuracies; pandas reads the export."""
    told = run(place, "study.py", tmp_path)
    assert "12 completed, 0 failed of 12" in told
    assert told.count(": accuracy ") == 3
    ended(place, tmp_path, "-m", "starter.cli", "export", "sums", "-o", "night-one.parquet")
    analysed = run(place, "analyse.py", tmp_path)
    assert "{'self-consistency-three': {'189': " in analysed
    assert re.search(r" kendall_w +[01]\.\d", analysed)
    tables = run(place, "tables.py", tmp_path)
    assert all(arm in tables for arm in ("council", "single", "self-consistency"))
    assert "calls, the first of which asked:" in tables
    assert "FINAL ANSWER" in tables.splitlines()[-1]


async def test_the_study_of_the_tutorial_is_analysed_and_scored(place: Installation, tmp_path: Path) -> None:
    """Votes and measures are printed of the arms that have them, without those of no ballots; functions score them."""
    parley = ("-m", "starter.cli")
    ended(place, tmp_path, *parley, "batch", "init", "study.toml")
    ended(place, tmp_path, *parley, "batch", "run", "study.toml", "--name", "night-one", "--window", "40")
    ended(place, tmp_path, *parley, "export", "night-one", "-o", "night-one.parquet")
    analysed = ended(place, tmp_path, "-c", LEAVING, str(EXAMPLES / "analyse.py"))
    counts, measures = analysed.splitlines()[6:8]
    assert set(ast.literal_eval(counts)) == {"self-consistency-small", "single-small"}
    assert ["arm", "scores"] == measures.split()
    assert analysed.count("quick-council") == 1
    assert analysed.count("kendall_w") == 1
    assert run(place, "mine.py", tmp_path) == ""
    functions = {"words": "words", "right": "right_in_mathematics"}
    table = '[scorers.{}]\nkind = "python"\nfile = "{}"\nfunction = "{}"\n'
    scorers = "".join(table.format(name, EXAMPLES / "mine.py", function) for name, function in functions.items())
    (tmp_path / "scorers.toml").write_text(scorers)
    scored = json.loads(ended(place, tmp_path, *parley, "score", "night-one", "--with", "scorers.toml", "--json"))
    outcomes = {one["scorer"]: one["outcomes"] for one in scored["scorers"]}
    assert outcomes == {"words": {"scored": 32}, "right": {"scored": 12, "unanswered": 20}}


async def test_prompts_are_screened(place: Installation, tmp_path: Path) -> None:
    """The fourth script prints a line per prompt, in their order, and what each model said of it."""
    told = run(place, "screen.py", tmp_path)
    assert ["not_flagged", "flagged", "not_flagged"] == re.findall(r"^prompt \d: (\w+), F", told, re.MULTILINE)
    assert 9 == told.count(": T 0.")


async def test_prompts_of_a_file_are_screened(place: Installation, tmp_path: Path) -> None:
    """The script without an event loop judges each prompt of its file."""
    prompts = [{"id": name, "user": "Why is the sky blue?"} for name in ("a", "b")]
    (tmp_path / "prompts.jsonl").write_text("\n".join(map(json.dumps, prompts)))
    told = run(place, "screen_file.py", tmp_path)
    assert ["a", "b"] == re.findall(r"^(\w+) \w+ \(", told, re.MULTILINE)


async def test_three_protocols_are_asked(place: Installation, tmp_path: Path) -> None:
    """The short examples of the pages end with verdicts, and the consensus shows its events."""
    told = run(place, "three_protocols.py", tmp_path)
    assert "model_completed " in told
    assert "consensus_achieved " in told


async def test_a_question_of_two_turns_has_two_verdicts(place: Installation, tmp_path: Path) -> None:
    """The script of the page prints the verdict of the first turn in a list, and that of the last behind it."""
    told = run(place, "turns.py", tmp_path)
    assert re.match(r"\[['\"].{40,}['\"]\] \S", told, re.DOTALL)


async def test_a_client_without_parley_reads_the_verdict(place: Installation, tmp_path: Path) -> None:
    """Temporal's SDK alone starts a council with a short object and reads the verdict."""
    assert len(run(place, "any_client.py", tmp_path)) > 100


def test_every_script_is_run() -> None:
    """A script that is added to the documentation is added here."""
    run_here = set(re.findall(r'run\(place, "(\w+\.py)"', Path(__file__).read_text("utf-8")))

    assert run_here == {file.name for file in EXAMPLES.glob("*.py")}
