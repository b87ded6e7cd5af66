"""Every command that asks, with ``--rehearse`` and whole: real server, worker, rehearsal server and processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from parley.specs import PROTOCOLS
from starter.commands.groups import ask_commands
from tests.fakes.server import port_variables
from tests.fakes.specified import QUESTION

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(240)]


def parley(variables: dict[str, str], *arguments: str) -> str:
    """Run the program to its end and return what it prints."""
    command = [sys.executable, "-m", "starter.cli", *arguments]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=110)
    assert 0 == done.returncode, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ask_commands(""))
def test_a_result_is_one_document_that_is_shown_and_reported(name: str, tmp_path: Path) -> None:
    """The ledger shows the same, word for word, when the server has forgotten it; the report has its verdict."""
    variables = {**os.environ, **port_variables(), "PARLEY_HOME": str(tmp_path / "home")}
    asked = ("--user", QUESTION) if name in PROTOCOLS and PROTOCOLS[name].judges else (QUESTION,)
    waiting = ("--escalation-timeout", "1s") if name == "debate" else ()
    done = json.loads(parley(variables, name, *asked, *waiting, "--rehearse", "--json", "--id", "one"))
    for file in (tmp_path / "home").glob("temporal.db*"):
        file.unlink()
    shown = json.loads(parley(variables, "show", "one", "--json"))
    parley(variables, "report", "one", "-o", "one.html")

    assert (done, True) == (shown, done["rehearsal"])
    assert name in {done["protocol"], *PROTOCOLS[done["protocol"]].presets}
    assert QUESTION in Path("one.html").read_text("utf-8")
