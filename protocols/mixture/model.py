"""The values of a mixture of agents: layers of proposers, then an aggregator."""

from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from protocols.answers import AnswerForm, AnswerRead
from protocols.deliberation import DeliberationInput, DeliberationResult
from protocols.model_call import Answered, FrozenModel, LostCall, ParticipantId
from protocols.transcript import Transcript
from protocols.votes import Tally, Vote

AGGREGATION = "aggregation"
"""The last stage; those before it are the layers, ``layer-1`` …"""

AGGREGATOR = ParticipantId("aggregator")
"""What the chair's seat is called in a mixture: ``Panel.of(…, chair_seat=AGGREGATOR)``."""

DEFAULT_LAYERS = 2
MOST_LAYERS = 5

StopReason = Literal["verdict", "stopped", "budget", "cancelled", "no_answers", "participant_lost", "aggregator_lost"]
"""How it ends.

With a verdict; stopped or cancelled by a user; with too small a budget; no answer in the first layer; STRICT lost a
proposer; STRICT got no aggregation.
"""

DecidedBy = Literal["aggregator", "fallback_aggregator", "fallback", "none"]
"""Who wrote the verdict: the aggregator, one of its fallbacks, none of them (a proposer's own last answer), or not
written."""


def stage_of(layer: int) -> str:
    """Return the stage of one layer of proposers, counted from 1."""
    return f"layer-{layer}"


class MixtureInput(DeliberationInput):
    """The input of a mixture.

    The participants propose in every layer; the chair aggregates, and after it its fallbacks, if any are named.
    """

    ANSWER_READERS = frozenset({"mixture.proposal", "mixture.aggregation"})

    layers: int = Field(default=DEFAULT_LAYERS, ge=1, le=MOST_LAYERS)
    """Layers of proposers before the aggregator; the paper's four-layer network is 3 here."""
    answer: AnswerForm = AnswerForm()
    """Set when answers already paid for under the same id must not be used again."""

    @model_validator(mode="after")
    def _has_its_draws(self) -> Self:
        if self.draws is not None:
            self.draws.require(order=tuple(seat.id for seat in self.panel.participants))
        return self

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages in order: ``layer-1`` … and ``aggregation``."""
        return (*(stage_of(number) for number in range(1, self.layers + 1)), AGGREGATION)


class Proposal(AnswerRead):
    """The reading of a proposer's reply."""

    shown: str
    """The answer as peers see it: the model's naming of itself replaced."""
    names_hidden: tuple[str, ...] = ()
    """What was replaced, as found. Empty: ``shown`` is the reply's own text."""


class Layer(FrozenModel):
    """One completed layer of proposers."""

    number: int = Field(ge=1)
    asked: tuple[ParticipantId, ...]
    answers: tuple[Answered, ...] = ()
    """In panel order; empty when the whole layer was lost."""
    lost: tuple[ParticipantId, ...] = ()
    """Lost proposers; those neither here nor in ``answers`` were not called because of a stop."""


class MixtureRecord(FrozenModel):
    """The record of a mixture."""

    layers: tuple[Layer, ...] = ()
    aggregation: Answered | None = None
    decided_by: DecidedBy = "none"
    lost: tuple[LostCall, ...] = ()


class LayerCount(FrozenModel):
    """The counts of one layer."""

    number: int = Field(ge=1)
    asked: int = Field(ge=0)
    answered: int = Field(ge=0)
    votes: tuple[Vote, ...] = ()
    """What each proposer's answer says for, in panel order; recorded, not decisive."""
    tally: Tally = Tally()


class MixtureResult(DeliberationResult):
    """The result of a mixture."""

    protocol: Literal["mixture"] = "mixture"
    decided_by: DecidedBy
    aggregator: str | None = None
    """The name of the model whose text the verdict is."""
    stop_reason: StopReason
    layers: tuple[LayerCount, ...] = ()
    zombies: tuple[ParticipantId, ...] = ()
    """Proposers lost in two layers in a row and asked no more, in panel order."""
    shown_order: tuple[ParticipantId, ...] = ()
    """The order, drawn once, in which answers are shown as Answer 1, Answer 2 …; those lost are left out of it."""
    transcript: Transcript

    def columns(self) -> dict[str, float | None]:
        """Return the agreement of the last layer."""
        return {"agreement": self.layers[-1].tally.agreement if self.layers else None}

    def scores(self) -> dict[str, float | None]:
        """Return the number of layers and the count of the last one."""
        return {"layers": len(self.layers), **(self.layers[-1].tally.scores() if self.layers else {})}

    def votes_cast(self) -> dict[str, JsonValue]:
        """Return the final answer and how many proposers of the last layer gave each one."""
        return (self.layers[-1].tally if self.layers else Tally()).votes(self.answer)
