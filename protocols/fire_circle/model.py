"""The values of a fire circle, from what a person asks for to what comes back (seed 000, sections 2, 6, 7, 8)."""

from collections.abc import Iterable
from enum import Enum
from typing import Literal, Self

from pydantic import AwareDatetime, Field, model_validator

from protocols.exchange import Frozen, LostCall, ModelId, ParticipantId, Patience, Sampling, Spent
from protocols.panel import FailureMode, Panel
from protocols.prompting import PromptPack

Share = Field(ge=0, le=1)

Layer = Literal["system", "application", "user"]
LAYERS: tuple[Layer, ...] = ("system", "application", "user")
"""In the order in which a model meets them."""

Mode = Literal["single", "parallel", "fire_circle"]

DEFAULT_CIRCLE = ("anthropic/claude-sonnet-4-20250514", "qwen/qwen-2.5-72b-instruct", "deepseek/deepseek-r1")
"""Seed 000, section 7."""

MOST_ROUNDS = 4
FEWEST_MODELS = 2

ROUND_SECONDS = 60.0
"""What one attempt may take (seed 000, section 7, ``timeout_per_round``)."""

DIVERGENCE = 0.3
"""A large circle whose third round spreads wider than this gets a fourth (seed 000, section 3.4)."""

PERFORMATIVE = 0.10
"""A chair that brings in less than this share of the patterns adds no perspective of its own (section 4.3)."""


class CircleSize(Enum):
    """How many models sit in a circle: fewest and most (section 2.1)."""

    SMALL = (2, 3)
    MEDIUM = (4, 6)
    LARGE = (7, 10)

    @classmethod
    def of(cls, models: int) -> "CircleSize":
        """The size that so many models make.

        Raises:
            ValueError: fewer than 2 or more than 10.
        """
        found = next((size for size in cls if size.value[0] <= models <= size.value[1]), None)
        if found is None:
            raise ValueError(f"a fire circle has 2 to 10 models, got {models}")
        return found


class PatternType(Enum):
    """What a pattern may be (section 6.1)."""

    TEMPORAL_INCONSISTENCY = "temporal_inconsistency"
    CROSS_LAYER_FABRICATION = "cross_layer_fabrication"
    POLITE_EXTRACTION = "polite_extraction"
    EDUCATIONAL_ESCALATION = "educational_escalation"
    CONTEXT_SATURATION = "context_saturation"
    ROLE_CONFUSION = "role_confusion"
    FABRICATED_PROGRESSION = "fabricated_progression"
    FALSE_AUTHORITY = "false_authority"


UNCLASSIFIED = "unclassified"

Source = Literal["json", "repaired", "text", "heuristic", "previous"]
"""How the numbers were come by: JSON, mended JSON, labelled numbers in the text, keywords, the round before."""


class Layers(Frozen):
    """The prompt that is judged, by layers (the seed's ``MultiNeutrosophicPrompt``)."""

    system: str = ""
    application: str = ""
    user: str = ""

    @model_validator(mode="after")
    def _say_something(self) -> Self:
        if not any(text.strip() for text in (self.system, self.application, self.user)):
            raise ValueError("the prompt has no text: give a system, an application or a user layer")
        return self

    def text(self, layer: Layer) -> str:
        """What stands in ``layer``."""
        return {"system": self.system, "application": self.application, "user": self.user}[layer]

    @property
    def judged(self) -> Layer:
        """The layer that is judged unless one is named: what the user wrote, else the layer before."""
        return next(layer for layer in reversed(LAYERS) if self.text(layer).strip())


class SessionMemory(Frozen):
    """What is known of the conversation that the prompt belongs to (section 11.3)."""

    turn: int = Field(default=1, ge=1)
    """The turn that is judged now; nothing can have been said before turn 1."""
    trust: tuple[float, ...] = ()
    """The balance after every turn so far, oldest first, each from -1 to 1."""
    balance: float = Field(default=0.0, ge=-1, le=1)
    """Exponential moving average of the balances."""


class Pattern(Frozen):
    """One pattern as a model named it."""

    text: str
    type: str
    """A ``PatternType`` or ``unclassified``."""


class Assessment(Frozen):
    """What was read from a reply: the numbers, how they were come by, and the patterns named."""

    truth: float = Share
    indeterminacy: float = Share
    falsehood: float = Share
    reasoning: str = ""
    patterns: tuple[Pattern, ...] = ()
    source: Source


class Reading(Frozen):
    """The reading of a reply; without an assessment it could not be read, and ``why`` says so."""

    assessment: Assessment | None = None
    why: str = ""


class Evaluation(Frozen):
    """One model's assessment in one round (the seed's ``NeutrosophicEvaluation``)."""

    participant: ParticipantId
    model: ModelId
    round: int = Field(ge=1)
    assessment: Assessment
    is_chair: bool = False

    @property
    def falsehood(self) -> float:
        """How strongly it sees a violation."""
        return self.assessment.falsehood


class Circle(Frozen):
    """What was said so far, and who is out: excluded in round 1, a zombie since (section 5.2)."""

    evaluations: tuple[Evaluation, ...] = ()
    excluded: tuple[ParticipantId, ...] = ()
    zombies: tuple[ParticipantId, ...] = ()
    failed: tuple[LostCall, ...] = ()
    failed_models: tuple[str, ...] = ()

    def active(self, seats: Iterable[ParticipantId]) -> tuple[ParticipantId, ...]:
        """Those of ``seats`` who are still in it."""
        return tuple(seat for seat in seats if seat not in {*self.excluded, *self.zombies})


