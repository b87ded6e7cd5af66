"""The texts that close a debate: the synthesiser's report and the judge's decision."""

from typing import Literal

from pydantic import Field

from protocols.model_call import FrozenModel


class KeyEvidence(FrozenModel):
    """A piece of evidence that mattered."""

    id: str = Field(default="", description="For example E1; blank when it has none.")
    text: str = Field(description="What it shows, and which claim stands on it.")


class FinalPosition(FrozenModel):
    """The last position of one debater."""

    agent: str = Field(description="The debater's name as given above.")
    position: str


class SynthesisText(FrozenModel):
    """The synthesiser's report."""

    executive_summary: str
    key_evidence: tuple[KeyEvidence, ...] = ()
    final_positions: tuple[FinalPosition, ...] = ()
    dissent: tuple[str, ...] = ()
    answer: str | None = None
    """The final answer of the debate, if the question has a form for it and one could be read."""


class SynthesisReading(SynthesisText):
    """The reading of the synthesiser's reply; without a summary it could not be read, and ``why`` says so."""

    executive_summary: str = ""
    why: str = ""


class Synthesis(SynthesisText):
    """The synthesis of a debate (section 5.3, "Final")."""

    written_by: Literal["synthesiser", "fallback", "rule"]
    """The synthesiser, one of its fallbacks, or by rule from the state when none of them answered."""
    model: str | None = None
    is_cut: bool = False
    """The reply ended at its length limit."""


class SummaryReading(FrozenModel):
    """The summariser's line; blank when none could be read."""

    one_liner: str = Field(default="", description="What the round changed, in one line of at most 35 tokens.")


class DecisionText(FrozenModel):
    """The decision of the judge, a model without turns in the debate."""

    decision: str
    """The answer to the topic, in one or two sentences."""
    reasons: tuple[str, ...] = ()
    """The arguments and evidence that decided, by their ids where they have one."""
    confidence: float | None = Field(default=None, ge=0, le=1)
    """``None``: none was given."""
    answer: str | None = None
    """The final answer, where the question has a form for it and one could be read."""
    would_change: tuple[str, ...] = ()
    """What would change the decision."""


class DecisionReading(DecisionText):
    """The reading of the judge's reply; without a decision it could not be read, and ``why`` says so."""

    decision: str = ""
    why: str = ""


class JudgeDecision(DecisionText):
    """The decision, and who wrote it."""

    written_by: Literal["judge", "fallback"]
    model: str
    is_cut: bool = False
    """The reply ended at its length limit."""
