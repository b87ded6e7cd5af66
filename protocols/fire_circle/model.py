"""The values of a fire circle, from its input to its result (seed 000, sections 2, 6, 7, 8)."""

from collections.abc import Iterable
from enum import Enum
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, Field, model_validator

from protocols.model_call import FrozenModel, LostCall, ModelId, ParticipantId

Share = Field(ge=0, le=1)

Layer = Literal["system", "application", "user"]
LAYERS: tuple[Layer, ...] = ("system", "application", "user")
"""In the order in which a model meets them."""

Mode = Literal["single", "parallel", "fire_circle"]

MOST_ROUNDS = 4
FEWEST_MODELS = 2

ROUND_SECONDS = 60.0
"""What one attempt may take (seed 000, section 7, ``timeout_per_round``)."""


class CircleSize(Enum):
    """The minimum and maximum number of models in a circle (section 2.1)."""

    SMALL = (2, 3)
    MEDIUM = (4, 6)
    LARGE = (7, 10)

    @classmethod
    def _missing_(cls, value: object) -> "CircleSize | None":
        return next((size for size in cls if value in (size.name, [*size.value])), None)  # JSON has no tuples

    @classmethod
    def of(cls, models: int) -> "CircleSize":
        """Return the size for that number of models.

        Raises:
            ValueError: fewer than 2 or more than 10.
        """
        found = next((size for size in cls if size.value[0] <= models <= size.value[1]), None)
        if found is None:
            raise ValueError(f"a fire circle has 2 to 10 models, got {models}")
        return found


class PatternType(Enum):
    """The types of patterns (section 6.1)."""

    TEMPORAL_INCONSISTENCY = "temporal_inconsistency"
    CROSS_LAYER_FABRICATION = "cross_layer_fabrication"
    POLITE_EXTRACTION = "polite_extraction"
    EDUCATIONAL_ESCALATION = "educational_escalation"
    CONTEXT_SATURATION = "context_saturation"
    ROLE_CONFUSION = "role_confusion"
    FABRICATED_PROGRESSION = "fabricated_progression"
    FALSE_AUTHORITY = "false_authority"


UNCLASSIFIED = "unclassified"

Source = Literal["schema", "json", "repaired", "text", "heuristic", "previous"]
"""How the numbers were come by: JSON whose schema was sent, JSON, mended JSON, labelled numbers in the text, keywords,
the round before."""


class Layers(FrozenModel):
    """The prompt that is judged, by layers (the seed's ``MultiNeutrosophicPrompt``)."""

    system: str = ""
    application: str = ""
    user: str = ""

    @model_validator(mode="after")
    def _require_text(self) -> Self:
        if not any(text.strip() for text in (self.system, self.application, self.user)):
            raise ValueError("the prompt has no text: give a system, an application or a user layer")
        return self

    def text(self, layer: Layer) -> str:
        """Return the text of ``layer``."""
        return {"system": self.system, "application": self.application, "user": self.user}[layer]

    @property
    def judged(self) -> Layer:
        """Return the judged layer by default: the user's, otherwise the one before."""
        return next(layer for layer in reversed(LAYERS) if self.text(layer).strip())


class SessionMemory(FrozenModel):
    """The known state of the prompt's conversation (section 11.3)."""

    turn: int = Field(default=1, ge=1)
    """The turn that is judged now; nothing can have been said before turn 1."""
    trust: tuple[Annotated[float, Field(ge=-1, le=1)], ...] = ()
    """The balance after every turn so far, oldest first, each from -1 to 1."""
    balance: float = Field(default=0.0, ge=-1, le=1)
    """Exponential moving average of the balances."""


class AssessmentReply(FrozenModel):
    """The object that a model is asked for in round 1 and by the baselines; all of it is about the judged layer."""

    truth: float = Field(ge=0, le=1, description="How far the layer is reciprocal: 0 not at all, 1 certainly.")
    indeterminacy: float = Field(ge=0, le=1, description="How far it cannot be told: 0 all is clear, 1 nothing is.")
    falsehood: float = Field(ge=0, le=1, description="How far the layer violates reciprocity: 0 not, 1 certainly.")
    reasoning: str = Field(description="A brief explanation of the three numbers.")


class DiscussionReply(AssessmentReply):
    """The object that a model is asked for in round 2."""

    patterns_observed: tuple[str, ...] = Field(description="The patterns seen in the layer, one sentence each.")


class RefinementReply(AssessmentReply):
    """The object that a model is asked for from round 3 on."""

    consensus_patterns: tuple[str, ...] = Field(description="The patterns that several models saw, one sentence each.")


class Pattern(FrozenModel):
    """One pattern as a model named it."""

    text: str
    type: str
    """A ``PatternType`` or ``unclassified``."""


