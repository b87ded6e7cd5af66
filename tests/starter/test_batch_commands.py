"""``parley batch``: studies started, looked at, changed and gone on with, on a whole installation of real processes."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from parley.errors import FAILED, USAGE, VERDICT
from starter.cli import parley
from starter.views.tables import REHEARSAL
from tests.fakes.installation import Installation, installation
from tests.fakes.server import port_variables
from tests.fakes.study_files import QUESTIONS, STUDY

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
async def installed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """One installation for all tests of this file."""
    async with installation(tmp_path_factory.mktemp("studies")) as everything:
        yield everything


@pytest.fixture
def poor(installed: Installation) -> str:
    """A study that is finished, the same for every test that asks for it."""
    if batch(installed, "status", "poor").exit_code != VERDICT:
        assert batch(installed, "run", written("poor")).exit_code == VERDICT
    return "poor"


def batch(installed: Installation, *arguments: str, command: str = "batch") -> Result:
    """Run the program in this process, against ``installed``."""
    told = {k: v for k, v in installed.environment.items() if k.startswith(("PARLEY_", "TEMPORAL_"))}
    return CliRunner().invoke(parley, [command, *arguments], env=told)


def written(name: str, questions: str = QUESTIONS, *, top: str = "", protocol: str = "single") -> str:
    """The path of a study file of that name over ``questions``, with one arm."""
    text = STUDY.replace('name = "small"', f'name = "{name}"\n{top}').replace('"council", "single"', f'"{protocol}"')
    Path("questions.csv").write_text(questions)
    Path(f"{name}.toml").write_text(text)
    return f"{name}.toml"


def many(rows: int) -> str:
    """A dataset of so many rows."""
    return "id,prompt,answer\n" + "".join(f"q{n},What is {n} + 1? A) {n + 1} B) 0,A\n" for n in range(rows))


def standing_of(installed: Installation, name: str) -> dict[str, Any]:
    """The output of ``parley batch status --json``."""
    done = batch(installed, "status", name, "--json")
    assert done.exit_code == VERDICT, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.long
def test_what_init_writes_is_held_as_it_is(installed: Installation) -> None:
    """A newcomer's first two commands: files are written, and every deliberation of them gives a verdict."""
    begun = batch(installed, "init")
    assert "begin it with: parley batch run study.toml" in begun.stderr
    done = batch(installed, "run", "study.toml", "--window", "6")
    assert done.exit_code == VERDICT, done.stderr
    assert "study first-study: 32 deliberations begin" in done.stderr
    assert "32 of 32" in done.stdout
    assert "completed 32 · failed 0 · missing 0" in done.stdout
    assert REHEARSAL in done.stdout
    assert "parley compare first-study" in done.stderr


def test_init_overwrites_nothing(installed: Installation) -> None:
    """A study file that is there stays, and so does a dataset."""
    Path("questions.csv").write_text("mine")
    assert batch(installed, "init").exit_code == VERDICT
    again = batch(installed, "init")
    assert (again.exit_code, Path("questions.csv").read_text()) == (USAGE, "mine")
    assert "'study.toml' is there already; name another file" in again.stderr


def test_a_study_file_under_the_name_of_a_dataset_is_not_written(installed: Installation) -> None:
    """What ``batch run`` would take for a dataset is refused with the name that it takes for a study file."""
    wrong = batch(installed, "init", "night")
    assert (wrong.exit_code, Path("night").exists(), Path("questions.csv").exists()) == (USAGE, False, False)
    assert "like 'night.toml'" in wrong.stderr


def test_a_study_that_is_over_is_not_held_again(installed: Installation) -> None:
    """The same file and the same name alike find it finished, and nothing failed to run again."""
    path = written("twice")
    assert batch(installed, "run", path).exit_code == VERDICT
    for argument in (path, "twice"):
        again = batch(installed, "run", argument)
        assert (again.exit_code, "study twice is finished" in again.stderr) == (VERDICT, True)
    retried = batch(installed, "retry", "twice")
    assert (retried.exit_code, "nothing of 'twice' failed" in retried.stderr) == (USAGE, True)
    cancelled = batch(installed, "cancel", "twice")
    assert (cancelled.exit_code, "no batch of 'twice' runs now" in cancelled.stderr) == (USAGE, True)


