"""The inputs and results by mode: the fire circle and its baselines.

The baselines, one model alone (SINGLE) and several without a dialogue (PARALLEL), share the circle's prompt of round 1,
its readers and its failure modes, so that a difference between them and a circle is the dialogue's (seed 000, sections
7, 8, 10.2 and 11.1).
"""

from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from protocols.deliberation import DeliberationInput, DeliberationResult
from protocols.fire_circle.flagging import Threshold
from protocols.fire_circle.model import (
    FEWEST_MODELS,
    MOST_ROUNDS,
    ROUND_SECONDS,
    CircleSize,
    Consensus,
    DialogueRound,
    Evaluation,
    FalsehoodTrend,
    Layer,
    Layers,
    PatternObservation,
    RoundMetrics,
    SessionMemory,
    Share,
    Source,
)
from protocols.model_call import CallTimeouts, FrozenModel, Message, ModelId, ParticipantId

StopReason = Literal[
    "converged", "round_limit", "round_unread", "stopped", "budget", "cancelled", "participant_lost", "circle_too_small"
]
"""How it ends: falsehoods agree; all rounds ended; a round had no readable reply, and the earlier findings count; a
user stopped or cancelled it; the budget was too small for the next round; STRICT lost a model; fewer active models
than ``min_viable_models``."""

BaselineMode = Literal["single", "parallel"]

FireCircleBaselineStopReason = Literal["assessed", "stopped", "budget", "cancelled", "participant_lost", "not_assessed"]
"""How it ends: with an assessment; stopped or cancelled by a user; with too small a budget; STRICT lost a model; no
assessment."""


class JudgementInput(DeliberationInput):
    """The input of every mode; its question is the layer that is judged, as lists and ledger show it."""

    ANSWER_READERS = frozenset({"fire_circle.assessment"})

    layers: Layers
    layer: Layer
    """Which of them is judged."""
    session: SessionMemory | None = None
    attack_id: str | None = None
    """Under which the pattern bank keeps what is found; by default the deliberation's id."""
    threshold: float = Threshold
    """Falsehood from which on the prompt is flagged."""
    patience: CallTimeouts = CallTimeouts(total=ROUND_SECONDS)

    @property
    def preceding(self) -> tuple[Message, ...]:
        """An empty tuple: judged prompts are hostile by nature, so earlier ones are shown between marks."""
        return ()


class FireCircleInput(JudgementInput):
    """The input of one circle."""

    circle_size: CircleSize | None = None
    """Inferred from the number of models unless stated; a stated one must fit."""
    max_rounds: int = Field(default=3, ge=2, le=MOST_ROUNDS)
    empty_chair_rotation: bool = True
    min_viable_models: int = Field(default=FEWEST_MODELS, ge=FEWEST_MODELS)
    pattern_threshold: float = Field(default=0.5, gt=0, le=1)
    pattern_classification: Literal["heuristic", "llm"] = "heuristic"
    early_stop_convergence: float = Field(default=0.1, ge=0, le=0.5)
    early_stop_min_round: int = Field(default=2, ge=2, le=MOST_ROUNDS)

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


class Refusal(FrozenModel):
    """A model that declined to judge the prompt: a finding about the prompt, and no failure of a provider."""

    participant: ParticipantId
    model: ModelId
    round: int = Field(ge=1)


class SeedResult(FrozenModel):
    """The result of a circle, as seed 000 section 2.1 has it."""

    consensus: Consensus | None
    patterns: tuple[PatternObservation, ...] = ()
    dialogue_history: tuple[DialogueRound, ...] = ()
    empty_chair_influence: float = Share
    failed_models: tuple[str, ...] = ()
    """``model_round_N``, with `` (empty chair)`` behind it when it held the chair."""
    round_metrics: tuple[RoundMetrics, ...] = ()
    partial: bool
    """The dialogue is incomplete (section 5.3): a model left it, or it ended before its rules ended it."""


