"""A count of the import graph: packages, levels, arrows and circles, of the whole and inside each package.

``python -m bench.import_graph`` prints the tables; ``--mermaid`` prints the packages as a diagram for a page.
"""

import sys
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

import grimp
from rich.console import Console
from rich.table import Table

LAYERS = ("starter", "report", "studies", "parley", "workflows", "activities", "ledger", "protocols")
"""From the top down; an import against this order goes up."""
PACKAGES = (*LAYERS, "runtime", "rehearsal")

Graph = Mapping[str, frozenset[str]]
"""By node, the nodes that it imports."""


class Shape(NamedTuple):
    """The shape of one graph."""

    nodes: int
    levels: int
    arrows: int
    circles: int


def shape_of(graph: Graph) -> Shape:
    """Return the shape of ``graph``; with a circle it has no levels."""
    sorter = TopologicalSorter(graph)
    arrows = sum(map(len, graph.values()))
    try:
        sorter.prepare()
    except CycleError:
        return Shape(len(graph), 0, arrows, 1)
    levels = 0
    while sorter.is_active():
        sorter.done(*sorter.get_ready())
        levels += 1
    return Shape(len(graph), levels, arrows, 0)


def modules_of(graph: grimp.ImportGraph, package: str) -> Graph:
    """Return the imports between the modules of ``package``."""
    inside = {package, *graph.find_descendants(package)}
    return {one: frozenset(graph.find_modules_directly_imported_by(one) & inside) for one in sorted(inside)}


def packages_of(graph: grimp.ImportGraph) -> Graph:
    """Return the imports between packages."""
    found: dict[str, set[str]] = {package: set() for package in PACKAGES}
    for module in graph.modules:
        for other in graph.find_modules_directly_imported_by(module):
            found[module.partition(".")[0]].add(other.partition(".")[0])
    return {package: frozenset(others - {package}) for package, others in found.items()}


def upwards(packages: Graph) -> list[str]:
    """Return the imports against the order of the layers."""
    place = {package: number for number, package in enumerate(LAYERS)}
    return [
        f"{package} -> {other}"
        for package in LAYERS
        for other in sorted(packages[package])
        if other in place and place[other] < place[package]
    ]


def main() -> None:
    """Print the counts, or the packages as a diagram."""
    graph = grimp.build_graph(*PACKAGES)
    packages = packages_of(graph)
    if "--mermaid" in sys.argv:
        print("graph TD")
        print("\n".join(f"    {one} --> {other}" for one in PACKAGES for other in sorted(packages[one])))
        return
    table = Table(
        "graph", "nodes", "levels", "arrows", "circles", title=f"imports upwards: {upwards(packages) or 'none'}"
    )
    table.add_row("packages", *map(str, shape_of(packages)))
    for package in PACKAGES:
        table.add_row(f"modules of {package}", *map(str, shape_of(modules_of(graph, package))))
    Console().print(table)


if __name__ == "__main__":
    main()
