"""The import contracts checked on the imports of the packages with one more import, which is in no file."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from copy import deepcopy
from io import StringIO

import grimp
from grimp import ImportGraph
from importlinter.application.app_config import settings
from importlinter.application.ports.building import GraphBuilder
from importlinter.application.use_cases import lint_imports
from importlinter.configuration import configure

from tests.repository.sources import ROOT

configure()


class PlantedGraph(GraphBuilder):
    """The imports of all packages, read once, and a copy of them with another import for each check.

    To read the packages again for each of many violations would take most of a minute.
    """

    def __init__(self, packages: list[str]) -> None:
        self._packages = packages
        self._read = self._planted = grimp.build_graph(*packages, include_external_packages=True, cache_dir=None)

    def build(self, *_: object, **__: object) -> ImportGraph:
        """Return the imports that are to be checked; the linter calls it."""
        return self._planted

    def plant(self, importer: str, imported: str | None) -> None:
        """Have the module ``importer``, which may be a new one, import ``imported`` unless it is None."""
        self._planted = deepcopy(self._read)
        self._planted.add_module(importer)
        if imported is None:
            return
        top = imported.partition(".")[0]
        is_ours = top in self._packages
        if is_ours and imported not in self._read.modules:
            raise ValueError(f"there is no module {imported}")
        if not is_ours:
            self._planted.add_module(top, is_squashed=True)  # a library is one module to the linter
        self._planted.add_import(importer=importer, imported=imported if is_ours else top)


@contextmanager
def linting(graph: GraphBuilder) -> Iterator[None]:
    """Have the linter check ``graph`` instead of reading the packages."""
    before, path = settings.GRAPH_BUILDER, list(sys.path)
    settings.configure(GRAPH_BUILDER=graph)
    yield
    settings.configure(GRAPH_BUILDER=before)
    sys.path[:] = path


def linted(*contracts: str) -> tuple[int, str]:
    """Return the exit code of the linter and its output, for the contracts with these ids or for all.

    Its command is not called: that disables every logger of this process, and the tests after it lose their lines.
    """
    output = StringIO()
    with redirect_stdout(output):
        passed = lint_imports(str(ROOT / "pyproject.toml"), contracts, cache_dir=None, no_logo=True)
    return int(not passed), " ".join(output.getvalue().split())