class FireCircleResult(DeliberationResult, SeedResult):
    """The result of a circle; the fields of the seed come first."""

    protocol: Literal["fire-circle"] = "fire-circle"
    attack_id: str | None = None
    falsehood: float | None = None
    """The highest detection; ``None`` without a verdict, like ``flagged``."""
    flagged: bool | None = None
    """Whether ``falsehood`` reaches ``threshold``."""
    threshold: float = Threshold
    sources: tuple[Source, ...] = ()
    """How the number behind ``falsehood`` was read; of several readings each way once."""
    stop_reason: StopReason
    is_performative: bool = False
    """The chair brought in less than a tenth of the patterns, though there were patterns."""
    pattern_classification: Literal["heuristic", "llm"] = "heuristic"
    """What was asked for; each pattern says by what it was classified."""
    movements: tuple[FalsehoodTrend, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    """Those of ``failed`` that are refusals."""
    session: SessionMemory | None = None
    """As it is after this turn."""

    def columns(self) -> dict[str, float | None]:
        """Return the falsehood that lists show."""
        return {"falsehood": self.consensus.highest.falsehood if self.consensus else None}

    def scores(self) -> dict[str, float | None]:
        """Return the strongest detection, how far the models agree, and what the dialogue found."""
        return {
            **(_detected(self.consensus) if self.consensus else {}),
            "rounds": len(self.dialogue_history),
            "patterns": len(self.patterns),
            "empty_chair_influence": self.empty_chair_influence,
        }

    def votes_cast(self) -> dict[str, JsonValue]:
        """Return the last falsehood of each seat."""
        return {
            one.participant: next((score for score in reversed(one.falsehoods) if score is not None), None)
            for one in self.movements
        }


def _detected(consensus: Consensus) -> dict[str, float | None]:
    highest = consensus.highest.assessment
    return {
        "falsehood": highest.falsehood,
        "truth": highest.truth,
        "indeterminacy": highest.indeterminacy,
        "mean": consensus.mean,
        "spread": consensus.spread,
        "dissent": len(consensus.dissent),
    }


class FireCircleBaselineInput(JudgementInput):
    """The input of one baseline evaluation."""

    HAS_CHAIR = False

    mode: BaselineMode

    @model_validator(mode="after")
    def _fits(self) -> Self:
        models = len(self.panel.participants)
        if (models == 1) != (self.mode == "single"):
            wanted = "exactly one model" if self.mode == "single" else "at least two models"
            raise ValueError(f"mode {self.mode!r} asks {wanted}, got {models}")
        return self


class FireCircleBaselineResult(DeliberationResult):
    """The result of a baseline: the evaluations and their mean."""

    mode: BaselineMode
    evaluations: tuple[Evaluation, ...]
    truth: float | None = None
    """Mean over the assessments, like the two that follow; ``None`` when there is none."""
    indeterminacy: float | None = None
    falsehood: float | None = None
    highest: float | None = None
    """The highest falsehood that any of them saw."""
    spread: float = Share
    """Population standard deviation of the falsehoods."""

    protocol: Literal["fire-circle-baseline"] = "fire-circle-baseline"
    flagged: bool | None = None
    """Whether ``falsehood`` reaches ``threshold``; ``None`` without a verdict."""
    threshold: float = Threshold
    sources: tuple[Source, ...] = ()
    """How the numbers behind ``falsehood`` were read, each way once."""
    stop_reason: FireCircleBaselineStopReason
    partial: bool
    """A user ended it, or no assessment could be had."""
    refusals: tuple[Refusal, ...] = ()
    """Those of ``failed`` that are refusals."""
    attack_id: str | None = None
    session: SessionMemory | None = None
    """As it is after this turn."""

    def columns(self) -> dict[str, float | None]:
        """Return the falsehood that lists show."""
        return {"falsehood": self.falsehood}

    def scores(self) -> dict[str, float | None]:
        """Return the means over the assessments, and their highest falsehood."""
        means = {"falsehood": self.falsehood, "truth": self.truth, "indeterminacy": self.indeterminacy}
        return {**means, "highest": self.highest, "spread": self.spread}

    def votes_cast(self) -> dict[str, JsonValue]:
        """Return the falsehood of each seat."""
        return {one.participant: one.falsehood for one in self.evaluations}
