import statistics
from collections import Counter
from pathlib import Path

import pytest

from tests.repository.sources import PACKAGES, Function, functions, listed, modules, shown

MEDIAN, TENTH, LONGEST, LONGEST_RUN = 10, 30, 50, 60
FILE, PROMPT_FILE = 300, 400
SOURCE = 78_510
"""Lines of all packages but the benchmarks; what needs more raises it where a reviewer sees it (decision 0034)."""


def over_budget(found: list[Function]) -> list[str]:
    """The functions that are too long, the longest first."""
    long = [f for f in found if f.lines > (LONGEST_RUN if f.is_workflow_run else LONGEST)]
    return [str(function) for function in sorted(long, key=lambda f: -f.lines)]


def longest_of(found: list[Function]) -> list[str]:
    """The ten longest functions, as a user who must shorten some wants them."""
    return [str(function) for function in sorted(found, key=lambda f: -f.lines)[:10]]


def file_budget(path: Path) -> int:
    """How many lines the file may have."""
    return PROMPT_FILE if path.name == "prompts.py" else FILE


@pytest.fixture(scope="module")
def measured() -> list[Function]:
    """Return every function of the packages."""
    return [function for path in modules(*PACKAGES) for function in functions(path)]


def test_every_package_is_measured() -> None:
    """No package is missing from the measurement."""
    places = {shown(path).partition("/")[0] for path in modules(*PACKAGES)}

    assert set(PACKAGES) == places


def test_no_function_is_too_long(measured: list[Function]) -> None:
    """A function has at most 50 lines, the run of a workflow at most 60."""
    found = over_budget(measured)

    assert not found, listed(found)


def test_the_median_function_is_short(measured: list[Function]) -> None:
    """Half of all functions have at most 10 lines."""
    assert statistics.median(f.lines for f in measured) <= MEDIAN, listed(longest_of(measured))


def test_nine_of_ten_functions_are_short(measured: list[Function]) -> None:
    """Nine of ten functions have at most 30 lines."""
    assert statistics.quantiles((f.lines for f in measured), n=10)[-1] <= TENTH, listed(longest_of(measured))


def test_no_file_is_too_long() -> None:
    """A file has at most 300 lines, a file of prompts at most 400."""
    sizes = [(path, len(path.read_text("utf-8").splitlines())) for path in modules(*PACKAGES)]
    found = [f"{shown(path)} has {size} lines" for path, size in sizes if size > file_budget(path)]

    assert not found, listed(found)


def test_the_source_grows_no_further() -> None:
    """All packages without the benchmarks keep to a budget together."""
    sizes = Counter[str]()
    for path in modules(*set(PACKAGES) - {"bench"}):
        sizes[shown(path).partition("/")[0]] += len(path.read_text("utf-8").splitlines())

    assert sizes.total() <= SOURCE, listed([f"{package}: {lines} lines" for package, lines in sizes.most_common()])


@pytest.mark.parametrize(("lines", "complaints"), [(50, 0), (51, 1)])
def test_a_long_function_is_seen(tmp_path: Path, lines: int, complaints: int) -> None:
    """The measurement itself notices the line that is too much."""
    path = tmp_path / "long.py"
    path.write_text("async def f():\n" + "    x = 1\n" * (lines - 1))

    assert complaints == len(over_budget(list(functions(path))))


@pytest.mark.parametrize(("lines", "complaints"), [(60, 0), (61, 1)])
def test_the_run_of_a_workflow_may_be_longer(tmp_path: Path, lines: int, complaints: int) -> None:
    """A schedule that reads from top to bottom gets ten lines more, and no eleventh."""
    path = tmp_path / "schedule.py"
    path.write_text("class W:\n    @workflow.run\n    async def run(self):\n" + "        x = 1\n" * (lines - 1))

    assert complaints == len(over_budget(list(functions(path))))
