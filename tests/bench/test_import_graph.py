import grimp
import pytest

from bench.import_graph import PACKAGES, Shape, modules_of, packages_of, shape_of, upwards
from tests.repository.sources import ROOT

_PAGE = (ROOT / "docs" / "flows.md").read_text("utf-8")


def test_levels_and_circles_are_counted() -> None:
    """A chain has a level for each node; a graph with a circle has none."""
    chain = {"a": frozenset({"b"}), "b": frozenset({"c"}), "c": frozenset[str]()}

    assert shape_of(chain) == Shape(3, 3, 2, 0)
    assert shape_of({**chain, "c": frozenset({"a"})}) == Shape(3, 0, 3, 1)


def test_an_import_against_the_layers_is_named() -> None:
    """An import from a lower layer to a higher one goes up."""
    found: dict[str, frozenset[str]] = {package: frozenset() for package in PACKAGES}

    assert upwards(found) == []
    assert upwards({**found, "ledger": frozenset({"workflows"})}) == ["ledger -> workflows"]


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Return the imports of all packages, as the source has them now."""
    return grimp.build_graph(*PACKAGES, cache_dir=None)


def test_the_picture_of_the_packages_is_that_of_the_source(graph: grimp.ImportGraph) -> None:
    """The diagram in docs/flows.md has exactly the imports between packages."""
    drawn = {tuple(line.split(" --> ")) for line in map(str.strip, _PAGE.splitlines()) if " --> " in line}

    assert drawn == {(one, other) for one, others in packages_of(graph).items() for other in others}


def test_the_page_has_the_numbers_of_now(graph: grimp.ImportGraph) -> None:
    """The table below the diagrams counts the packages and the command line as they are."""
    packages, starter = shape_of(packages_of(graph)), shape_of(modules_of(graph, "starter"))

    assert f"| packages now | {packages.nodes} | {packages.levels} | {packages.arrows} |" in _PAGE
    assert f"| `starter` now | {starter.nodes} | {starter.levels} | {starter.arrows} |" in _PAGE


def test_the_command_line_has_few_levels(graph: grimp.ImportGraph) -> None:
    """No chain of imports among the modules of the command line is longer than six modules."""
    assert shape_of(modules_of(graph, "starter")).levels <= 6
