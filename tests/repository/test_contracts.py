import json
import shutil
import subprocess
import sys
import tomllib

import pytest

from tests.repository.sources import ROOT

CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
CONTRACT_TYPES = ("one_protocol.py", "protocol_layers.py")
CONTRACTS: dict[str, str] = {contract["id"]: contract["name"] for contract in CONFIG["contracts"]}

PLANTED = {
    "the ledger imports a workflow": ("layers", "ledger/journal.py", "import workflows.search_attributes"),
    "a protocol imports the ledger": ("layers", "protocols/panel.py", "import ledger.journal"),
    "a workflow imports the API": ("layers", "workflows/progress_board.py", "import parley.ids"),
    "the API imports a command": ("layers", "parley/ids.py", "import starter.terminal"),
    "a view imports a handler": ("starter-layers", "starter/views/stats.py", "import starter.handlers.verdict_file"),
    "a handler imports a command": (
        "starter-layers",
        "starter/handlers/verdict_file.py",
        "import starter.commands.steering",
    ),
    "a plot imports the page it is part of": ("report-layers", "report/plots/bars.py", "import report.study"),
    "the values of a report import a plot": ("report-layers", "report/figures.py", "import report.plots.frame"),
    "a module of the report has no layer": ("report-layers", "report/planted.py", '"""Nothing."""'),
    "a definition imports a run": ("studies-layers", "studies/definition/grid.py", "import studies.runs.follow"),
    "a dataset imports a definition": (
        "studies-layers",
        "studies/dataset/cells.py",
        "import studies.definition.labels",
    ),
    "a comparison imports a dataset": ("studies-layers", "studies/comparison/notes.py", "import studies.dataset.cells"),
    "a run imports a schedule": ("studies-layers", "studies/runs/follow.py", "import studies.schedules"),
    "a question imports the options of a protocol": (
        "parley-layers",
        "parley/questions.py",
        "import parley.options.ask",
    ),
    "a specification imports the registry": ("parley-layers", "parley/specs/phrases.py", "import parley.registry"),
    "a module of the API has no layer": ("parley-layers", "parley/planted.py", '"""Nothing."""'),
    "the deliberation imports the workflow of a vote": (
        "workflow-layers",
        "workflows/deliberation.py",
        "import workflows.vote",
    ),
    "the seats import the deliberation": ("workflow-layers", "workflows/seats.py", "import workflows.deliberation"),
    "a module of the workflows has no layer": ("workflow-layers", "workflows/planted.py", '"""Nothing."""'),
    "a provider imports an attempt": (
        "activity-layers",
        "activities/providers/errors.py",
        "import activities.attempts",
    ),
    "a module of the activities has no layer": ("activity-layers", "activities/planted.py", '"""Nothing."""'),
    "the store imports the journal": ("ledger-layers", "ledger/store.py", "import ledger.journal"),
    "the tables import the store": ("ledger-layers", "ledger/tables.py", "import ledger.store"),
    "the records of studies import the journal": (
        "ledger-layers",
        "ledger/studies/records.py",
        "import ledger.journal",
    ),
    "the settings import the connection": ("runtime-layers", "runtime/settings.py", "import runtime.connect"),
    "a module of the runtime has no layer": ("runtime-layers", "runtime/planted.py", '"""Nothing."""'),
    "a scripted model imports the faults": (
        "rehearsal-layers",
        "rehearsal/models/seeded.py",
        "import rehearsal.faults.fault",
    ),
    "a dialect imports the faults": (
        "rehearsal-layers",
        "rehearsal/dialects/shape.py",
        "import rehearsal.faults.fault",
    ),
    "a fault imports the API of the rehearsal server": (
        "rehearsal-layers",
        "rehearsal/faults/fault.py",
        "import rehearsal.api.state",
    ),
    "a scripted problem imports the answers to it": (
        "rehearsal-models-layers",
        "rehearsal/models/problems.py",
        "import rehearsal.models.final_answers",
    ),
    "a scripted model has no layer": ("rehearsal-models-layers", "rehearsal/models/planted.py", '"""Nothing."""'),
    "the messages of a study import its budget": (
        "study-layers",
        "protocols/study/messages.py",
        "import protocols.study.budget",
    ),
    "the usage of a call imports the catalogue": (
        "provider-layers",
        "activities/providers/usage.py",
        "import activities.providers.catalogue",
    ),
    "the panel imports an answer": ("protocol-layers", "protocols/panel.py", "import protocols.number_answers"),
    "the refusals import a protocol": ("protocol-layers", "protocols/refusals.py", "import protocols.vote.model"),
    "a module of the protocols has no layer": ("protocol-layers", "protocols/planted.py", '"""Nothing."""'),
    "the rules of a protocol draw at random": ("pure", "protocols/council/rules.py", "import random"),
    "a protocol imports Temporal": ("pure", "protocols/panel.py", "import temporalio.workflow"),
    "a protocol logs": ("pure", "protocols/transcript.py", "import structlog"),
    "a model imports its rules": ("module-order", "protocols/council/model.py", "import protocols.council.rules"),
    "a protocol has a module of another name": ("module-order", "protocols/council/utils.py", '"""Nothing."""'),
    "the reply reader of a fire circle imports its rules": (
        "module-order",
        "protocols/fire_circle/replies.py",
        "import protocols.fire_circle.rules",
    ),
    "the reply reader of a debate imports its rules": (
        "module-order",
        "protocols/debate/replies/turn.py",
        "import protocols.debate.rules.stop_rules",
    ),
    "a consensus imports a council": ("one-protocol", "protocols/consensus/rules.py", "import protocols.council.rules"),
    "a council imports a fire circle": (
        "one-protocol",
        "protocols/council/results.py",
        "import protocols.fire_circle.model",
    ),
    "a vote imports a mixture": ("one-protocol", "protocols/vote/rules.py", "import protocols.mixture.model"),
    "a workflow imports the workflow of another protocol": (
        "one-protocol",
        "workflows/consensus.py",
        "import workflows.council",
    ),
    "the workflow of a council imports another protocol": (
        "one-protocol",
        "workflows/council.py",
        "import protocols.consensus.rules",
    ),
    "the workflow of a baseline imports another protocol": (
        "one-protocol",
        "workflows/fire_circle_baseline.py",
        "import protocols.council.rules",
    ),
    "the rounds of a debate import another protocol": (
        "one-protocol",
        "workflows/debate_rounds.py",
        "import protocols.council.rules",
    ),
    "the workflow of a study imports a protocol": (
        "one-protocol",
        "workflows/shard.py",
        "import protocols.council.model",
    ),
    "the progress board imports a protocol": (
        "one-protocol",
        "workflows/progress_board.py",
        "import protocols.consensus.model",
    ),
    "a shard imports a batch": ("study-workflows", "workflows/shard.py", "import workflows.batch"),
    "a workflow imports an HTTP client": ("deterministic", "workflows/council.py", "import httpx"),
    "a council reads model text": ("model-text", "workflows/council.py", "import protocols.council.replies"),
    "the progress board reads model text": (
        "model-text",
        "workflows/progress_board.py",
        "import protocols.fire_circle.replies",
    ),
    "a debate reads model text": ("model-text", "workflows/debate_rounds.py", "import protocols.debate.replies.turn"),
    "a vote reads an answer": ("model-text", "workflows/vote.py", "import protocols.answers"),
    "a workflow imports the ledger": ("ledger", "workflows/council.py", "import ledger.journal"),
    "a workflow calls an activity by itself": ("activity-calls", "workflows/council.py", "import activities.ledger"),
    "the API imports an activity": ("activity-calls", "parley/ids.py", "import activities.ledger"),
    "the ledger sets up a process": ("runtime", "ledger/journal.py", "import runtime.settings"),
    "a workflow sets up a process": ("runtime", "workflows/progress_board.py", "import runtime.settings"),
    "the runtime imports a protocol": ("runtime-below", "runtime/logs.py", "import protocols.panel"),
    "the rehearsal server imports a protocol": (
        "rehearsal-apart",
        "rehearsal/faults/script.py",
        "import protocols.panel",
    ),
    "the ledger falls back to the rehearsal server": (
        "rehearsal-unused",
        "ledger/journal.py",
        "import rehearsal.api.server",
    ),
    "the API falls back to the rehearsal server": ("rehearsal-unused", "parley/ids.py", "import rehearsal.api.server"),
    "the API imports the entry point": ("entry-point", "parley/ids.py", "import worker"),
    "two modules import each other": ("cycles", "protocols/model_call.py", "import protocols.panel"),
}
"""Each violation by its description: the contract that forbids it, the file, and the line planted there."""


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Return each violation with the contracts that it broke; the empty description means no violation."""
    root = tmp_path_factory.mktemp("checkout")
    for package in CONFIG["root_packages"]:
        shutil.copytree(ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "tests" / "repository").mkdir(parents=True)
    for name in ("pyproject.toml", "worker.py", *(f"tests/repository/{kind}" for kind in CONTRACT_TYPES)):
        shutil.copy(ROOT / name, root / name)
    cases = [(place, line) for _, place, line in PLANTED.values()]
    command = [sys.executable, str(ROOT / "tests" / "repository" / "planting.py")]
    done = subprocess.run(command, cwd=root, input=json.dumps(cases), check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(zip(["", *PLANTED], map(_broken, json.loads(done.stdout)), strict=True))


def _broken(linted: tuple[int, str]) -> set[str]:
    code, output = linted
    verdicts = {name: f"{name} BROKEN" in output for name in CONTRACTS.values()}
    assert any(verdicts.values()) == bool(code), output
    return {name for name, is_broken in verdicts.items() if is_broken}


def test_the_packages_keep_the_contracts(broken: dict[str, set[str]]) -> None:
    """Every import of the packages as they are is allowed."""
    assert set() == broken[""]


def test_every_contract_has_a_planted_violation() -> None:
    """A contract without a violation would not be noticed when it no longer forbids anything."""
    assert set(CONTRACTS) == {contract for contract, _, _ in PLANTED.values()}


@pytest.mark.parametrize("violation", PLANTED)
def test_a_planted_violation_is_reported(broken: dict[str, set[str]], violation: str) -> None:
    """An import that a contract forbids breaks that contract by name."""
    assert CONTRACTS[PLANTED[violation][0]] in broken[violation]
