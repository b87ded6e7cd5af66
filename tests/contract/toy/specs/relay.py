"""A relay."""

from typing import Annotated

from parley.options.ask import Options, Rename
from parley.options.roles import MODELS, Seats, first_of
from parley.specs.protocol_spec import ProtocolSpec
from protocols.panel import Panel
from protocols.relay.model import RelayInput, RelayResult
from protocols.relay.prompts import PACK
from protocols.tables import ResultView, utterance


class RelayOptions(Options):
    """The options of a relay."""

    PROTOCOL = "relay"
    INPUT = RelayInput
    PROMPTS = PACK

    models: Annotated[Seats, MODELS] = ()
    """The models in their order; by default the panel's."""
    backwards: bool = False
    """Let the last model begin."""

    def _seated(self, rename: Rename) -> Panel:
        models = tuple(map(rename, self.models))
        return Panel.of(models, first_of(models), twice=self.allow_duplicates)


RELAY: ProtocolSpec[RelayInput, RelayResult, RelayOptions] = ProtocolSpec(
    options=RelayOptions,
    result=RelayResult,
    view=lambda result: ResultView((), "the last model", tuple(map(utterance, result.transcript.turns))),
    describe=lambda inp: "backwards" if inp.backwards else "",
    unused_seats=lambda inp: (inp.panel.chair_seat,),
)
