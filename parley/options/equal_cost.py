"""The options of the baselines of equal cost: votes of models x samples, and layers of proposers."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from parley.options.answer import AnswerOptions
from parley.options.ask import Rename, UsualKeywords
from parley.options.roles import CONCLUDING, FALLBACKS, MODELS, GivenSeat, GivenSeats, MaybeSeat, Seats, first_of
from parley.options.written import Names, Written
from protocols.answers import AnswerForm
from protocols.mixture.model import AGGREGATOR, DEFAULT_LAYERS, MOST_LAYERS, MixtureInput
from protocols.mixture.prompts import PACK as MIXTURE
from protocols.named_panel import PanelLibrary
from protocols.panel import Panel
from protocols.vote.model import MOST_SAMPLES, PRESETS, PresetName, VoteInput
from protocols.vote.prompts import PACK as VOTE


class VoteKeywords(UsualKeywords, total=False):
    """The keywords of ``Parley.vote``, described in ``VoteOptions``."""

    preset: PresetName | None
    models: GivenSeats
    samples: int | None
    answer: str | None


class MixtureKeywords(UsualKeywords, total=False):
    """The keywords of ``Parley.mixture``, described in ``MixtureOptions``."""

    models: GivenSeats
    aggregator: GivenSeat | None
    aggregator_fallbacks: tuple[str, ...] | list[str]
    layers: int
    answer: str | None


class VoteOptions(AnswerOptions):
    """Options of a vote.

    The answers are independent; a tie goes to the earliest: models in the order given, and the samples of each in turn.
    With several samples and no temperature, the temperature is 0.7.
    """

    PROTOCOL = "vote"
    INPUT = VoteInput
    PROMPTS = VOTE

    preset: Annotated[PresetName | None, Written(is_offered=False)] = None
    """Name that sets the numbers: single (1 x 1), self-consistency (1 x 5) or majority (all models x 1)."""
    models: Annotated[Seats, MODELS] = ()
    """Models that vote: provider:model, or a bare id; by default the panel's, where one votes its first."""
    samples: int | None = Field(default=None, ge=1, le=MOST_SAMPLES)
    """Number of times each model is asked; by default 1, and 5 in self-consistency."""

    @model_validator(mode="after")
    def _fits_its_preset(self) -> Self:
        refusal = self.preset and PRESETS[self.preset].refusal(len(self.models), self.samples_each)
        if refusal:
            raise ValueError(f"{self.preset}: {refusal}")
        return self

    @classmethod
    def _roles(cls, given: Mapping[str, Any], panels: PanelLibrary) -> dict[str, Any]:
        roles = super()._roles(given, panels)
        preset = next((one for name, one in PRESETS.items() if name == (given.get("preset") or "majority")), None)
        return {name: models[:1] for name, models in roles.items()} if preset and preset.has_one_model else roles

    @property
    def samples_each(self) -> int:
        """The number of times each model is asked."""
        if self.samples is not None:
            return self.samples
        return PRESETS[self.preset].samples if self.preset else 1

    @property
    def form(self) -> AnswerForm | None:
        """The form that the question asks for; several votes are compared by an open answer at least."""
        return super().form or (AnswerForm() if len(self.models) * self.samples_each > 1 else None)

    def _given(self, asked: Any, *, private: bool) -> dict[str, Any]:
        form = self.form or AnswerForm()
        return super()._given(asked, private=private) | {"answer": form, "samples": self.samples_each}

    def _seated(self, rename: Rename) -> Panel:
        models = tuple(map(rename, self.models))
        return Panel.of(models, first_of(models), twice=self.allow_duplicates)


class MixtureOptions(AnswerOptions):
    """Options of a mixture of agents.

    Every model answers; in each further layer every model answers again, having seen all answers of the layer before
    without knowing whose they are; the aggregator makes one answer of the last layer's.
    """

    PROTOCOL = "mixture"
    INPUT = MixtureInput
    PROMPTS = MIXTURE

    models: Annotated[Seats, MODELS] = ()
    """Models that propose in every layer: provider:model, or a bare id; by default the panel's."""
    aggregator: Annotated[MaybeSeat, CONCLUDING] = None
    """Model that writes the one answer; by default the panel's, else the first of the models."""
    aggregator_fallbacks: Annotated[Names, FALLBACKS] = ()
    """Models that aggregate when the aggregator is lost, in order; by default a proposer's last answer is taken."""
    layers: int = Field(default=DEFAULT_LAYERS, ge=1, le=MOST_LAYERS)
    """Layers of proposers; from the second on they see all answers of the layer before."""

    def _given(self, asked: Any, *, private: bool) -> dict[str, Any]:
        return super()._given(asked, private=private) | {"answer": self.form or AnswerForm()}

    def _seated(self, rename: Rename) -> Panel:
        models = tuple(map(rename, self.models))
        aggregator = rename(self.aggregator) if self.aggregator else first_of(models)
        fallbacks = tuple(map(rename, self.aggregator_fallbacks))
        return Panel.of(models, aggregator, fallbacks=fallbacks, twice=self.allow_duplicates, chair_seat=AGGREGATOR)
