"""One turn of a debater, as it is read and as it is recorded (seed 003, sections 3.3, 5.1, 7.4 and 9.2)."""

from typing import Literal

from pydantic import Field

from protocols.model_call import FrozenModel, ModelId, ParticipantId
from protocols.sources import SourceLink

Label = Literal["FACT", "INFER", "ASSUME", "OPEN"]
"""The basis of a claim (sections 2, P0, and 7.7)."""

Vote = Literal["ACCEPT", "MINOR", "BLOCKER"]
"""ACCEPT as it is, MINOR edits, or a BLOCKER that must change first (section 2, P1)."""

Stance = Literal["YES", "NO", "NEUTRAL"]
"""Assigned in devil's advocate, and meaningless elsewhere (decision 1)."""

Source = Literal["schema", "json", "repaired", "text", "prose"]
"""How a turn was read.

As a whole object for which a JSON schema was sent, as other JSON, as mended JSON, by labelled lines, or as plain prose
that names nothing."""

ViolationKind = Literal[
    "fact_uncited",
    "assume_cited",
    "unknown_reference",
    "reversed_range",
    "not_numeric",
    "stance_changed",
    "agreement_without_concern",
    "agreement_without_alternative",
    "no_steelman",
    "dissent_untethered",
    "risk_unmitigated",
    "no_counterargument",
    "no_alternative",
    "few_alternatives",
    "few_risks",
    "no_uncertainty",
]
"""A rule that a turn breaks; each is explained where it is checked."""

HazardKind = Literal["exploit_steps", "safeguard_evasion", "manipulation", "harassment"]
"""What P3 disallows: the rules under which the safety evaluator withholds a turn."""

WithheldFor = HazardKind | Literal["other", "unjudged"]
"""Why a turn is withheld: the rule that the evaluator named, ``other`` where it named none that is known, ``unjudged``
where it gave no verdict that can be used on a turn that words had pointed it to."""


class Reference(FrozenModel):
    """One entry of the References section."""

    number: int = Field(ge=1)
    text: str
    url: str = Field(default="", description="Blank when there is none.")


class ParsedClaim(FrozenModel):
    """A claim as a turn makes it."""

    text: str = Field(description="The claim, in at most 30 tokens.")
    label: Label = Field(description="What the claim stands on.")
    citations: tuple[int, ...] = Field(default=(), description="Numbers of this turn's references.")
    evidence: tuple[str, ...] = Field(default=(), description="Ids of registered evidence, for example E1.")
    supports: tuple[str, ...] = Field(default=(), description="Ids of claims that it supports, for example C1.")
    opposes: tuple[str, ...] = Field(default=(), description="Ids of claims that it opposes, for example C2.")


class Alternative(FrozenModel):
    """Another approach that was considered, and why it was not chosen."""

    text: str
    rejected_because: str = ""


class Risk(FrozenModel):
    """A failure mode or vulnerability, and what would lessen it; the red team names a category of mitigation."""

    text: str
    mitigation: str = ""


class Violation(FrozenModel):
    """A rule that the turn breaks; recorded, never rewritten."""

    kind: ViolationKind
    detail: str = ""


class TurnReading(FrozenModel):
    """The reading of a reply; without a position it could not be read, and ``why`` says so."""

    position: str = ""
    reasoning: str = ""
    confidence: float | None = Field(default=None, ge=0, le=1)
    confidence_reason: str = ""
    vote: Vote | None = None
    stance: Stance | None = None
    debate_alignment: str | None = None
    claims: tuple[ParsedClaim, ...] = ()
    reinforces: tuple[str, ...] = ()
    """Ids of claims in the registry that the turn supports, like the two that follow."""
    challenges: tuple[str, ...] = ()
    retracts: tuple[str, ...] = ()
    key_points: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    replies_to: tuple[str, ...] = ()
    """Names under which peers were shown."""
    steelman: str = ""
    concerns: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    risks: tuple[Risk, ...] = ()
    uncertainty: str = ""
    violations: tuple[Violation, ...] = ()
    """Of the format of citations; the other rules of a turn are checked when its round closes."""
    alerts: tuple[HazardKind, ...] = ()
    """Kinds of hazard whose words occur in it (decision 2, tier 1): the evaluator judges the turn, and no more."""
    answer: str | None = None
    """The final answer, where the topic has a form for it and one could be read."""
    source: Source = "prose"
    why: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """Return every text of the turn that peers may be shown, each once."""
        own = (self.position, self.reasoning, self.confidence_reason, self.debate_alignment or "", self.steelman)
        weighed = (text for one in self.alternatives for text in (one.text, one.rejected_because))
        feared = (text for one in self.risks for text in (one.text, one.mitigation))
        claims = (claim.text for claim in self.claims)
        sources = (text for one in self.references for text in (one.text, one.url))
        lists = (*self.key_points, *self.concerns, *weighed, *feared, *claims, *sources, *self.replies_to)
        return tuple(dict.fromkeys(text for text in (*own, self.uncertainty, *lists) if text))


class ClaimsTouched(FrozenModel):
    """Ids of the claims that a turn touched (section 7.4)."""

    introduced: tuple[str, ...] = ()
    reinforced: tuple[str, ...] = ()
    challenged: tuple[str, ...] = ()
    retracted: tuple[str, ...] = ()


class AgentResponse(FrozenModel):
    """One recorded turn: its content, and its effects on the debate (sections 5.1 and 7.4)."""

    agent: ParticipantId
    model: ModelId
    round: int = Field(ge=1)
    said: TurnReading
    confidence_delta: float | None = None
    """Against the same agent's turn before; ``None`` in its first, and where a confidence is missing."""
    vote_before: Vote | None = None
    claims_touched: ClaimsTouched = ClaimsTouched()
    new_facts: int = 0
    """New [FACT] claims on verified evidence."""
    citations_used: tuple[str, ...] = ()
    """Ids of evidence: E1 …"""
    sources: tuple[SourceLink, ...] = ()
    """The pages that the provider of its model names as sources of the turn."""
    direct_replies_to: tuple[ParticipantId, ...] = ()
    perspective_anchor: str = ""
    violations: tuple[Violation, ...] = ()
    """Everything that the turn breaks, the format of its citations included."""
    withheld: str = ""
    """Why peers are not shown it; empty when they are."""
    withheld_for: WithheldFor | None = None
    """The rule behind it; it stays when a user releases the turn."""
    released: str = ""
    """The note of its release by a user; blank without one."""
    note: str = ""
    """What is to be known of the reply, in one line: that it was cut off, or was asked for once more."""

    @property
    def confidence(self) -> float | None:
        """The debater's confidence in its position."""
        return self.said.confidence

    @property
    def vote(self) -> Vote | None:
        """The debater's vote."""
        return self.said.vote
