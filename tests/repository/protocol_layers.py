"""An import contract: layers of modules below the modules of the protocols."""

from dataclasses import replace
from typing import cast

from grimp import ImportGraph
from importlinter import ContractCheck, fields
from importlinter.contracts.layers import Layer, LayersContract, ModuleTail

from tests.repository.one_protocol import protocol_packages


class ProtocolLayersContract(LayersContract):
    """The modules that are named like a protocol belong to the top layer, so a new protocol needs no mention."""

    type_name = "protocol_layers"

    protocols = fields.StringField()

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Return what the layers forbid once the protocols are placed."""
        top, *below = cast("list[Layer]", self.layers)
        names = {name.rpartition(".")[2] for name in protocol_packages(graph, str(self.protocols))}
        missing = names - {tail.name for tail in top.module_tails}
        placed = {ModuleTail(name, is_optional=True) for name in missing}
        layers = [replace(top, module_tails=top.module_tails | placed), *below]
        self.layers = layers  # type: ignore[assignment]  # the linter puts the values of the fields here
        return super().check(graph, verbose)
