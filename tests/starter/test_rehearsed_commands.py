"""Every command that asks, with ``--rehearse`` and whole: real server, worker, rehearsal server and processes."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from parley.specs import PROTOCOLS
from starter.commands.groups import ask_commands
from tests.fakes.parley_up import running_up
from tests.fakes.programs import PARLEY, run_program
from tests.fakes.specified import QUESTION

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(240)]

COMMANDS = ask_commands("")


def parley(variables: dict[str, str], *arguments: str) -> str:
    """Run the program to its end and return what it prints."""
    done = run_program([PARLEY, *arguments], variables, timeout=110)
    assert 0 == done.returncode, done.stderr
    return done.stdout


class Asked(NamedTuple):
    """An installation whose server has forgotten everything, and what each command printed while it knew."""

    variables: dict[str, str]
    printed: Mapping[str, Any]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """Ask by every command in one installation, end it, and remove the server's file."""
    printed = {}
    with running_up(tmp_path_factory.mktemp("up"), latency_ms=0) as up:
        for name in COMMANDS:
            question = ("--user", QUESTION) if name in PROTOCOLS and PROTOCOLS[name].judges else (QUESTION,)
            waiting = ("--escalation-timeout", "1s") if name == "debate" else ()
            printed[name] = json.loads(
                parley(up.variables, name, *question, *waiting, "--rehearse", "--json", "--id", f"by-{name}")
            )
    for file in up.home.glob("temporal.db*"):
        file.unlink()
    return Asked(up.variables, printed)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_result_is_one_document_that_is_shown_and_reported(name: str, asked: Asked, tmp_path: Path) -> None:
    """The ledger shows the same, word for word, when the server has forgotten it; the report has its verdict."""
    done, page = asked.printed[name], tmp_path / "one.html"
    shown = json.loads(parley(asked.variables, "show", f"by-{name}", "--json"))
    parley(asked.variables, "report", f"by-{name}", "-o", str(page))

    assert (done, True) == (shown, done["rehearsal"])
    assert name in {done["protocol"], *PROTOCOLS[done["protocol"]].presets}
    assert QUESTION in page.read_text("utf-8")
