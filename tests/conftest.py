"""What every run of the tests begins and ends with."""

import gc
import os
from collections import defaultdict
from collections.abc import Mapping
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.brief_reports import BriefReports, is_enough
from tests.fakes.open_loops import OpenLoops

_FOR_TESTS = {"PARLEY_SCORED_QUESTIONS", "PARLEY_STUDY_QUESTIONS"}
"""Variables of tests; no settings of the program."""

for name in [name for name in os.environ if name.startswith(("PARLEY_", "TEMPORAL_")) and name not in _FOR_TESTS]:
    del os.environ[name]  # what the caller's shell has set for his own work
os.environ["PARLEY_CHECK_MODELS"] = "false"  # no test asks a provider beyond this machine
os.environ.setdefault("GOGC", "400")  # servers of tests are small and end soon: a fifth of their work was garbage

gc.disable()  # what is imported and collected stays: looking for garbage among it took two fifths of the collection

_OBJECTS_BEFORE_A_LOOK = 10_000
_CHECKS = Path(__file__).with_name("repository")


def pytest_configure(config: pytest.Config) -> None:
    """Where tests run, have the fixtures ready, and look after every test for the event loops it has left open."""
    if config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput"):
        gc.freeze()  # pytest looks for garbage five times at the end
        return
    if hasattr(config, "workerinput"):
        begin_elsewhere(config, config.workerinput)
        if is_enough(config.option):
            config.pluginmanager.register(BriefReports())
    config.pluginmanager.import_plugin("tests.fixtures")
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    patch.setattr("temporalio.worker._worker._default_build_id", "tests")  # else it hashes every module of the process
    config.pluginmanager.register(OpenLoops(patch))


def begin_elsewhere(config: pytest.Config, given: Mapping[str, Any]) -> None:
    """Have each process begin to collect at another file: of those that were never compiled, it compiles its share."""
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        files = sorted(
            str(file) for place in config.args for file in config.rootpath.joinpath(place).rglob("test_*.py")
        )
        start = len(files) * int(given["workerid"].removeprefix("gw")) // given["workercount"]
        config.args[:] = files[start:] + files[:start]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have the same order in every process, and mark what checks the source."""
    items.sort(key=lambda item: item.path)
    for item in items:
        if item.path.parent == _CHECKS:
            item.add_marker("source")


@pytest.hookimpl(trylast=True, specname="pytest_collection_modifyitems")
def begin_with_long_files(items: list[pytest.Item]) -> None:
    """Begin with the files that may take longest, put those that wait between them, and those that never do last.

    No process is left with a long one at the end, and while one waits for what it started, others are worked on.
    """
    limits: defaultdict[Path, float] = defaultdict(float)
    waits: defaultdict[Path, bool] = defaultdict(bool)
    for item in items:
        limit = item.get_closest_marker("timeout")
        limits[item.path] = max(limits[item.path], limit.args[0] if limit else 0)
        waits[item.path] |= isinstance(item, pytest.Function) and iscoroutinefunction(item.obj)
    long = sorted((path for path, limit in limits.items() if limit), key=lambda path: -limits[path])
    short = [path for path, limit in limits.items() if not limit and waits[path]]
    places = {path: (n / len(files), files is short) for files in (long, short) for n, path in enumerate(files)}
    items.sort(key=lambda item: places.get(item.path, (1, True)))


def pytest_collection_finish() -> None:
    """Look for garbage again, among new objects alone."""
    gc.freeze()
    gc.set_threshold(_OBJECTS_BEFORE_A_LOOK)
    gc.enable()
