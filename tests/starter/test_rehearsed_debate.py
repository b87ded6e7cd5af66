"""``parley debate --rehearse``, whole: real server, worker and processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.server import port_variables

SHOWN = ("REHEARSAL", "Positions", "Rounds", "Claims", "Verdict")
TOPIC = "Should a city of 200,000 close its centre to cars?"


def parley(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program to its end, with ports of its own."""
    ports = port_variables()
    variables = {**os.environ, **ports, "PARLEY_HOME": str(home)}
    command = [sys.executable, "-m", "starter.cli", *arguments]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=110)


@pytest.mark.long
@pytest.mark.e2e
@pytest.mark.timeout(240)
def test_a_rehearsed_debate_shows_positions_rounds_and_its_synthesis(tmp_path: Path) -> None:
    """The screen has where everybody ended, the rounds in numbers, the claims and the synthesis, and is kept."""
    told = parley(tmp_path, "debate", TOPIC, "--rehearse", "--id", "cars", "--escalation-timeout", "1s")
    again = parley(tmp_path, "show", "cars", "--json")

    assert 0 == told.returncode, told.stderr
    assert [] == [words for words in SHOWN if words not in told.stdout]
    assert ("debate", True) == (json.loads(again.stdout)["protocol"], json.loads(again.stdout)["rehearsal"])
