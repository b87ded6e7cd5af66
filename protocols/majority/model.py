"""The values of a vote: each member of a panel answers alone, once, and the answers are counted."""

from typing import Literal, Self

from pydantic import Field, model_validator

from protocols.answers import AnswerForm
from protocols.cited import CitedSource
from protocols.exchange import Answered, Frozen, LostCall, Patience, Sampling, Spent
from protocols.flaws import Degraded
from protocols.panel import FailureMode, Panel
from protocols.prompting import PromptPack
from protocols.transcript import Transcript
from protocols.votes import DecidedBy, Tally, Vote

STAGE = "answer"

StopReason = Literal["verdict", "stopped", "cancelled", "no_answers", "participant_lost"]
"""How it ends: with a verdict; stopped or cancelled by a person; nobody answered; STRICT lost a participant."""


class MajorityInput(Frozen):
    """What one vote is asked to do. It travels whole with the run: a deploy changes nothing of it."""

    question: str = Field(min_length=1)
    title: str = Field(min_length=1, max_length=120)
    """One line for lists and screens."""
    panel: Panel
    """Who votes; nobody chairs, so the chair is not asked."""
    prompts: PromptPack
    answer_form: AnswerForm = AnswerForm()
    failure_mode: FailureMode = "resilient"
    sampling: Sampling = Sampling()
    patience: Patience = Patience()
    queues: dict[str, str] = Field(default_factory=dict)
    """Provider to task queue, for the providers whose rate the Temporal server limits; others use the default."""
    clarify: bool = True
    """Give a turn one further call when its reply cannot be read or was cut off by its length."""
    batch_id: str | None = None
    salt: str = ""
    """Set when answers already paid for under the same id must not be used again."""

    @model_validator(mode="after")
    def _question_says_something(self) -> Self:
        if not self.question.strip():
            raise ValueError("question is blank")
        return self


class Minutes(Frozen):
    """What there is so far: the answers, in panel order."""

    answers: tuple[Answered, ...] = ()
    lost: tuple[LostCall, ...] = ()


class MajorityResult(Frozen):
    """What the vote came to."""

    protocol: Literal["majority"] = "majority"
    deliberation_id: str
    question: str
    verdict: str | None
    """The whole text of the first seat with the winning answer; ``None`` when there is none."""
    answer: str | None
    """The winning answer as read; ``None`` when none could be read."""
    decided_by: DecidedBy
    stop_reason: StopReason
    partial: bool
    """It was ended before its last stage, or its verdict is cut."""
    asked: int = Field(ge=1)
    """Participants asked; ``tally`` says how many answered. One is enough for a verdict (RESILIENT)."""
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
