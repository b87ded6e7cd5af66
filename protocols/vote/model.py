"""The values of a vote: models x samples, and the count of their answers."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, Self

from pydantic import Field, JsonValue, model_validator

from protocols.answers import AnswerForm
from protocols.deliberation import DeliberationInput, DeliberationResult
from protocols.model_call import Answered, FrozenModel, LostCall, ParticipantId
from protocols.panel import Participant
from protocols.transcript import Transcript
from protocols.votes import DecidedBy, Tally, Vote

STAGE = "answer"

MOST_SAMPLES = 64
"""Samples of one model."""
MOST_VOTES = 128
"""Calls of one vote: all are made at once, and every reply is part of one result."""

DEFAULT_TEMPERATURE = 0.7
"""Temperature of several samples when none is set: the paper's for large models (section 3.1)."""

StopReason = Literal["verdict", "stopped", "budget", "cancelled", "no_answers", "participant_lost"]
"""How it ends: with a verdict; stopped or cancelled by a user; with too small a budget; without a reply; STRICT
lost a vote."""

PresetName = Literal["single", "self-consistency", "majority"]
"""The names under which common numbers of models and samples are asked for."""


class VoteInput(DeliberationInput):
    """The input of a vote; the models of its panel vote, and the chair is not asked."""

    ANSWER_READERS = frozenset({"vote.answer"})
    HAS_CHAIR = False

    samples: int = Field(default=1, ge=1, le=MOST_SAMPLES)
    """Number of times each model is asked; with several and no temperature, the temperature is 0.7."""
    answer: AnswerForm = AnswerForm()

    @model_validator(mode="after")
    def _limit_votes(self) -> Self:
        models = len(self.panel.participants)
        if self.votes > MOST_VOTES:
            raise ValueError(
                f"{models} models with {self.samples} samples each are {self.votes:,} calls, and a vote makes at most "
                f"{MOST_VOTES}; ask for fewer samples"
            )
        return self

    @property
    def votes(self) -> int:
        """The number of calls: models x samples."""
        return len(self.panel.participants) * self.samples

    @property
    def requests_answer(self) -> bool:
        """Return whether a last line with the answer is requested; one open vote needs none."""
        return self.votes > 1 or self.answer.kind != "free"

    @property
    def seats(self) -> tuple[Participant, ...]:
        """The seats in the order of their votes: the panel's, or one for each sample of each (``p1-s01`` …)."""
        if self.samples == 1:
            return self.panel.participants
        return tuple(
            one.sampled(f"s{number:02}") for one in self.panel.participants for number in range(1, self.samples + 1)
        )

    @property
    def seat_names(self) -> dict[ParticipantId, str]:
        """The names of the seats, and of each sample of them."""
        return {**self.panel.names, **{seat.id: seat.name for seat in self.seats if seat.name}}


class VoteRecord(FrozenModel):
    """The replies so far, in the order of the seats."""

    answers: tuple[Answered, ...] = ()
    lost: tuple[LostCall, ...] = ()


class VoteResult(DeliberationResult):
    """The count of a vote, and the answer that won."""

    protocol: Literal["vote"] = "vote"
    decided_by: DecidedBy
    stop_reason: StopReason
    models: int = Field(ge=1)
    """Models that were asked."""
    samples: int = Field(ge=1)
    """Samples of each of them."""
    asked: int = Field(ge=1)
    """Votes asked for; ``tally`` says how many answered. One is enough for a verdict (RESILIENT)."""
    votes: tuple[Vote, ...] = ()
    tally: Tally = Tally()
    transcript: Transcript

    def columns(self) -> dict[str, float | None]:
        """Return the agreement of the votes."""
        return {"agreement": self.tally.agreement}

    def scores(self) -> dict[str, float | None]:
        """Return the count in numbers."""
        return {"asked": self.asked, **self.tally.scores()}

    def votes_cast(self) -> dict[str, JsonValue]:
        """Return the final answer and how many gave each one."""
        return self.tally.votes(self.answer)


class Preset(NamedTuple):
    """The numbers of a vote that a name sets."""

    samples: int
    """Samples of each model when none are given."""
    most_samples: int
    has_one_model: bool

    def refusal(self, models: int, samples: int) -> str | None:
        """Return why these numbers are not this preset's; ``None`` when they are."""
        if self.has_one_model and models > 1:
            return f"it asks one model, and {models} are named; name one, or use majority or vote"
        if samples > self.most_samples:
            return f"it has {self.most_samples} sample of each model, got {samples}; use self-consistency or vote"
        return None


PRESETS: Mapping[PresetName, Preset] = {
    "single": Preset(samples=1, most_samples=1, has_one_model=True),
    "self-consistency": Preset(samples=5, most_samples=MOST_SAMPLES, has_one_model=True),
    "majority": Preset(samples=1, most_samples=1, has_one_model=False),
}
