"""The protocols, one line each, in a table that imports a specification when it is first used.

A protocol has a package below ``protocols``, a workflow in ``workflows``, a specification here and its line in
``PROTOCOLS``. Everything else that differs between protocols is read from the specification.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from workflows.by_protocol import module_name, wire_name

if TYPE_CHECKING:  # a specification imports options and results, which a list of names does not need
    from parley.specs.protocol_spec import AnySpec


class Preset(NamedTuple):
    """A command that asks a protocol with some numbers set."""

    protocol: str
    summary: str
    """Its line in the help."""


class ProtocolTable(Mapping[str, "AnySpec"]):
    """Specifications by name.

    Args:
        summaries: Name and line in the help. The specification of ``fire-circle`` is ``FIRE_CIRCLE`` in the module
            ``fire_circle`` beside this one.
        presets: Presets by the names of their commands.
    """

    def __init__(self, summaries: Mapping[str, str], presets: Mapping[str, Preset]) -> None:
        self.summaries = summaries
        self.presets = presets
        self._by_workflow = {wire_name(name): name for name in summaries}

    def __getitem__(self, name: str) -> "AnySpec":
        """Import the specification of the protocol called ``name``."""
        if name not in self.summaries:
            raise KeyError(name)
        module = module_name(name)
        spec: AnySpec = getattr(import_module(f"{__package__}.{module}"), module.upper())
        return spec

    def __iter__(self) -> Iterator[str]:
        return iter(self.summaries)

    def __len__(self) -> int:
        return len(self.summaries)

    @property
    def workflow_types(self) -> tuple[str, ...]:
        """The workflow types of all protocols, as clients write them."""
        return tuple(self._by_workflow)

    def of_workflow(self, workflow_type: str) -> "AnySpec":
        """Return the specification of the protocol of that workflow type, one of ``workflow_types``."""
        return self[self._by_workflow[workflow_type]]


PROTOCOLS = ProtocolTable(
    {
        "council": "Ask a council of models one question.",
        "consensus": "Have three models improve one answer until all accept it.",
        "fire-circle": "Have a circle of models judge a prompt in a dialogue.",
        "fire-circle-baseline": "Have one model, or several without a dialogue, judge a prompt.",
        "debate": "Have models debate a topic in rounds, in one of seven modes.",
        "vote": "Ask models one question, each several times, and count the answers.",
        "mixture": "Have layers of models improve their answers, and one aggregate them.",
    },
    presets={
        "single": Preset("vote", "Ask one model one question once."),
        "self-consistency": Preset("vote", "Ask one model one question several times, and count its answers."),
        "majority": Preset("vote", "Ask each model of a panel one question once, and count the answers."),
    },
)
"""The name of each protocol and its line in the help, and the presets that have a command."""
