from bench.import_graph import PACKAGES, Shape, modules_of, packages_of, shape_of, upwards
from tests.repository.sources import ROOT


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


def test_the_picture_of_the_packages_is_that_of_the_source() -> None:
    """The diagram in docs/flows.md has exactly the imports between packages."""
    import grimp  # noqa: PLC0415 - it takes a second, and only this test needs it

    page = (ROOT / "docs" / "flows.md").read_text("utf-8")
    drawn = {tuple(line.split(" --> ")) for line in map(str.strip, page.splitlines()) if " --> " in line}
    packages = packages_of(grimp.build_graph(*PACKAGES))

    assert drawn == {(one, other) for one, others in packages.items() for other in others}


def test_the_command_line_has_few_levels() -> None:
    """No chain of imports among the modules of the command line is longer than six modules."""
    import grimp  # noqa: PLC0415 - it takes a second

    assert shape_of(modules_of(grimp.build_graph("starter", cache_dir=None), "starter")).levels <= 6