def test_another_study_of_the_same_name_is_refused(installed: Installation) -> None:
    """The refusal says in what they differ, key by key, and what to do; so does a run and an extension that is dry."""
    assert batch(installed, "run", written("known")).exit_code == VERDICT
    assert batch(installed, "run", "known.toml", "--dry-run").exit_code == VERDICT
    Path("known.toml").write_text(Path("known.toml").read_text().replace("seed = 7", "seed = 8"))
    for dry in ((), ("--dry-run",)):
        done = batch(installed, "run", "known.toml", *dry)
        assert done.exit_code == USAGE
        assert "the ledger has another study 'known'; give this one another name" in done.stderr
        assert "seed: 7 -> 8" in done.stderr
        extended = batch(installed, "extend", "known.toml", *dry)
        assert (extended.exit_code, "seed: 7 -> 8" in extended.stderr) == (USAGE, True)


def test_a_dry_extension_adds_nothing(installed: Installation) -> None:
    """It is compared with what is there, and neither the rows nor the settings of the file are written."""
    assert batch(installed, "run", written("waits")).exit_code == VERDICT
    path = written("waits", f"{QUESTIONS}q3,What is 1 + 3? A) 4 B) 3,A\n", top="window = 3")
    before = standing_of(installed, "waits")

    planned = batch(installed, "extend", path, "--dry-run", "--json")

    assert (planned.exit_code, json.loads(planned.stdout)["deliberations"]) == (VERDICT, 1), planned.stderr
    assert standing_of(installed, "waits") == before
    changed = batch(installed, "extend", written("waits", QUESTIONS.replace("1 + 1", "1 + 9")), "--dry-run")
    assert (changed.exit_code, "line 2: the row 'q1'" in changed.stderr) == (USAGE, True)


def test_a_dry_run_holds_nothing(installed: Installation) -> None:
    """The output states what would run and what it may cost; the ledger does not know the study afterwards."""
    done = batch(installed, "run", written("dry"), "--dry-run", "--json")
    plan = json.loads(done.stdout)
    assert (done.exit_code, plan["study"], plan["deliberations"]) == (VERDICT, "dry", 2)
    assert plan["tokens"] > 0
    assert (plan["first_row"]["line"], plan["first_row"]["id"]) == (2, "q1")
    unknown = batch(installed, "status", "dry")
    assert (unknown.exit_code, "the ledger has no study 'dry'" in unknown.stderr) == (USAGE, True)


def test_bad_rows_are_reported_by_line_and_can_be_left_out(installed: Installation) -> None:
    """Nothing begins while a row cannot be used; with ``--skip-bad`` the others run."""
    path = written("rough", "id,prompt,answer\nq1,What? A) 1 B) 2,A\nq2,,A\nq1,Why? A) 1 B) 2,B\n")
    refused = batch(installed, "run", path)
    assert refused.exit_code == USAGE
    assert "line 3: " in refused.stderr
    assert "line 4: the id 'q1' is that of line 2 too" in refused.stderr
    assert "--skip-bad" in refused.stderr
    done = batch(installed, "run", path, "--skip-bad")
    assert done.exit_code == VERDICT, done.stderr
    assert "line 3 is left out: " in done.stderr
    assert standing_of(installed, "rough")["progress"] == {"total": 1, "completed": 1, "failed": 0, "missing": 0}


def test_a_study_that_goes_on_by_name_takes_no_other_option(installed: Installation) -> None:
    """It runs as it was entered; an option that would change nothing is refused, with what does change it."""
    assert batch(installed, "run", written("fixed")).exit_code == VERDICT
    for option in (["--window", "3"], ["--dry-run"], ["--budget-usd", "1"]):
        done = batch(installed, "run", "fixed", *option)
        assert (done.exit_code, "parley batch window fixed N" in done.stderr) == (USAGE, True)


@pytest.mark.long
def test_a_directory_with_options_is_no_study_s_name(tmp_path: Path) -> None:
    """A directory that is meant as a dataset is called one, although its name could be that of a study."""
    (tmp_path / "home").mkdir()
    Path("folder").mkdir()
    given = ["batch", "run", "folder", "--protocol", "single", "--rehearse"]
    done = CliRunner().invoke(parley, given, env={"PARLEY_HOME": str(tmp_path / "home")})
    assert USAGE == done.exit_code
    assert "'folder' is a directory; name the study file or the dataset in it" in done.stderr


