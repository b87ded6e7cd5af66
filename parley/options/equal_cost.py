"""The options of the baselines of equal cost: votes of models x samples, and layers of proposers."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import Field, ValidationError, model_validator

from parley.errors import RequestError
from parley.options.answer import AnswerOptions
from parley.options.ask import Rename, UsualKeywords, first_of
from parley.options.written import Names, Written
from protocols.answers import AnswerForm
from protocols.mixture.model import AGGREGATOR, DEFAULT_LAYERS, MOST_LAYERS, MixtureInput
from protocols.mixture.prompts import PACK as MIXTURE
from protocols.model_call import CallTimeouts
from protocols.named_panel import PanelLibrary
from protocols.panel import Panel
from protocols.vote.model import MOST_SAMPLES, VoteInput
from protocols.vote.presets import PRESETS, PresetName
from protocols.vote.prompts import PACK as VOTE

_USUAL = CallTimeouts()

Input = TypeVar("Input", VoteInput, MixtureInput)


class VoteKeywords(UsualKeywords, total=False):
    """The keywords of ``Parley.vote``, described in ``VoteOptions``."""

    preset: PresetName | None
    models: tuple[str, ...] | list[str]
    samples: int | None
    answer: str | None


class MixtureKeywords(UsualKeywords, total=False):
    """The keywords of ``Parley.mixture``, described in ``MixtureOptions``."""

    models: tuple[str, ...] | list[str]
    aggregator: str | None
    aggregator_fallbacks: tuple[str, ...] | list[str]
    layers: int
    answer: str | None


class _EqualCostOptions(AnswerOptions):
    """Options of both."""

    timeout: float | None = Field(default=_USUAL.total, gt=0, le=86_400)
    """Most seconds for one attempt of one call."""

    def _input(self, kind: type[Input], question: str, *, private: bool, **own: Any) -> Input:
        asked = self._asked(question, _USUAL, private=private)
        try:
            return kind(**asked, answer=self.form or AnswerForm(), **own)
        except ValidationError as error:
            raise RequestError(self._explained(error)) from None


class VoteOptions(_EqualCostOptions):
    """Options of a vote.

    The answers are independent; a tie goes to the earliest: models in the order given, and the samples of each in turn.
    With several samples and no temperature, the temperature is 0.7.
    """

    PROTOCOL: ClassVar[str] = "vote"
    ROLES: ClassVar[str] = "vote"
    SEATED_BY: ClassVar[tuple[str, ...]] = ("models",)

    preset: Annotated[PresetName | None, Written(is_offered=False)] = None
    """Name that sets the numbers: single (1 x 1), self-consistency (1 x 5) or majority (all models x 1)."""
    models: Names = ()
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
        preset = PRESETS.get(given.get("preset") or "majority")
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

    def vote_input(
        self, question: str, *, queues: Mapping[str, str], private: bool = False, salt: str = ""
    ) -> VoteInput:
        """Build the workflow's input; the arguments are those of ``CouncilOptions.council_input``."""
        own = {"samples": self.samples_each, "queues": dict(queues), "salt": salt}
        return self._input(VoteInput, question, private=private, prompts=VOTE, **own)

    def _seated(self, rename: Rename) -> Panel:
        models = tuple(map(rename, self.models))
        return Panel.of(models, first_of(models), twice=self.allow_duplicates)


class MixtureOptions(_EqualCostOptions):
    """Options of a mixture of agents.

    Every model answers; in each further layer every model answers again, having seen all answers of the layer before
    without knowing whose they are; the aggregator makes one answer of the last layer's.
    """

    PROTOCOL: ClassVar[str] = "mixture"
    ROLES: ClassVar[str] = "mixture"
    SEATED_BY: ClassVar[tuple[str, ...]] = ("models",)

    models: Names = ()
    """Models that propose in every layer: provider:model, or a bare id; by default the panel's."""
    aggregator: str | None = None
    """Model that writes the one answer; by default the panel's, else the first of the models."""
    aggregator_fallbacks: Names = ()
    """Models that aggregate when the aggregator is lost, in order; by default a proposer's last answer is taken."""
    layers: int = Field(default=DEFAULT_LAYERS, ge=1, le=MOST_LAYERS)
    """Layers of proposers; from the second on they see all answers of the layer before."""

    def mixture_input(
        self, question: str, *, queues: Mapping[str, str], private: bool = False, salt: str = ""
    ) -> MixtureInput:
        """Build the workflow's input; the arguments are those of ``CouncilOptions.council_input``."""
        own = {"layers": self.layers, "queues": dict(queues), "salt": salt}
        return self._input(MixtureInput, question, private=private, prompts=MIXTURE, **own)

    def _seated(self, rename: Rename) -> Panel:
        models = tuple(map(rename, self.models))
        aggregator = rename(self.aggregator) if self.aggregator else first_of(models)
        fallbacks = tuple(map(rename, self.aggregator_fallbacks))
        return Panel.of(models, aggregator, fallbacks=fallbacks, twice=self.allow_duplicates, chair_seat=AGGREGATOR)
