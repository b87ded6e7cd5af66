"""An import contract: a module knows one protocol at most."""

from collections.abc import Iterator

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


def protocol_packages(graph: ImportGraph, protocols: str) -> set[str]:
    """Return the packages directly below ``protocols``."""
    return {name for name in graph.find_children(protocols) if graph.find_children(name)}


class OneProtocolContract(Contract):
    """Each module of some packages reaches one protocol package at most, directly or through modules beside it.

    A protocol package is any package directly below ``protocols``, so a new one needs no mention.
    """

    type_name = "one_protocol"

    packages = fields.ListField(subfield=fields.StringField())
    protocols = fields.StringField()
    not_followed = fields.SetField(subfield=fields.StringField(), required=False)
    """Modules whose imports are not counted for those that import them."""

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Return the modules that reach several."""
        known = protocol_packages(graph, str(self.protocols))
        reached = {module: self._reached(graph, module, known) for module in self._modules(graph)}
        several = {module: sorted(found) for module, found in reached.items() if len(found) > 1}
        return ContractCheck(kept=not several, metadata={"several": several})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the modules that reach several."""
        for module, found in sorted(check.metadata["several"].items()):
            output.print_error(f"{module} reaches {', '.join(found)}", bold=False)

    def _modules(self, graph: ImportGraph) -> Iterator[str]:
        for package in self.packages:  # type: ignore[attr-defined]  # the linter puts the values of the fields here
            yield from graph.find_descendants(package)

    def _reached(self, graph: ImportGraph, module: str, known: set[str]) -> set[str]:
        """Return the protocol packages that ``module`` reaches without leaving the packages of the contract."""
        inside = tuple(f"{name}." for name in self.packages)  # type: ignore[attr-defined]  # as above
        seen, waiting = {module}, [module]
        while waiting:
            found = {name for name in graph.find_modules_directly_imported_by(waiting.pop()) if name.startswith(inside)}
            waiting += found - seen - set(self.not_followed)  # type: ignore[call-overload]  # as above
            seen |= found
        return {package for package in known for name in seen if name == package or name.startswith(f"{package}.")}
