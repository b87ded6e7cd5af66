"""The distribution of the tests: every one runs once, and the tests of a file run in one process."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.fakes.file_scheduling import FileScheduling

TESTS = [f"tests/test_{file}.py::test_{number}" for file in "abcde" for number in range(4)]


class Process:
    """A process of xdist: it runs what it is sent, one test after the other."""

    def __init__(self) -> None:
        """Begin without tests."""
        self.waiting: list[str] = []
        self.run: list[str] = []
        self.shutting_down = False
        self.gateway = SimpleNamespace(id="gw0")

    def send_runtest_some(self, positions: list[int]) -> None:
        """Take tests by their places in the collection."""
        self.waiting += [TESTS[at] for at in positions]

    def shutdown(self) -> None:
        """Take no more tests."""
        self.shutting_down = True


def config_of(distribution: str) -> Any:
    """The settings of a run in two processes."""
    values = {"tx": ["2*popen"], "dist": distribution, "maxprocesses": None}
    return SimpleNamespace(getvalue=values.get, option=SimpleNamespace(loadscopereorder=False))


def begun() -> tuple[Any, list[Process]]:
    """A scheduler and two processes with their first files."""
    scheduler: Any = FileScheduling(config_of("loadfile"))
    processes = [Process(), Process()]
    for process in processes:
        scheduler.add_node(process)
    for process in processes:
        scheduler.add_node_collection(process, TESTS)
    scheduler.schedule()
    return scheduler, processes


def step(scheduler: Any, process: Process) -> None:
    """Run the next test of a process."""
    name = process.waiting.pop(0)
    process.run.append(name)
    scheduler.mark_test_complete(process, TESTS.index(name))


def file_of(name: str) -> str:
    """The file of a test."""
    return name.partition("::")[0]


def test_every_test_runs_once_and_a_file_in_one_process() -> None:
    """The faster process takes more files; at the end both are shut down."""
    scheduler, (slow, fast) = begun()
    while slow.waiting or fast.waiting:
        for process in (fast, fast, slow):
            if process.waiting:
                step(scheduler, process)

    assert sorted(TESTS) == sorted(slow.run + fast.run)
    assert not set(map(file_of, slow.run)) & set(map(file_of, fast.run))
    assert len(slow.run) < len(fast.run)
    assert slow.shutting_down
    assert fast.shutting_down


def test_what_a_crashed_process_has_not_run_runs_elsewhere() -> None:
    """The test in which it crashed is named, and none that it has run is run again."""
    scheduler, (crashing, other) = begun()
    for _ in range(5):
        step(scheduler, crashing)
    last = crashing.waiting[0]

    assert last == scheduler.remove_node(crashing)
    while other.waiting:
        step(scheduler, other)
    assert set(TESTS) - set(crashing.run) == set(other.run)


@pytest.mark.parametrize(("distribution", "own"), [("loadfile", True), ("load", False)])
def test_it_distributes_by_file_in_every_run(request: pytest.FixtureRequest, distribution: str, own: bool) -> None:
    """Where tests are distributed by file it is the scheduler; another distribution stays as it is."""
    asked = request.config.hook.pytest_xdist_make_scheduler
    assert own == isinstance(asked(config=config_of(distribution), log=None), FileScheduling)
