"""What a person may ask of the baselines of equal cost: samples of one model, votes of a panel, layers of proposers."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from pydantic import Field, ValidationError

from parley.errors import RequestError
from parley.options.answer import AnswerOptions
from parley.options.ask import Rename, UsualKeywords, first_of
from protocols.answers import AnswerForm
from protocols.exchange import Patience
from protocols.majority.model import MajorityInput
from protocols.majority.prompts import PACK as MAJORITY
from protocols.mixture.model import AGGREGATOR, DEFAULT_LAYERS, MOST_LAYERS, MixtureInput
from protocols.mixture.prompts import PACK as MIXTURE
from protocols.named_panel import ProtocolName
from protocols.panel import Panel
from protocols.self_consistency.model import DEFAULT_SAMPLES, MOST_SAMPLES, SelfConsistencyInput
from protocols.self_consistency.prompts import PACK as SELF_CONSISTENCY

_USUAL = Patience()

Input = TypeVar("Input", SelfConsistencyInput, MajorityInput, MixtureInput)


class SelfConsistencyKeywords(UsualKeywords, total=False):
    """The keywords of ``Parley.self_consistency``; what each means stands at ``SelfConsistencyOptions``."""

    model: str
    samples: int
    answer: str | None


class MajorityKeywords(UsualKeywords, total=False):
    """The keywords of ``Parley.majority``; what each means stands at ``MajorityOptions``."""

    models: tuple[str, ...] | list[str]
    answer: str | None


class MixtureKeywords(UsualKeywords, total=False):
    """The keywords of ``Parley.mixture``; what each means stands at ``MixtureOptions``."""

    models: tuple[str, ...] | list[str]
    aggregator: str | None
    aggregator_fallbacks: tuple[str, ...] | list[str]
    layers: int
    answer: str | None


class _EqualCostOptions(AnswerOptions):
    """What the three have in common."""

    timeout: float | None = Field(default=_USUAL.total, gt=0, le=86_400)
    """Seconds that one attempt of one call may take; ``None`` sets no limit on an answer that goes on."""

    def _input(self, kind: type[Input], question: str, *, private: bool, **own: Any) -> Input:
        asked = self._asked(question, _USUAL, private=private)
        try:
            return kind(**asked, answer=self.form or AnswerForm(), **own)
        except ValidationError as error:
            raise RequestError(self._explained(error)) from None


class SelfConsistencyOptions(_EqualCostOptions):
    """How one model is sampled. With several samples and no temperature, the temperature is 0.7."""

    PROTOCOL: ClassVar[str] = "self-consistency"
    ROLES: ClassVar[ProtocolName] = "self-consistency"
    SEATED_BY: ClassVar[tuple[str, ...]] = ("model",)

    model: str = ""
    """As people write it: ``provider:model``, or a bare id; by default the panel's first."""
    samples: int = Field(default=DEFAULT_SAMPLES, ge=1, le=MOST_SAMPLES)

    @property
    def form(self) -> AnswerForm | None:
        """The form that the question asks for; several samples are compared by an open answer at least."""
        return super().form or (AnswerForm() if self.samples > 1 else None)

    def self_consistency_input(
        self, question: str, *, queues: Mapping[str, str], private: bool = False, salt: str = ""
    ) -> SelfConsistencyInput:
        """What the workflow starts with; the arguments are those of ``CouncilOptions.council_input``.

        Raises:
            RequestError: the question is blank or is no text, or see ``seated``.
        """
        own = {"samples": self.samples, "queues": dict(queues), "salt": salt}
        return self._input(SelfConsistencyInput, question, private=private, prompts=SELF_CONSISTENCY, **own)

    def _seated(self, rename: Rename) -> Panel:
        model = rename(self.model)
        return Panel.of((model,), model, twice=self.allow_duplicates)


class MajorityOptions(_EqualCostOptions):
    """How a panel votes."""

    PROTOCOL: ClassVar[str] = "majority"
    ROLES: ClassVar[ProtocolName] = "majority"
    SEATED_BY: ClassVar[tuple[str, ...]] = ("models",)

    models: tuple[str, ...] = ()
    """As people write them; by default the panel's."""

    @property
    def form(self) -> AnswerForm:
        """The form that the question asks for; votes are compared by an open answer at least."""
        return super().form or AnswerForm()

    def majority_input(
        self, question: str, *, queues: Mapping[str, str], private: bool = False, salt: str = ""
    ) -> MajorityInput:
        """What the workflow starts with; the arguments are those of ``CouncilOptions.council_input``.

        Raises:
            RequestError: the question is blank or is no text, or see ``seated``.
        """
        own = {"queues": dict(queues), "salt": salt}
        return self._input(MajorityInput, question, private=private, prompts=MAJORITY, **own)

    def _seated(self, rename: Rename) -> Panel:
        models = tuple(map(rename, self.models))
        return Panel.of(models, first_of(models), twice=self.allow_duplicates)


class MixtureOptions(_EqualCostOptions):
    """How a mixture of agents is held."""

    PROTOCOL: ClassVar[str] = "mixture"
    ROLES: ClassVar[ProtocolName] = "mixture"
    SEATED_BY: ClassVar[tuple[str, ...]] = ("models",)

    models: tuple[str, ...] = ()
    """As people write them; by default the panel's."""
    aggregator: str | None = None
    """Who writes the one answer in the end; by default the panel's, else the first of the models."""
    aggregator_fallbacks: tuple[str, ...] = ()
    """Who does it when the aggregator is lost, in order; by default a proposer's own last answer stands."""
    layers: int = Field(default=DEFAULT_LAYERS, ge=1, le=MOST_LAYERS)
    """Layers of proposers; from the second on they see all answers of the layer before."""

    def mixture_input(
        self, question: str, *, queues: Mapping[str, str], private: bool = False, salt: str = ""
    ) -> MixtureInput:
        """What the workflow starts with; the arguments are those of ``CouncilOptions.council_input``.

        Raises:
            RequestError: the question is blank or is no text, or see ``seated``.
        """
        own = {"layers": self.layers, "queues": dict(queues), "salt": salt}
        return self._input(MixtureInput, question, private=private, prompts=MIXTURE, **own)

    def _seated(self, rename: Rename) -> Panel:
        models = tuple(map(rename, self.models))
        aggregator = rename(self.aggregator) if self.aggregator else first_of(models)
        fallbacks = tuple(map(rename, self.aggregator_fallbacks))
        return Panel.of(models, aggregator, fallbacks=fallbacks, twice=self.allow_duplicates, chair_seat=AGGREGATOR)
