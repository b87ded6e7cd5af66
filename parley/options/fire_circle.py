"""Options of a fire circle and of its baselines (seed 000, section 7)."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator

from parley.errors import RequestError
from parley.options.ask import Options, Rename, SharedKeywords
from parley.options.instructions import System
from parley.options.roles import MODELS, UNDERIVED, GivenSeat, GivenSeats, MaybeSeat, Role, Seat, Seats, first_of
from parley.options.written import Written
from parley.questions import LARGEST, read_text
from protocols.constraints import problem, quoted, sentence_of
from protocols.fire_circle.flagging import Threshold
from protocols.fire_circle.io import BaselineMode, FireCircleBaselineInput, FireCircleInput
from protocols.fire_circle.model import (
    FEWEST_MODELS,
    LAYERS,
    MOST_ROUNDS,
    ROUND_SECONDS,
    CircleSize,
    Layer,
    Layers,
    SessionMemory,
)
from protocols.fire_circle.prompts import PACK, with_chair
from protocols.instructions import LONGEST_SYSTEM
from protocols.model_call import CallTimeouts
from protocols.panel import Panel

CLASSIFIER = "classifier"

Judged = Layers | Mapping[str, str]
"""A prompt by layers: ``Layers``, or a mapping with ``system``, ``application`` and ``user``, of which one has text."""


def layers_of(given: Judged) -> Layers:
    """Convert ``given`` to layers.

    Raises:
        RequestError: it names another layer than the three, one is no text in UTF-8, or none has any.
    """
    if not isinstance(given, Layers | Mapping):
        raise RequestError(f"the prompt is {quoted(given)}; name its layers, as in {{'user': 'a text'}}")
    unknown = [] if isinstance(given, Layers) else sorted(set(given) - set(LAYERS))
    if unknown:
        raise RequestError(f"{unknown[0]!r} is no layer of a prompt; known are {', '.join(LAYERS)}")
    try:
        layers = given if isinstance(given, Layers) else Layers.model_validate(dict(given))
        "".join(map(layers.text, LAYERS)).encode()
    except ValidationError as error:
        said = error.errors(include_url=False)[0]
        where = "".join(f"the layer {name!r}: " for name in said["loc"])
        raise RequestError(where + sentence_of(said)) from None
    except UnicodeEncodeError:
        raise RequestError("the prompt holds bytes that are no text; write it in UTF-8") from None
    return layers


def session_of(given: Any) -> SessionMemory | None:
    """Convert ``given`` to the conversation before a prompt.

    Raises:
        RequestError: it cannot be used.
    """
    unknown = sorted(set(given) - set(SessionMemory.model_fields)) if isinstance(given, Mapping) else []
    if unknown:
        raise RequestError(f"session: {unknown[0]!r} is not known; known are {', '.join(SessionMemory.model_fields)}")
    try:
        return None if given is None else SessionMemory.model_validate(given)
    except ValidationError as error:
        raise RequestError(problem(error, "session")) from None


class JudgingKeywords(SharedKeywords, total=False):
    """The keywords of both protocols, described in ``JudgingOptions``."""

    judge_system: str | None
    models: GivenSeats
    layer: Layer | None
    attack_id: str | None
    threshold: float


class FireCircleBaselineKeywords(JudgingKeywords, total=False):
    """The keywords of ``Parley.fire_circle_baseline``, described in ``FireCircleBaselineOptions``."""

    mode: BaselineMode


class FireCircleKeywords(JudgingKeywords, total=False):
    """The keywords of ``Parley.fire_circle``, described in ``FireCircleOptions``."""

    circle_size: CircleSize | str | None
    max_rounds: int
    empty_chair_rotation: bool
    empty_chair_prompt_path: str | None
    min_viable_models: int
    pattern_threshold: float
    pattern_classification: Literal["heuristic", "llm"]
    classifier: GivenSeat | None
    cache_enabled: bool
    timeout_per_round: float
    early_stop_convergence: float
    early_stop_min_round: int


class JudgingOptions(Options):
    """Options of a judgement, with a dialogue or without, of a prompt by layers and the ``session`` it belongs to."""

    PROMPTS = PACK
    USUAL = CallTimeouts(total=ROUND_SECONDS, first_token=ROUND_SECONDS, between_chunks=ROUND_SECONDS)

    models: Annotated[Seats, MODELS] = Field(default=(), min_length=1)
    """Models that judge: provider:model, or a bare id; by default the panel's."""
    system: System = Field(default=None, max_length=LONGEST_SYSTEM, alias="judge_system")
    """System message of every call to a judge; by default none. The layer that is judged is given with --system."""
    layer: Layer | None = None
    """Layer that is judged; by default the user's, else the last that has text."""
    attack_id: str | None = Field(default=None, max_length=200)
    """Id of the attack in the pattern bank; by default the deliberation's id."""
    threshold: float = Threshold
    """Falsehood from which on the prompt is flagged."""

    def _given(self, asked: Any, *, private: bool) -> dict[str, Any]:
        layers = layers_of({name: asked[name] for name in LAYERS if name in asked})
        layer = self.layer or layers.judged
        text = layers.text(layer)
        if not text.strip():
            raise RequestError(f"the layer {layer!r} is blank, so there is nothing to judge; name one that has text")
        own = {"layers": layers, "layer": layer, "session": session_of(asked.get("session"))}
        return super()._given(text, private=private) | own

    def _patience(self, usual: CallTimeouts) -> CallTimeouts:
        patience = super()._patience(usual)
        return patience.model_copy(update={"total": usual.total}) if self.timeout is None else patience

    def _seated(self, rename: Rename) -> Panel:
        models = tuple(map(rename, self._judges()))
        return Panel.of(models, rename(self._classifier()), twice=self.allow_duplicates, chair_seat=CLASSIFIER)

    def _judges(self) -> tuple[Seat, ...]:
        return self.models

    def _classifier(self) -> Seat:
        """Return the classifier's model if a model classifies patterns, because an unused one must need no key."""
        return first_of(self.models)


