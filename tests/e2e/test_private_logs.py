"""With encryption keys, no log holds a text in clear, however much is logged."""

import base64
import json
from collections.abc import Iterator

import pytest

from tests.fakes.parley_up import Up, running_up
from tests.fakes.programs import PARLEY, run_program

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(240)]

CANARY = "quokkafish"
KEYS = "lab:" + base64.b64encode(bytes(range(32))).decode()
LATENCY_MS = 3000
"""Long enough for heartbeats, which carry the end of an answer that is being written."""


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """An installation with keys in which everything is logged, with models that take their time."""
    told = {"PARLEY_LOG_LEVEL": "DEBUG", "PARLEY_ENCRYPTION_KEYS": KEYS}
    with running_up(tmp_path_factory.mktemp("home"), LATENCY_MS, **told) as running:
        yield running


def strings_in(value: object) -> Iterator[str]:
    """Every text of a JSON document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings_in(part)


def sentences_of(document: str) -> set[str]:
    """What models wrote, in pieces that a line of a log would hold."""
    found = {part for text in strings_in(json.loads(document)) for part in text.split("\n") if " " in part}
    return {part[:40] for part in found if len(part) > 40}


def test_debug_logs_hold_no_question_and_no_answer(up: Up) -> None:
    """A council's question and answers are in no log of worker, server, rehearsal server or command."""
    asked = ("council", f"Is the {CANARY} a bird?", "--rehearse", "--models", "a,b,c", "--chair", "a", "--json")
    held = run_program([PARLEY, *asked], up.variables)
    logs = {str(path): path.read_text("utf-8", "replace") for path in (*up.home.glob("*.log"), up.home / "said")}
    texts = {CANARY, *sentences_of(held.stdout)}
    calls = logs[str(up.home / "worker.log")].count("call_model")

    assert 0 == held.returncode, held.stderr
    assert len(texts) > len("several")
    assert calls > 0, "the log is silent about calls, so it proves nothing"
    assert [] == [
        (name, text) for name, log in {**logs, "stderr": held.stderr}.items() for text in texts if text in log
    ]
