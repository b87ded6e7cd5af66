"""The baselines of equal cost with ``--rehearse``, whole: real server, worker, rehearsal server and processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.server import port_variables

QUESTION = "What is 17 * 23?"
PANEL = ("--models", "m/one,m/two,m/three")

COMMANDS = (
    ("single", "--model", "m/one"),
    ("self-consistency", "--model", "m/one", "--samples", "4", "--temperature", "0.7", "--seed", "3"),
    ("majority", *PANEL),
    ("vote", *PANEL, "--samples", "2"),
    ("mixture", *PANEL, "--aggregator", "m/two", "--layers", "2"),
)


def parley(variables: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program to its end."""
    command = [sys.executable, "-m", "starter.cli", *arguments]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=110)


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.timeout(240)
@pytest.mark.parametrize("command", COMMANDS, ids=[words[0] for words in COMMANDS])
def test_rehearsed_baseline_ends_with_an_answer_that_is_shown_again(command: tuple[str, ...], tmp_path: Path) -> None:
    """One JSON document with the final answer and exit code 0; ``parley show`` tells the same afterwards."""
    ports = port_variables()
    variables = {**os.environ, **ports, "PARLEY_HOME": str(tmp_path / "home")}
    name, *options = command
    done = parley(variables, name, QUESTION, *options, "--answer", "number", "--rehearse", "--json", "--id", "sum")
    shown = parley(variables, "show", "sum", "--json")
    assert (0, 0) == (done.returncode, shown.returncode), (done.stderr, shown.stderr)
    told = json.loads(done.stdout)
    assert ("mixture" if name == "mixture" else "vote", True) == (told["protocol"], told["rehearsal"])
    assert told["answer"].lstrip("-").isdigit()
    assert told == json.loads(shown.stdout)
