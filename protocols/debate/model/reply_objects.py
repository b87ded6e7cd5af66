"""The objects that a debate asks for, as JSON schemas see them (seed 003, sections 5 and 9.2).

They define the requested form, and share their parts with what is read; the summariser's object is ``SummaryReading``.
The readers accept other forms too, because not every model is bound by a schema.
"""

from pydantic import Field, JsonValue

from protocols.debate.model.closing import FinalPosition, KeyEvidence
from protocols.debate.model.turn import Alternative, HazardKind, ParsedClaim, Reference, Risk, Stance, Vote
from protocols.model_call import FrozenModel

_ANSWER = "The final answer alone, in the form that the topic asks for."


_OF_CLAIMS = "Ids of claims in the registry, for example C1."
_FULL: dict[str, JsonValue] = {"only_with": "full"}
"""Of a field that the short form of a turn leaves out."""


class TurnReply(FrozenModel):
    """One turn. What does not apply is an empty text or an empty list."""

    position: str = Field(description="What you hold yourself, in one or two sentences.")
    reasoning: str = Field(
        description="The required headers with tagged claims, and the References section at the end.",
        json_schema_extra=_FULL,
    )
    confidence: float = Field(description="From 0 to 1.")
    vote: Vote
    stance: Stance = Field(description="The stance that was dealt.", json_schema_extra={"only_with": "stances"})
    answer: str = Field(description=_ANSWER, json_schema_extra={"only_with": "answer"})
    claims: tuple[ParsedClaim, ...]
    references: tuple[Reference, ...]
    alternatives: tuple[Alternative, ...] = Field(json_schema_extra=_FULL)
    risks: tuple[Risk, ...] = Field(json_schema_extra=_FULL)
    reinforces: tuple[str, ...] = Field(description=_OF_CLAIMS, json_schema_extra=_FULL)
    challenges: tuple[str, ...] = Field(description=_OF_CLAIMS, json_schema_extra=_FULL)
    retracts: tuple[str, ...] = Field(description="Ids of own claims, for example C1.", json_schema_extra=_FULL)
    debate_alignment: str = Field(description="Your side in a word.", json_schema_extra=_FULL)
    confidence_reason: str = Field(json_schema_extra=_FULL)
    steelman: str = Field(json_schema_extra=_FULL)
    uncertainty: str = Field(json_schema_extra=_FULL)
    concerns: tuple[str, ...] = Field(json_schema_extra=_FULL)
    key_points: tuple[str, ...] = Field(description="Two or three.", json_schema_extra=_FULL)
    replies_to: tuple[str, ...] = Field(description="Names of debaters.", json_schema_extra=_FULL)


class WithheldReply(FrozenModel):
    """A debater whose turn may not be shown."""

    debater: str = Field(description="The name as given above.", json_schema_extra={"enum_from": "names"})
    rule: HazardKind


class SafetyReply(FrozenModel):
    """The safety evaluator's verdict."""

    clean: bool = Field(description="Whether every turn may be shown.")
    withhold: tuple[WithheldReply, ...] = Field(description="Whose turns may not be shown; empty when clean.")
    reason: str = Field(description="One sentence.")


class DecisionReply(FrozenModel):
    """The judge's decision."""

    decision: str = Field(description="The answer to the topic, in one or two sentences.")
    reasons: tuple[str, ...] = Field(description="Arguments and evidence that decided, by their ids.")
    confidence: float = Field(description="From 0 to 1.")
    answer: str = Field(description=_ANSWER, json_schema_extra={"only_with": "answer"})
    would_change: tuple[str, ...] = Field(description="Facts or arguments that would change the decision.")


class SynthesisReply(FrozenModel):
    """The synthesis of a debate."""

    executive_summary: str = Field(description="What was found, how sure, and what is left open.")
    answer: str = Field(description=_ANSWER, json_schema_extra={"only_with": "answer"})
    key_evidence: tuple[KeyEvidence, ...]
    final_positions: tuple[FinalPosition, ...]
    dissent: tuple[str, ...] = Field(description="The remaining objections, with their reasons.")
