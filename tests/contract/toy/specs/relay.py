"""A relay."""

from collections.abc import Mapping
from typing import ClassVar

from parley.options.ask import Options, Rename, first_of
from parley.options.written import Names
from parley.specs.protocol_spec import ProtocolSpec
from protocols.model_call import CallTimeouts
from protocols.panel import Panel
from protocols.relay.model import RelayInput, RelayResult
from protocols.relay.prompts import PACK
from protocols.tables import ResultView, utterance


class RelayOptions(Options):
    """The options of a relay."""

    PROTOCOL: ClassVar[str] = "relay"
    ROLES: ClassVar[str] = "relay"
    SEATED_BY: ClassVar[tuple[str, ...]] = ("models",)

    models: Names = ()
    """The models in their order; by default the panel's."""
    backwards: bool = False
    """Let the last model begin."""

    def _seated(self, rename: Rename) -> Panel:
        models = tuple(map(rename, self.models))
        return Panel.of(models, first_of(models), twice=self.allow_duplicates)

    def to_input(
        self, question: str, *, queues: Mapping[str, str], private: bool = False, salt: str = ""
    ) -> RelayInput:
        """Return the argument of the workflow."""
        asked = self._asked(question, CallTimeouts(), private=private)
        return RelayInput(**asked, prompts=PACK, backwards=self.backwards, queues=dict(queues), salt=salt)


RELAY = ProtocolSpec(
    name="relay",
    input=RelayInput,
    result=RelayResult,
    options=RelayOptions,
    to_input=lambda options, asked, means: options.to_input(asked["question"], **means),
    view=lambda result: ResultView((), "the last model", tuple(map(utterance, result.transcript.turns))),
    describe=lambda inp: "backwards" if inp.backwards else "",
    unused_seats=lambda inp: (inp.panel.chair_seat,),
)
