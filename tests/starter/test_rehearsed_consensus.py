"""``parley consensus --rehearse`` whole: real server, real worker, real rehearsal server, real processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.server import port_variables


def parley(variables: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program to its end."""
    command = [sys.executable, "-m", "starter.cli", *arguments]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=110)


@pytest.mark.long
@pytest.mark.e2e
@pytest.mark.timeout(240)
def test_rehearsed_consensus_ends_with_a_verdict_that_the_ledger_keeps(tmp_path: Path) -> None:
    """One JSON document with the seed's conversation and exit code 0, which the ledger shows too, word for word."""
    ports = port_variables()
    variables = {**os.environ, **ports, "PARLEY_HOME": str(tmp_path / "home")}
    done = parley(variables, "consensus", "Why is the sky blue?", "--rehearse", "--json", "--id", "sky")
    for file in (tmp_path / "home").glob("temporal.db*"):
        file.unlink()
    shown = parley(variables, "show", "sky", "--json")
    assert (0, 0) == (done.returncode, shown.returncode), (done.stderr, shown.stderr)
    assert "sky" == json.loads(done.stdout)["conversation"]["consensus_id"]
    assert json.loads(done.stdout) == json.loads(shown.stdout)
