import json
import shutil
import subprocess
import sys
import tomllib

import pytest

from tests.house.sources import ROOT

CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
CONTRACTS: dict[str, str] = {contract["id"]: contract["name"] for contract in CONFIG["contracts"]}

PLANTED = {
    "an activity imports a workflow": ("layers", "ledger/journal.py", "import workflows.search_attributes"),
    "a protocol imports an activity": ("layers", "protocols/panel.py", "import ledger.journal"),
    "a workflow imports the person's side": ("layers", "workflows/progress_board.py", "import parley.ids"),
    "the rules throw dice": ("pure", "protocols/council/rules.py", "import random"),
    "a protocol knows Temporal": ("pure", "protocols/panel.py", "import temporalio.workflow"),
    "a protocol logs": ("pure", "protocols/transcript.py", "import structlog"),
    "a model imports its rules": ("drawers", "protocols/council/model.py", "import protocols.council.rules"),
    "a room gets a file of no name": ("drawers", "protocols/council/utils.py", '"""Odds and ends."""'),
    "a circle's reader counts": ("drawers", "protocols/fire_circle/replies.py", "import protocols.fire_circle.rules"),
    "a room knows another room": ("one-protocol", "protocols/consensus/rules.py", "import protocols.council.rules"),
    "a circle knows a council": ("one-protocol", "protocols/fire_circle/rules.py", "import protocols.council.rules"),
    "a council knows a circle": ("one-protocol", "protocols/council/outcome.py", "import protocols.fire_circle.model"),
    "a schedule knows another schedule": ("one-protocol", "workflows/consensus.py", "import workflows.council"),
    "the council reads another room": ("one-protocol", "workflows/council.py", "import protocols.consensus.rules"),
    "a circle reads another room": (
        "one-protocol",
        "workflows/fire_circle_baseline.py",
        "import protocols.council.rules",
    ),
    "the consensus reads another room": (
        "one-protocol",
        "workflows/consensus_rounds.py",
        "import protocols.council.rules",
    ),
    "a debate knows a circle": ("one-protocol", "protocols/debate/outcome.py", "import protocols.fire_circle.model"),
    "a debate's reader counts": (
        "drawers",
        "protocols/debate/replies/turn.py",
        "import protocols.debate.rules.stop_rules",
    ),
    "a debate reads another room": ("one-protocol", "workflows/debate_rounds.py", "import protocols.council.rules"),
    "a debate reads what was said": ("readers", "workflows/debate_rounds.py", "import protocols.debate.replies.turn"),
    "a vote knows a mixture": ("one-protocol", "protocols/vote/rules.py", "import protocols.mixture.model"),
    "a shard knows a batch": ("study-workflows", "workflows/shard.py", "import workflows.batch"),
    "a vote reads another room": ("one-protocol", "workflows/vote.py", "import protocols.council.rules"),
    "a mixture reads another room": ("one-protocol", "workflows/mixture.py", "import protocols.council.rules"),
    "a mixture reads what was said": ("readers", "workflows/mixture.py", "import protocols.mixture.replies"),
    "a vote reads an answer": ("readers", "workflows/vote.py", "import protocols.answers"),
    "a mixture's reader counts": ("drawers", "protocols/mixture/replies.py", "import protocols.mixture.rules"),
    "a study knows a room": ("one-protocol", "workflows/shard.py", "import protocols.council.model"),
    "the board knows a room": ("one-protocol", "workflows/progress_board.py", "import protocols.consensus.model"),
    "the columns know a circle": (
        "one-protocol",
        "workflows/search_attributes.py",
        "import protocols.fire_circle.model",
    ),
    "a workflow speaks HTTP": ("deterministic", "workflows/council.py", "import httpx"),
    "a workflow reads what a model wrote": ("readers", "workflows/council.py", "import protocols.council.replies"),
    "a workflow reads a circle's replies": (
        "readers",
        "workflows/progress_board.py",
        "import protocols.fire_circle.replies",
    ),
    "a workflow reads the ledger": ("ledger", "workflows/council.py", "import ledger.journal"),
    "a workflow calls an activity by itself": ("door", "workflows/council.py", "import activities.ledger"),
    "a command goes round the books": ("door", "parley/ids.py", "import activities.ledger"),
    "an activity sets up a process": ("process", "ledger/journal.py", "import runtime.settings"),
    "a schedule sets up a process": ("process", "workflows/progress_board.py", "import runtime.settings"),
    "the process knows a protocol": ("process-below", "runtime/logs.py", "import protocols.panel"),
    "the rehearsal knows a protocol": ("rehearsal-apart", "rehearsal/faults/script.py", "import protocols.panel"),
    "an activity falls back to rehearsal": ("rehearsal-unknown", "ledger/journal.py", "import rehearsal.api.server"),
    "a command falls back to rehearsal": ("rehearsal-unknown", "parley/ids.py", "import rehearsal.api.server"),
    "somebody imports the entry point": ("root", "parley/ids.py", "import worker"),
    "two files import each other": ("cycles", "protocols/model_call.py", "import protocols.panel"),
}
"""What was done, the contract that forbids it, the file and the line that was planted there."""


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """What was done to the contracts broken by it; blank: nothing was done."""
    root = tmp_path_factory.mktemp("house")
    for package in CONFIG["root_packages"]:
        shutil.copytree(ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "tests" / "house").mkdir(parents=True)
    for name in ("pyproject.toml", "worker.py", "tests/house/one_protocol.py"):
        shutil.copy(ROOT / name, root / name)
    cases = [(place, line) for _, place, line in PLANTED.values()]
    command = [sys.executable, str(ROOT / "tests" / "house" / "planting.py")]
    done = subprocess.run(command, cwd=root, input=json.dumps(cases), check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(zip(["", *PLANTED], map(_broken, json.loads(done.stdout)), strict=True))


def _broken(linted: tuple[int, str]) -> set[str]:
    code, said = linted
    verdicts = {name: f"{name} BROKEN" in said for name in CONTRACTS.values()}
    assert any(verdicts.values()) == bool(code), said
    return {name for name, is_broken in verdicts.items() if is_broken}


def test_the_house_keeps_its_contracts(broken: dict[str, set[str]]) -> None:
    """As it stands, every import in the house is allowed."""
    assert set() == broken[""]


@pytest.mark.parametrize("done", PLANTED)
def test_a_planted_violation_is_reported(broken: dict[str, set[str]], done: str) -> None:
    """An import that a contract forbids breaks that contract by name."""
    assert CONTRACTS[PLANTED[done][0]] in broken[done]