class DialogueRound(Frozen):
    """One round (section 8)."""

    round_number: int = Field(ge=1)
    evaluations: tuple[Evaluation, ...]
    empty_chair: ParticipantId | None = None
    prompt_used: str
    """As it was sent to those who did not hold the chair."""
    convergence_metric: float = Field(ge=0)
    """Population standard deviation of the falsehoods of those still active."""
    timestamp: AwareDatetime


class RoundMetrics(Frozen):
    """One round in numbers (section 8)."""

    round_number: int = Field(ge=1)
    f_score_mean: float = Share
    f_score_stddev: float = Field(ge=0)
    convergence_delta: float | None = None
    """Change of the standard deviation from the round before; ``None`` in round 1."""
    empty_chair_influence: float = Share


class PatternObservation(Frozen):
    """A pattern that enough models named (section 6.1)."""

    pattern_type: str
    description: str
    """As it was first named."""
    model_agreement: float = Share
    """Distinct active models that named it, of all active ones."""
    examples: tuple[str, ...] = ()
    observed_in_round: int = Field(ge=2)
    models_observing: tuple[ParticipantId, ...]


class FireCircleInput(Frozen):
    """What one circle is asked to do. It travels whole with the run: a deploy changes nothing of it."""

    question: str = Field(min_length=1)
    """The layer that is judged, as lists and ledger show it."""
    title: str = Field(min_length=1, max_length=120)
    layers: Layers
    layer: Layer
    """Which of them is judged."""
    session: SessionMemory | None = None
    panel: Panel
    prompts: PromptPack
    failure_mode: FailureMode = "resilient"
    circle_size: CircleSize | None = None
    """Inferred from the number of models unless stated; a stated one must fit."""
    max_rounds: int = Field(default=3, ge=2, le=MOST_ROUNDS)
    empty_chair_rotation: bool = True
    min_viable_models: int = Field(default=FEWEST_MODELS, ge=FEWEST_MODELS)
    pattern_threshold: float = Field(default=0.5, gt=0, le=1)
    pattern_classification: Literal["heuristic", "llm"] = "heuristic"
    early_stop_convergence: float = Field(default=0.1, ge=0, le=0.5)
    early_stop_min_round: int = Field(default=2, ge=2, le=MOST_ROUNDS)
    sampling: Sampling = Sampling()
    patience: Patience = Patience(total=ROUND_SECONDS)
    queues: dict[str, str] = Field(default_factory=dict)
    batch_id: str | None = None
    salt: str = ""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        models = len(self.panel.participants)
        size = self.circle_size or CircleSize.of(models)
        fewest, most = size.value
        if not fewest <= models <= most:
            raise ValueError(f"a {size.name} circle has {fewest} to {most} models, got {models}")
        if self.min_viable_models > models:
            raise ValueError(f"min_viable_models is {self.min_viable_models}, and the circle has {models}")
        return self


StopReason = Literal[
    "converged", "rounds_held", "stopped", "cancelled", "participant_lost", "circle_too_small", "not_assessed"
]
"""How it ends: falsehoods agree; all rounds are held; a person stopped or cancelled it; STRICT lost a model; fewer
active models than ``min_viable_models``; a baseline got no assessment at all."""


class Consensus(Frozen):
    """What the circle found: the strongest detection of any active model in any round (section 5.3), and around it."""

    highest: Evaluation
    mean: float = Share
    """Of the last falsehoods of the active models."""
    spread: float = Field(ge=0)
    """Population standard deviation of the same."""
    dissent: tuple[ParticipantId, ...] = ()
    """Whose last falsehood stands more than 0.3 away from their mean."""


class Movement(Frozen):
    """How one model's falsehood went, round by round."""

    participant: ParticipantId
    model: ModelId
    falsehoods: tuple[float | None, ...]
    """``None`` where it gave no assessment."""
    is_active: bool


class FireCircleResult(Frozen):
    """A circle's outcome; the first fields are the seed's (section 2.1), the rest is what a researcher needs beside."""

    consensus: Consensus | None
    patterns: tuple[PatternObservation, ...] = ()
    dialogue_history: tuple[DialogueRound, ...] = ()
    empty_chair_influence: float = Share
    failed_models: tuple[str, ...] = ()
    """``model_round_N``, with `` (empty chair)`` behind it when it held the chair."""
    round_metrics: tuple[RoundMetrics, ...] = ()
    partial: bool

    protocol: Literal["fire_circle", "evaluate"] = "fire_circle"
    deliberation_id: str
    question: str
    verdict: str | None
    """The finding in one line."""
    stop_reason: StopReason
    is_performative: bool = False
    """The chair brought in less than a tenth of the patterns, though there were patterns."""
    movements: tuple[Movement, ...] = ()
    failed: tuple[LostCall, ...] = ()
    spent: Spent
    prompts: str
    """``version@fingerprint`` of the prompt pack that was used."""
    session: SessionMemory | None = None
    """As it is after this turn."""
    rehearsal: bool = False
    """Scripted models answered: this measures the machinery, not the models."""
