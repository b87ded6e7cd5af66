"""How a run of the tests begins and ends."""

import ast
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.processes import is_working
from tests import conftest, fixtures
from tests.fakes.ending import SETPRIV
from tests.fakes.postgres import remove_left
from tests.repository.sources import ROOT


async def waits() -> None:
    """Do nothing, as a coroutine."""


def item(path: str, name: str, limit: int | None = None, obj: Any = waits) -> Any:
    """Return a test of a file, with a time limit or none, and whose function is a coroutine or not."""
    marker = pytest.mark.timeout(limit).mark if limit else None
    marks: list[str] = []
    found: Any = SimpleNamespace(path=Path(path), name=name, obj=obj, marks=marks, add_marker=marks.append)
    found.get_closest_marker = lambda _: marker
    return found


def test_long_files_begin_others_that_wait_are_between_them_and_the_rest_ends() -> None:
    """Tests of one file stay together and in their order, and files of one limit too."""
    items = [item("0", "0", obj=item), item("a", "a1"), item("b", "b1"), item("b", "b2", 120), item("c", "c1", 240)]
    items += [item("d", "d1", obj=item), item("d", "d2"), item("e", "e1", obj=item)]
    conftest.begin_with_long_files(items)
    assert [one.name for one in items] == ["c1", "a1", "b1", "b2", "d1", "d2", "0", "e1"]


def test_processes_collect_other_files_first_and_have_one_order() -> None:
    """Each of two processes begins at its half of the files, and then both have the tests of all in the same order."""
    found = []
    for number in range(2):
        place = str(Path(__file__).parent.relative_to(ROOT))
        source = pytest.Config.ArgsSource.TESTPATHS
        config: Any = SimpleNamespace(args=[place], args_source=source, rootpath=ROOT)
        conftest.begin_elsewhere(config, {"workerid": f"gw{number}", "workercount": 2})
        found.append(config.args)
    items = [[item(path, path) for path in paths] for paths in found]
    for some in items:
        conftest.pytest_collection_modifyitems(some)

    half = len(found[0]) // 2
    assert found[1] == found[0][half:] + found[0][:half]
    assert [one.name for one in items[0]] == [one.name for one in items[1]] == sorted(found[0])


def test_checks_of_the_source_are_marked() -> None:
    """A run of the tests can leave out what reads the source and runs none of it."""
    items = [item(__file__, "check"), item(str(ROOT / "tests" / "ledger" / "test_store.py"), "test")]
    conftest.pytest_collection_modifyitems(items)

    assert {"check": ["source"], "test": []} == {one.name: one.marks for one in items}


STARTS = """
import asyncio, subprocess, sys
from pathlib import Path
from tests.fakes.ending import program_with_parent, with_parent
from tests.fakes.programs import start_program

sleep = Path(sys.argv[1])
lines = [with_parent([str(sleep), "600"]), [str(program_with_parent(sleep)), "600"]]
started = [subprocess.Popen(line).pid for line in lines]
out = Path(sys.argv[2], "out")
started.append(start_program(["rehearsal", "--port", "0"], {"PYTHONPATH": sys.argv[3]}, out).pid)
while "rehearsal" not in out.read_text():
    pass
print(*started, flush=True)
input()
"""
"""A run of the tests with a program of every kind."""


@pytest.mark.skipif(SETPRIV is None, reason="the system ends no program with its parent, or setpriv is absent")
@pytest.mark.timeout(60)
def test_programs_end_with_a_run_that_is_killed(tmp_path: Path) -> None:
    """A run that is killed leaves no server and no other program behind."""
    arguments = [shutil.which("sleep") or "", str(tmp_path), str(ROOT)]
    run = [sys.executable, "-c", STARTS, *arguments]
    with subprocess.Popen(run, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        started = [int(pid) for pid in killed.stdout.readline().split()]
        assert [True] * 3 == [is_working(pid) for pid in started]
        killed.kill()
    while any(is_working(pid) for pid in started):
        time.sleep(0.05)


def test_databases_of_killed_processes_are_removed(tmp_path: Path) -> None:
    """The next run removes them, and none of a process that is there."""
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    for pid in (dead.pid, os.getpid(), 1):
        (tmp_path / f"parley-pg-{pid}-x" / "data").mkdir(parents=True)
    remove_left(str(tmp_path))

    assert {f"parley-pg-{pid}-x" for pid in (os.getpid(), 1)} == {path.name for path in tmp_path.iterdir()}


def test_databases_are_removed_after_the_last_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test pays with its time limit for the files of all others."""
    removed: list[str] = []
    stopped = SimpleNamespace(remove=lambda: removed.append("server"))
    monkeypatch.setattr(fixtures, "_stopped", [stopped])
    fixtures.pytest_sessionfinish()
    assert removed == ["server"]


def test_settings_of_the_shell_reach_no_test() -> None:
    """What a developer has exported for work of his own changes no test, and how long a test is stays his to say."""
    exported = {"PARLEY_SERVER_PORT": "9001", "TEMPORAL_ADDRESS": "elsewhere:7233", "PARLEY_STUDY_QUESTIONS": "80"}
    program = "import os, tests.conftest; print({k for k in os.environ if k.startswith(('PARLEY_', 'TEMPORAL_'))})"
    variables = os.environ | exported | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=True)
    assert ast.literal_eval(done.stdout) == {"PARLEY_CHECK_MODELS", "PARLEY_STUDY_QUESTIONS"}
