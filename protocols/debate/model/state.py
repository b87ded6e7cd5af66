"""Layer A: the registries of claims, evidence and decisions, and each debater's status (seed 003, 7.2 to 7.4).

Fields are named as the seed's JSON names them, so that a dump is the seed's. Ids are given once and never change: a
claim that drops out of what is shown keeps its id and comes back under it.
"""

from typing import Literal

from pydantic import ConfigDict, Field

from protocols.debate.model.turn import Label, Stance, Vote
from protocols.model_call import FrozenModel, ParticipantId

ClaimStatus = Literal["accepted", "contested", "retracted", "open"]

EvidenceKind = Literal["unverified", "provider", "person", "material"]
"""Who vouches for it.

A reference that a model only wrote is unverified. The others are verified: named by a provider as a source of its
answer, added by a user, or given by a user at the start.
"""

CLAIM_TOKENS = 30
GIST_TOKENS = 25
POSITION_TOKENS = 40
ONE_LINER_TOKENS = 35
NOTE_TOKENS = 20
ARGUMENT_TOKENS = 25

PERSON = ParticipantId("person")
"""Who adds evidence or a decision from outside."""


WITHHELD = "[withheld]"
"""The text in place of a withheld one."""


class Claim(FrozenModel):
    """An atomic statement of at most 30 tokens (section 7.7)."""

    id: str = Field(pattern=r"^C[1-9][0-9]*$")
    text: str
    label: Label
    status: ClaimStatus = "open"
    introduced_round: int = Field(ge=1)
    last_updated_round: int = Field(ge=1)
    support: tuple[str, ...] = ()
    """Ids of evidence."""
    opposition: tuple[str, ...] = ()
    """Ids of claims that oppose it."""
    introduced_by: ParticipantId
    supporters: tuple[ParticipantId, ...] = ()
    """Its supporters in the order of their turns, the one that introduced it included."""
    opponents: tuple[ParticipantId, ...] = ()


class Evidence(FrozenModel):
    """A piece of evidence that claims can cite."""

    id: str = Field(pattern=r"^E[1-9][0-9]*$")
    kind: EvidenceKind = "unverified"
    title: str
    url: str = ""
    supports: tuple[str, ...] = ()
    """Ids of claims."""
    gist: str = ""
    """At most 25 tokens of the claim that it was cited for; what a user added is here whole."""
    added_round: int = Field(ge=1)
    added_by: ParticipantId

    @property
    def is_verified(self) -> bool:
        """Return whether a provider or a user vouches for it."""
        return self.kind != "unverified"


class Decision(FrozenModel):
    """A decision of a user that binds all later rounds."""

    id: str = Field(pattern=r"^D[1-9][0-9]*$")
    text: str
    round: int = Field(ge=1)


class AgentStatus(FrozenModel):
    """The status of one debater after its last turn, also when it was lost since."""

    agent: ParticipantId
    stance: Stance | None = None
    confidence: float | None = None
    confidence_delta: float | None = None
    vote: Vote | None = None
    key_point: str = ""
    is_lost: bool = False


class DebateState(FrozenModel):
    """Layer A: canonical, always passed (section 7.1)."""

    topic: str
    round: int = 0
    """The last round that began; 0 before the first."""
    participants: tuple[ParticipantId, ...]
    claims: tuple[Claim, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    decisions: tuple[Decision, ...] = ()
    agent_status: tuple[AgentStatus, ...] = ()

    def claim(self, claim_id: str) -> Claim | None:
        """Return the claim of that id, if there is one."""
        return next((claim for claim in self.claims if claim.id == claim_id), None)


MoveKind = Literal["claim", "reinforce", "challenge", "retract", "evidence"]


class KeyMove(FrozenModel):
    """A debater's move on one claim or piece of evidence; the note has at most 20 tokens."""

    type: MoveKind
    ref: str
    note: str = ""


class GlobalSummary(FrozenModel):
    """The changes of a round for all; the line has at most 35 tokens."""

    one_liner: str
    new_claims: tuple[str, ...] = ()
    new_evidence: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()


class AgentSummary(FrozenModel):
    """One debater's position in a round and its moves; the position has at most 40 tokens."""

    agent: ParticipantId
    stance: Stance | None = None
    vote: Vote | None = None
    confidence: float | None = None
    confidence_delta: float | None = None
    position: str = ""
    key_moves: tuple[KeyMove, ...] = ()


class Contested(FrozenModel):
    """A contested claim with the best argument of either side, at most 25 tokens each."""

    claim: str
    best_pro: str = ""
    best_con: str = ""


class RoundSummary(FrozenModel):
    """A round in short (section 7.3, ``summary``)."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False, populate_by_name=True, serialize_by_alias=True)

    overall: GlobalSummary = Field(alias="global")
    by_agent: tuple[AgentSummary, ...] = ()
    contested: tuple[Contested, ...] = ()


class HistoricalRound(FrozenModel):
    """A round that is not shown in full any more (section 7.3)."""

    round: int = Field(ge=1)
    summary: RoundSummary