def test_terms_of_a_study_that_is_over_are_kept(installed: Installation) -> None:
    """Window and budget can be set while nothing runs; the next batch has them, and the file takes none back."""
    path = written("kept", top="window = 2")
    assert batch(installed, "run", path).exit_code == VERDICT
    said = batch(installed, "window", "kept", "7").stderr + batch(installed, "budget", "kept", "--usd", "2.5").stderr
    assert "kept runs at most 7 deliberations at once now" in said
    assert "the budget of kept is $2.50 now" in said
    batch(installed, "run", path)
    kept = {"window": 7, "cap": {"usd": 2.5, "tokens": None}, "priority": 4, "pause_after_losses": 5}
    assert kept == standing_of(installed, "kept")["terms"]
    taken = batch(installed, "budget", "kept", "--usd", "none", "--tokens", "1_000")
    assert "the budget of kept is 1,000 tokens now" in taken.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "name a limit in dollars (--usd) or in tokens (--tokens)"),
        (["--usd", "0"], "--usd '0': give a number above 0, or none"),
        (["--usd", "much"], "--usd 'much': give a number above 0, or none"),
        (["--tokens", "inf"], "--tokens 'inf': give a number above 0, or none"),
    ],
)
def test_a_budget_that_is_none_is_refused(installed: Installation, poor: str, options: list[str], said: str) -> None:
    """The refusal names the option, the value and what it may be."""
    done = batch(installed, "budget", poor, *options)
    assert (done.exit_code, said in done.stderr) == (USAGE, True)


@pytest.mark.long
def test_rows_that_a_dataset_has_got_since_are_added(installed: Installation) -> None:
    """Only the new rows run; the same file again has none; an earlier row that changed is refused."""
    assert batch(installed, "run", written("grows")).exit_code == VERDICT
    path = written("grows", f"{QUESTIONS}q3,What is 1 + 3? A) 4 B) 3,A\nq4,,A\n")
    bad = batch(installed, "extend", path, "--dry-run")
    assert (bad.exit_code, "--skip-bad" in bad.stderr) == (USAGE, True)
    skipped = batch(installed, "extend", path, "--dry-run", "--skip-bad")
    assert (skipped.exit_code, "line 5 is left out" in skipped.stderr) == (VERDICT, True), skipped.stderr
    path = written("grows", f"{QUESTIONS}q3,What is 1 + 3? A) 4 B) 3,A\n")
    refused = batch(installed, "run", path)
    assert (refused.exit_code, "dataset.rows: 2 -> 3" in refused.stderr) == (USAGE, True)
    assert "parley batch extend STUDY.toml" in refused.stderr
    done = batch(installed, "extend", path)
    assert done.exit_code == VERDICT, done.stderr
    assert "added: 1 row, 1 deliberation" in done.stderr
    assert standing_of(installed, "grows")["progress"]["completed"] == 3
    assert "study grows is finished" in batch(installed, "extend", path).stderr
    edited = batch(
        installed, "extend", written("grows", f"{QUESTIONS.replace('1 + 1', '1 + 9')}q3,What? A) 4 B) 3,A\n")
    )
    assert (edited.exit_code, "line 2: the row 'q1'" in edited.stderr) == (USAGE, True)


@pytest.mark.long
def test_a_study_is_changed_while_it_runs_and_goes_on_after_it_was_cancelled(installed: Installation) -> None:
    """Each command says what followed or names the one for a study; afterwards its name alone holds what is left."""
    path = written("long", many(16), top="window = 1", protocol="council")
    assert batch(installed, "run", path, "--detach").stdout.strip() == "long"
    assert "long is paused; " in batch(installed, "pause", "long", "--reason", "lunch").stderr
    seen = standing_of(installed, "long")
    assert (seen["status"], seen["state"]["phase"]) == ("running", "paused")
    assert seen["state"]["pause"]["reason"] == "lunch. Resume it with: parley batch resume long"
    refused = batch(installed, "long", command="show")
    assert (refused.exit_code, "parley batch status long" in refused.stderr) == (USAGE, True), refused.stderr
    assert "parley batch status long" in batch(installed, "long/budget", command="watch").stderr
    assert "it is paused already (person): lunch" in batch(installed, "pause", "long").stderr
    assert "run again what failed when it has ended" in batch(installed, "retry", "long").stderr
    again = batch(installed, "run", path, "--window", "3", "--detach")
    assert "study long runs already" in again.stderr
    assert "change them with: parley batch window long N" in again.stderr
    assert "long runs at most 2 deliberations" in batch(installed, "window", "long", "2").stderr
    assert "long is resumed" in batch(installed, "resume", "long").stderr
    cancelled = batch(installed, "cancel", "long")
    assert "long is cancelled; continue it later with: parley batch run long" in cancelled.stderr
    assert "are open; continue with: parley batch run long" in batch(installed, "status", "long").stderr
    left = standing_of(installed, "long")
    assert left["status"] == "completed"
    assert "parley batch status long" in batch(installed, "long", command="show").stderr
    assert left["progress"]["completed"] < 16
    assert (left["progress"]["failed"], left["progress"]["missing"]) == (0, 0)
    assert "long runs at most 8 deliberations" in batch(installed, "window", "long", "8").stderr
    done = batch(installed, "run", "long", "--json")
    assert done.exit_code == VERDICT, done.stderr
    held = json.loads(done.stdout)
    assert held["progress"] == {"total": 16, "completed": 16, "failed": 0, "missing": 0}
    assert held["terms"]["window"] == 8


