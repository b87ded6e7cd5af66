"""A protocol that is added in four places is a command, an arm of a study and a result in a report."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.server import port_variables
from tests.repository.sources import ROOT

pytestmark = pytest.mark.long

TOY = Path(__file__).parent / "toy"
PLACES = {
    "protocols/relay": TOY / "protocols" / "relay",
    "workflows/relay.py": TOY / "workflows" / "relay.py",
    "parley/specs/relay.py": TOY / "specs" / "relay.py",
}
TABLE = "parley/specs/__init__.py"
LINE = '        "relay": "Pass an answer from model to model.",\n'
MOST_PLACES = 5
PACKAGES = (
    *("starter", "report", "studies", "parley", "workflows", "activities", "ledger", "protocols", "runtime"),
    *("rehearsal", "worker.py", "pyproject.toml", "tests/repository/one_protocol.py"),
    "tests/repository/protocol_layers.py",
)
LINT = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
STUDY = """\
name = "relays"
rehearse = true
[dataset]
path = "questions.csv"
[panels.two]
models = ["a/one", "b/two"]
[grid]
protocols = ["relay", "single"]
panels = ["two"]
"""


class Tree:
    """A copy of the packages to which the protocol was added."""

    def __init__(self, root: Path) -> None:
        self.root = root
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PARLEY_", "TEMPORAL_"))}
        home = {"PARLEY_HOME": str(root / "home"), "PYTHONPATH": str(root), "COLUMNS": "120"}
        self._environment = {**kept, **home}

    def run(self, *arguments: str, program: tuple[str, str] = ("-m", "starter.cli")) -> str:
        """Run a program in the copy and return what it prints."""
        command, env = [sys.executable, *program, *arguments], {**self._environment, **port_variables()}
        done = subprocess.run(command, cwd=self.root, env=env, check=False, capture_output=True, text=True)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tree]:
    """The copy."""
    root = tmp_path_factory.mktemp("tree")
    for name in PACKAGES:
        copied = root / name
        copied.parent.mkdir(parents=True, exist_ok=True)
        source = ROOT / name
        unwanted = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, copied, ignore=unwanted) if source.is_dir() else shutil.copy(source, copied)
    for place, source in PLACES.items():
        shutil.copytree(source, root / place) if source.is_dir() else shutil.copy(source, root / place)
    table = root / TABLE
    first = '        "council": '
    table.write_text(table.read_text("utf-8").replace(first, LINE + first), "utf-8")
    yield Tree(root)
    shutil.rmtree(root)


def test_a_protocol_is_added_in_few_places() -> None:
    """A package, a workflow, a specification and a line."""
    assert len({*PLACES, TABLE}) <= MOST_PLACES


def test_the_workflow_has_every_method_that_its_base_requests_for(tree: Tree) -> None:
    """A run of the worker would else fail its tasks for ever."""
    left = "from workflows.relay import RelayWorkflow as one; print(sorted(one.__abstractmethods__))"

    assert "[]" == tree.run(program=("-c", left)).strip()


def test_the_command_line_learns_a_protocol_from_its_line(tree: Tree) -> None:
    """It is in the list of commands, and its options have their names, types and descriptions."""
    listed, options = tree.run("--help"), tree.run("relay", "--help")

    assert "Pass an answer from model to model." in listed
    assert "--backwards / --no-backwards" in options
    assert "Let the last model begin." in options


def test_a_new_protocol_is_estimated(tree: Tree) -> None:
    """Without a plan of its own it is one call of each model."""
    found = json.loads(tree.run("estimate", "relay", "--models", "a/one,b/two", "--json"))

    assert ("relay", {"low": 2, "high": 2}) == (found["protocol"], found["total"]["calls"])


def test_the_import_contracts_need_no_mention_of_a_protocol(tree: Tree) -> None:
    """Package, workflow and specification keep every contract as they are."""
    assert "0 broken" in tree.run(program=("-c", LINT))


@pytest.mark.timeout(240)
def test_a_new_protocol_is_run_by_the_contract_test(tree: Tree) -> None:
    """Stop, replacement, cancellation, lost worker, strict loss, ledger, screens and estimate, from its first day."""
    shutil.copytree(ROOT / "tests", tree.root / "tests", dirs_exist_ok=True)

    told = tree.run("-k", "relay", "tests/workflows/test_deliberation_contract.py", program=("-m", "pytest"))

    assert "9 passed" in told


@pytest.mark.e2e
@pytest.mark.timeout(240)
def test_a_new_protocol_is_run_studied_and_reported(tree: Tree) -> None:
    """Its command has a verdict, a study has an arm of it with an estimate, and the report shows both."""
    (tree.root / "study.toml").write_text(STUDY, "utf-8")
    (tree.root / "questions.csv").write_text("question\nWhy is the sky blue?\n", "utf-8")
    models = ("--models", "a/one,b/two", "--backwards")

    alone = json.loads(tree.run("relay", "Why is the sky blue?", "--rehearse", "--json", *models))
    study = json.loads(tree.run("batch", "run", "study.toml", "--json"))
    tree.run("report", "relays", "-o", "study.html")
    tree.run("report", alone["deliberation_id"], "-o", "alone.html")

    assert ("relay", "verdict", 2) == (alone["protocol"], alone["stop_reason"], alone["spent"]["calls"])
    assert ("completed", 2) == (study["status"], study["progress"]["total"])
    assert "relay-two" in (tree.root / "study.html").read_text("utf-8")
    assert "Why is the sky blue?" in (tree.root / "alone.html").read_text("utf-8")
