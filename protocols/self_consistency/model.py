"""The values of a self-consistency run: one model, asked several times over."""

from typing import Literal, Self

from pydantic import Field, model_validator

from protocols.answers import AnswerForm
from protocols.cited import CitedSource
from protocols.exchange import Answered, Frozen, LostCall, ParticipantId, Patience, Sampling, Spent
from protocols.flaws import Degraded
from protocols.panel import FailureMode, Panel, Participant
from protocols.prompting import PromptPack
from protocols.transcript import Transcript
from protocols.votes import DecidedBy, Tally, Vote

STAGE = "sample"

DEFAULT_SAMPLES = 5
MOST_SAMPLES = 64

DEFAULT_TEMPERATURE = 0.7
"""Of several samples, when none is set: the paper's for large models (section 3.1)."""

StopReason = Literal["verdict", "stopped", "cancelled", "no_answers", "participant_lost"]
"""How it ends: with a verdict; stopped or cancelled by a person; no sample was answered; STRICT lost a sample."""


class SelfConsistencyInput(Frozen):
    """What one self-consistency run is asked to do. It travels whole with the run."""

    question: str = Field(min_length=1)
    title: str = Field(min_length=1, max_length=120)
    """One line for lists and screens."""
    panel: Panel
    """One participant, the model that is sampled."""
    prompts: PromptPack
    samples: int = Field(default=DEFAULT_SAMPLES, ge=1, le=MOST_SAMPLES)
    """How often the model is asked."""
    answer_form: AnswerForm = AnswerForm()
    failure_mode: FailureMode = "resilient"
    sampling: Sampling = Sampling()
    """With several samples and no temperature, the temperature is 0.7."""
    patience: Patience = Patience()
    queues: dict[str, str] = Field(default_factory=dict)
    """Provider to task queue, for the providers whose rate the Temporal server limits; others use the default."""
    clarify: bool = True
    """Give a turn one further call when its reply cannot be read or was cut off by its length."""
    batch_id: str | None = None
    salt: str = ""
    """Set when answers already paid for under the same id must not be used again."""

    @model_validator(mode="after")
    def _can_be_held(self) -> Self:
        if not self.question.strip():
            raise ValueError("question is blank")
        if len(self.panel.participants) > 1:
            raise ValueError(
                f"self-consistency samples one model, and the panel has {len(self.panel.participants)}; "
                "name one, or let the panel vote (majority)"
            )
        return self

    @property
    def asks_for_answer(self) -> bool:
        """Whether a last line with the answer is asked for; one sample of an open answer has nothing to compare."""
        return self.samples > 1 or self.answer_form.kind != "free"

    @property
    def seats(self) -> tuple[Participant, ...]:
        """The samples in order, ``s01`` …: each is asked and shown like a participant of its own."""
        model = self.panel.participants[0].model
        return tuple(
            Participant(id=ParticipantId(f"s{number:02}"), model=model) for number in range(1, self.samples + 1)
        )


class Minutes(Frozen):
    """What there is so far: the answered samples, in the order in which they were asked."""

    samples: tuple[Answered, ...] = ()
    lost: tuple[LostCall, ...] = ()


class SelfConsistencyResult(Frozen):
    """What the samples came to."""

    protocol: Literal["self_consistency"] = "self_consistency"
    deliberation_id: str
    question: str
    verdict: str | None
    """The whole text of the first sample with the winning answer; ``None`` when there is none."""
    answer: str | None
    """The winning answer as read; ``None`` when none could be read."""
    decided_by: DecidedBy
    stop_reason: StopReason
    partial: bool
    """It was ended before its last stage, or its verdict is cut."""
    asked: int = Field(ge=1)
    """Samples asked for; ``tally`` says how many answered."""
    votes: tuple[Vote, ...] = ()
    tally: Tally = Tally()
    failed: tuple[LostCall, ...] = ()
    degraded: Degraded = Degraded()
    """What was lost, unread, guessed or mended on the way."""
    cited: tuple[CitedSource, ...] = ()
    """The pages that providers named as sources."""
    spent: Spent
    transcript: Transcript
    prompts: str
    """``version@fingerprint`` of the prompt pack that was used."""
    rehearsal: bool = False
    """Scripted models answered: this measures the machinery, not the models."""