@pytest.mark.long
def test_a_study_that_its_budget_stopped_states_so_and_goes_on(installed: Installation) -> None:
    """Without a terminal the command ends at the standstill with the reason; a raised budget is enough to continue."""
    path = written("dear", top="window = 2")
    planned = batch(installed, "run", path, "--budget-tokens", "1", "--dry-run")
    assert "it is likely to pause before its end: at the least " in planned.stderr
    stopped = batch(installed, "run", path, "--budget-tokens", "1")
    assert stopped.exit_code == FAILED
    assert "it is likely to pause before its end" in stopped.stderr
    assert "paused (budget): Budget of 1 token reached" in stopped.stdout
    assert "parley batch budget dear --tokens N" in stopped.stdout
    refused = batch(installed, "resume", "dear")
    assert (refused.exit_code, "raise it: parley batch budget dear" in refused.stderr) == (USAGE, True)
    assert "budget of dear is 100,000 tokens now" in batch(installed, "budget", "dear", "--tokens", "1e5").stderr
    assert batch(installed, "run", "dear").exit_code == VERDICT


@pytest.mark.long
def test_what_failed_is_reported_and_can_be_held_again(installed: Installation) -> None:
    """A study without every verdict ends with 1 and the command that holds the rest again, and nothing but that."""
    path = written("broken")
    Path(path).write_text(Path(path).read_text().replace("rehearsal:one", "rehearsal:one+400-model-not-found"))
    done = batch(installed, "run", path)
    assert (done.exit_code, "completed 0 · failed 2 · missing 0" in done.stdout) == (FAILED, True)
    assert "2 without a verdict; run them again: parley batch retry broken" in done.stderr
    assert "study broken is finished" in batch(installed, "run", "broken").stderr
    again = batch(installed, "retry", "broken")
    assert (again.exit_code, "study broken continues: 2 deliberations are open" in again.stderr) == (FAILED, True)
    assert standing_of(installed, "broken")["progress"] == {"total": 2, "completed": 0, "failed": 2, "missing": 0}


@pytest.mark.long
@pytest.mark.parametrize(("protocol", "last"), [("council", "synthesis"), ("consensus", "curation")])
def test_a_study_that_paused_for_a_key_pays_no_answer_twice(installed: Installation, protocol: str, last: str) -> None:
    """What a deliberation had been answered before its key was refused is used when it is run again."""
    asyncio.run(installed.play({"faults": [{"match": {"stage": last}, "fault": "401"}]}))
    stopped = batch(installed, "run", written(f"key-{protocol}", protocol=protocol))
    assert "paused (key)" in stopped.stdout, stopped.stderr
    asyncio.run(installed.play({"faults": []}))
    paid = asyncio.run(installed.arrivals())
    assert batch(installed, "resume", f"key-{protocol}").exit_code == VERDICT
    assert batch(installed, "run", f"key-{protocol}").exit_code == VERDICT
    again = asyncio.run(installed.arrivals())[len(paid) :]
    assert {last} == {one["stage"] for one in again}


@pytest.mark.long
def test_the_list_has_every_study(installed: Installation) -> None:
    """As a table for people and as JSON for programs."""
    assert batch(installed, "run", written("listed")).exit_code == VERDICT
    found = {one["study"]: one for one in json.loads(batch(installed, "list", "--json").stdout)["studies"]}
    assert found["listed"]["progress"]["completed"] == 2
    assert found["listed"]["rehearsal"] is True
    assert "listed (rehearsal)" in batch(installed, "list").stdout


@pytest.mark.long
def test_a_study_is_held_from_nothing_at_all(tmp_path: Path) -> None:
    """Server, worker and models are started for it and stopped again; standard output is one JSON document."""
    ports = port_variables()
    variables = {**os.environ, **ports, "PARLEY_HOME": str(tmp_path / "home"), "PYTHONPATH": os.pathsep.join(sys.path)}
    path = written("alone")
    command = [sys.executable, "-m", "starter.cli", "batch", "run", path, "--rehearse", "--json"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=110)
    assert done.returncode == VERDICT, done.stderr
    assert json.loads(done.stdout)["progress"] == {"total": 2, "completed": 2, "failed": 0, "missing": 0}
    assert not (tmp_path / "home" / "worker.pid").exists()
