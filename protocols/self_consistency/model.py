"""The values of a self-consistency run: one model, asked several times over."""

from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from protocols.answers import AnswerForm
from protocols.deliberation import DeliberationInput, DeliberationResult
from protocols.exchange import Answered, Frozen, LostCall, ParticipantId
from protocols.panel import Participant
from protocols.transcript import Transcript
from protocols.votes import DecidedBy, Tally, Vote

STAGE = "sample"

DEFAULT_SAMPLES = 5
MOST_SAMPLES = 64

DEFAULT_TEMPERATURE = 0.7
"""Of several samples, when none is set: the paper's for large models (section 3.1)."""

StopReason = Literal["verdict", "stopped", "cancelled", "no_answers", "participant_lost"]
"""How it ends: with a verdict; stopped or cancelled by a person; no sample was answered; STRICT lost a sample."""


class SelfConsistencyInput(DeliberationInput):
    """The input of a self-consistency run; its panel is the one model that is sampled."""

    samples: int = Field(default=DEFAULT_SAMPLES, ge=1, le=MOST_SAMPLES)
    """How often the model is asked."""
    answer: AnswerForm = AnswerForm()

    @model_validator(mode="after")
    def _can_be_held(self) -> Self:
        if len(self.panel.participants) > 1:
            raise ValueError(
                f"self-consistency samples one model, and the panel has {len(self.panel.participants)}; "
                "name one, or let the panel vote (majority)"
            )
        return self

    @property
    def asks_for_answer(self) -> bool:
        """Whether a last line with the answer is asked for; one sample of an open answer has nothing to compare."""
        return self.samples > 1 or self.answer.kind != "free"

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


class SelfConsistencyResult(DeliberationResult):
    """What the samples came to."""

    protocol: Literal["self_consistency"] = "self_consistency"
    decided_by: DecidedBy
    stop_reason: StopReason
    asked: int = Field(ge=1)
    """Samples asked for; ``tally`` says how many answered."""
    votes: tuple[Vote, ...] = ()
    tally: Tally = Tally()
    transcript: Transcript

    def columns(self) -> dict[str, float | None]:
        """Return the agreement of the samples."""
        return {"agreement": self.tally.agreement}

    def scores(self) -> dict[str, float | None]:
        """Return the count in numbers."""
        return {"asked": self.asked, **self.tally.scores()}

    def votes_cast(self) -> dict[str, JsonValue]:
        """Return the final answer and how many gave each one."""
        return self.tally.votes(self.answer)