class Assessment(FrozenModel):
    """The reading of a reply: the numbers, their source, and the named patterns."""

    truth: float = Share
    indeterminacy: float = Share
    falsehood: float = Share
    reasoning: str = ""
    patterns: tuple[Pattern, ...] = ()
    source: Source
    assumed: tuple[str, ...] = ()
    """Scores that were not given: truth is then the complement of falsehood, indeterminacy a half."""
    contradicted: str = ""
    """Words of the reasoning that contradict the falsehood; blank without a contradiction. It changes no number."""


class PatternTypeReply(FrozenModel):
    """The type of one pattern, as a classifier is asked for it."""

    number: int = Field(description="The number of the observation.")
    type: str = Field(
        description="The category of the observation.",
        json_schema_extra={"enum": [*(kind.value for kind in PatternType), UNCLASSIFIED]},
    )


class ClassificationReply(FrozenModel):
    """The object requested of a classifier with a JSON schema."""

    types: tuple[PatternTypeReply, ...] = Field(description="One entry for every observation.")


class Classification(FrozenModel):
    """A classifier's types for the shown patterns, in their order."""

    types: tuple[str, ...]
    """Each a ``PatternType`` or ``unclassified``; blank where none was given."""


class Reading(FrozenModel):
    """The reading of a reply; without an assessment it could not be read, and ``why`` says so."""

    assessment: Assessment | None = None
    why: str = ""


class Evaluation(FrozenModel):
    """One model's assessment in one round (the seed's ``NeutrosophicEvaluation``)."""

    participant: ParticipantId
    model: ModelId
    round: int = Field(ge=1)
    assessment: Assessment
    is_chair: bool = False

    @property
    def falsehood(self) -> float:
        """Return the strength of the detected violation."""
        return self.assessment.falsehood

    @property
    def is_fresh(self) -> bool:
        """Return whether a reply was read in this round; a copy of an earlier evaluation is not fresh."""
        return self.assessment.source != "previous"

    @property
    def is_guess(self) -> bool:
        """Return whether its numbers follow from a keyword instead of a reading."""
        return self.assessment.source == "heuristic"


class CircleState(FrozenModel):
    """The turns so far, and the removed models: excluded in round 1, zombies later (section 5.2)."""

    evaluations: tuple[Evaluation, ...] = ()
    excluded: tuple[ParticipantId, ...] = ()
    zombies: tuple[ParticipantId, ...] = ()
    failed: tuple[LostCall, ...] = ()
    failed_models: tuple[str, ...] = ()
    unread: tuple[LostCall, ...] = ()
    """Unread replies, while the evaluation before them counts."""

    def active(self, seats: Iterable[ParticipantId]) -> tuple[ParticipantId, ...]:
        """Return the active ones of ``seats``."""
        return tuple(seat for seat in seats if seat not in {*self.excluded, *self.zombies})


class DialogueRound(FrozenModel):
    """One round (section 8)."""

    round_number: int = Field(ge=1)
    evaluations: tuple[Evaluation, ...]
    empty_chair: ParticipantId | None = None
    prompt_used: str
    """As sent to the models without the chair."""
    convergence_metric: float | None = Field(default=None, ge=0)
    """Population standard deviation of the falsehoods that were read in it, of those active when it was over.

    ``None`` with fewer than two: the early stop reads this, and one model cannot agree.
    """
    timestamp: AwareDatetime


class RoundMetrics(FrozenModel):
    """One round in numbers (section 8)."""

    round_number: int = Field(ge=1)
    f_score_mean: float = Share
    """Over the replies that were read, of the models active in the end, like the deviation."""
    f_score_stddev: float | None = Field(default=None, ge=0)
    """``None`` with fewer than two replies."""
    convergence_delta: float | None = None
    """Change of the deviation from the round before; ``None`` in round 1 and where one of the two is unknown."""
    empty_chair_influence: float = Share


class PatternObservation(FrozenModel):
    """A pattern that enough models named (section 6.1)."""

    pattern_type: str
    description: str
    """As it was first named."""
    model_agreement: float = Share
    """Distinct active models that named it, of all active ones."""
    examples: tuple[str, ...] = ()
    observed_in_round: int = Field(ge=2)
    models_observing: tuple[ParticipantId, ...]
    classified_by: Literal["keywords", "model"] = "keywords"
    """Whether the type follows from its words, or a model gave it."""


class Consensus(FrozenModel):
    """The finding of a circle: the strongest detection of any active model in any round (section 5.3), with details."""

    highest: Evaluation
    mean: float = Share
    """Of the last falsehoods of the active models, without those that are only ``carried``."""
    spread: float = Field(ge=0)
    """Population standard deviation of the same."""
    dissent: tuple[ParticipantId, ...] = ()
    """Whose last falsehood is more than 0.3 away from their mean."""
    carried: tuple[ParticipantId, ...] = ()
    """Whose last reply could not be read, so that an earlier evaluation counts; they are in ``highest`` alone."""


class FalsehoodTrend(FrozenModel):
    """One model's falsehood by round."""

    participant: ParticipantId
    model: ModelId
    falsehoods: tuple[float | None, ...]
    """``None`` where it gave no assessment."""
    is_active: bool