class FireCircleOptions(JudgingOptions):
    """Options of a fire circle: the seed's ``FireCircleConfig``, with its defaults.

    Round 1 is blind; in round 2 the models look for patterns in all assessments, one of them speaking for the absent;
    round 3 refines. The finding is the highest falsehood that any model still in the circle gave in any round.
    """

    PROTOCOL = "fire-circle"
    INPUT = FireCircleInput

    circle_size: CircleSize | None = None
    """SMALL (2-3), MEDIUM (4-6) or LARGE (7-10); by default that of the models."""
    max_rounds: int = Field(default=3, ge=2, le=MOST_ROUNDS)
    """Rounds; a large circle that still disagrees may add one."""
    empty_chair_rotation: bool = True
    """Let one model of each round speak for absent parties."""
    empty_chair_prompt_path: Annotated[str | None, Written("FILE")] = None
    """File with another prompt for the empty chair; by default the shipped one."""
    min_viable_models: int = FEWEST_MODELS
    """With fewer active models the circle fails; at least 2."""
    pattern_threshold: float = Field(default=0.5, gt=0, le=1)
    """Share of the active models that must name a pattern."""
    pattern_classification: Literal["heuristic", "llm"] = "heuristic"
    """Classify patterns by keywords, or by a cheap model."""
    classifier: Annotated[MaybeSeat, UNDERIVED] = None
    """The cheap model; by default the panel's, else the first of the models."""
    cache_enabled: Annotated[bool, Written(is_offered=False)] = False
    """Refused when true: nothing of a dialogue is cached."""
    timeout_per_round: float = Field(default=ROUND_SECONDS, gt=0, le=86_400)
    """Most seconds for one attempt of one model; --timeout takes precedence."""
    early_stop_convergence: float = Field(default=0.1, ge=0, le=0.5)
    """Stop when falsehoods spread less than this."""
    early_stop_min_round: int = Field(default=2, ge=2, le=MOST_ROUNDS)
    """First round after which it may stop early."""

    @field_validator("circle_size", mode="before")
    @classmethod
    def _by_name(cls, given: Any) -> Any:
        if isinstance(given, str):
            if given.upper() not in CircleSize.__members__:
                raise ValueError(f"a circle is {', '.join(CircleSize.__members__)}")
            return CircleSize[given.upper()]
        return given

    @field_validator("min_viable_models")
    @classmethod
    def _enough(cls, given: int) -> int:
        if given < FEWEST_MODELS:
            raise ValueError("Fire Circle requires at least 2 models")
        return given

    @field_validator("cache_enabled")
    @classmethod
    def _uncached(cls, given: bool) -> bool:
        if given:
            raise ValueError("a dialogue is unique and wants fresh reasoning: nothing of it is cached")
        return given

    def _given(self, asked: Any, *, private: bool) -> dict[str, Any]:
        return super()._given(asked, private=private) | {"prompts": with_chair(PACK, self.chair_prompt())}

    def _patience(self, usual: CallTimeouts) -> CallTimeouts:
        seconds = self.timeout_per_round
        rounds = CallTimeouts(total=seconds, first_token=seconds, between_chunks=seconds, away=usual.away)
        return super()._patience(rounds if self.timeout is None else usual)

    def _classifier(self) -> Seat:
        own = self.classifier if self.pattern_classification == "llm" else None
        return own or super()._classifier()

    def chair_prompt(self) -> str | None:
        """Return the text of the file with another prompt for the chair; ``None`` where none is named.

        Raises:
            RequestError: it cannot be read, or is blank.
        """
        path = self.empty_chair_prompt_path
        text = None if path is None else read_text(path, largest=LARGEST)
        if text is not None and not text.strip():
            raise RequestError(f"{path!r} is blank, so it leaves the empty chair no one to speak for")
        return text


_OF_THE_CIRCLE = Role(lambda panel: FireCircleOptions.seats_of(panel)["models"], has_several=True)


class FireCircleBaselineOptions(JudgingOptions):
    """Options of a baseline of the fire circle.

    Single asks the first of the models. Parallel asks all and takes the mean.
    """

    PROTOCOL = "fire-circle-baseline"
    INPUT = FireCircleBaselineInput

    models: Annotated[Seats, _OF_THE_CIRCLE] = Field(default=(), min_length=1)
    """Models that judge: provider:model, or a bare id; by default the panel's."""

    mode: BaselineMode = "single"
    """One model alone, or all of them at once."""

    def _judges(self) -> tuple[Seat, ...]:
        return self.models[:1] if self.mode == "single" else self.models
