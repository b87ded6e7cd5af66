"""The values of a vote: each member of a panel answers alone, once, and the answers are counted."""

from typing import Literal

from pydantic import Field, JsonValue

from protocols.answers import AnswerForm
from protocols.deliberation import DeliberationInput, DeliberationResult
from protocols.exchange import Answered, Frozen, LostCall
from protocols.transcript import Transcript
from protocols.votes import DecidedBy, Tally, Vote

STAGE = "answer"

StopReason = Literal["verdict", "stopped", "cancelled", "no_answers", "participant_lost"]
"""How it ends: with a verdict; stopped or cancelled by a person; nobody answered; STRICT lost a participant."""


class MajorityInput(DeliberationInput):
    """The input of a vote; its panel votes, and the chair is not asked."""

    answer: AnswerForm = AnswerForm()


class Minutes(Frozen):
    """What there is so far: the answers, in panel order."""

    answers: tuple[Answered, ...] = ()
    lost: tuple[LostCall, ...] = ()


class MajorityResult(DeliberationResult):
    """What the vote came to."""

    protocol: Literal["majority"] = "majority"
    decided_by: DecidedBy
    stop_reason: StopReason
    asked: int = Field(ge=1)
    """Participants asked; ``tally`` says how many answered. One is enough for a verdict (RESILIENT)."""
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
