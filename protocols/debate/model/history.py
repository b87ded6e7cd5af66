"""The history of a debate: its rounds, their measures, and the interventions of people."""

from typing import Literal

from pydantic import Field

from protocols.debate.model.context import ContextUse
from protocols.debate.model.state import DebateState, HistoricalRound
from protocols.debate.model.turn import AgentResponse, HazardKind
from protocols.model_call import FrozenModel, LostCall, ParticipantId

RoundKind = Literal["ordinary", "objection"]
"""An objection round is the intervention against groupthink (decision 3)."""

GroupthinkTrigger = Literal["stagnation", "early_convergence"]

SafetyTrigger = Literal["mode", "topic", "intent", "context", "high_stakes"]
"""Why the safety evaluator was called (decision 2, tier 2)."""


class Measures(FrozenModel):
    """One round in numbers, over the debaters with a turn in it."""

    agreement: float = Field(default=0.0, ge=0, le=1)
    """Share of ACCEPT and MINOR."""
    blockers: int = 0
    lowest_confidence: float | None = None
    """``None`` when a debater gave none."""
    mean_confidence: float | None = None
    mean_confidence_change: float | None = None
    """Mean of the absolute changes; ``None`` without earlier turns."""
    votes_changed: float | None = Field(default=None, ge=0, le=1)
    """Share of the earlier voters that changed their votes."""
    new_facts: int = 0
    facts_per_agent: float = 0.0
    spread: float = Field(default=0.0, ge=0)
    """Population standard deviation of the votes (ACCEPT 1, MINOR 0.5, BLOCKER 0), in devil's advocate of stances."""
    positions: int | None = None
    """Clusters of positions (decision 5: diversity is judged by its outcome); ``None`` without turns."""
    claims_per_agent: float | None = None
    """Different claims that were made or supported, for each debater with a turn."""
    single_claims: float | None = Field(default=None, ge=0, le=1)
    """Share of these claims with one supporter; ``None`` without claims."""


class WithheldTurn(FrozenModel):
    """A debater with a withheld turn, and the rule that the evaluator named."""

    agent: ParticipantId
    rule: HazardKind | None = None


class SafetyVerdict(FrozenModel):
    """The reading of what the safety evaluator says of some turns (decision 2, tier 3)."""

    is_clean: bool
    withhold: tuple[WithheldTurn, ...] = ()
    unknown: tuple[str, ...] = ()
    """Names in it that none of the debaters judged has."""
    reason: str = ""

    @property
    def is_doubtful(self) -> bool:
        """Return whether it names an unknown debater, objects without a name, or contradicts itself."""
        return bool(self.unknown) or self.is_clean == bool(self.withhold)


class Judgement(FrozenModel):
    """One call to the evaluator: whose turns it was about, and the verdict, ``None`` when there was none to read."""

    agents: tuple[ParticipantId, ...]
    verdict: SafetyVerdict | None = None

    @property
    def is_clean(self) -> bool:
        """Return whether every turn may be shown."""
        return self.verdict is not None and self.verdict.is_clean and not self.verdict.is_doubtful


class SafetyRound(FrozenModel):
    """The safety measures of one round."""

    judgements: tuple[Judgement, ...] = ()
    is_active: bool = False
    """Whether the evaluator judges every turn of the round; else only those that words pointed it to."""
    triggers: tuple[SafetyTrigger, ...] = ()
    """What called it for this round, or for those that follow."""

    @property
    def is_clean(self) -> bool:
        """Return whether the evaluator judged and cleared every turn that it was asked about."""
        return bool(self.judgements) and all(one.is_clean for one in self.judgements)


MOTION_TOKENS = 150
"""Of a motion; a longer position is cut there."""


class Motion(FrozenModel):
    """The group's answer in words, as a round left it: what the debaters vote on in the next."""

    round: int = Field(ge=1)
    """That left it first in these words."""
    text: str
    by: ParticipantId
    """Whose position it is."""


class CompletedRound(FrozenModel):
    """One completed round."""

    number: int = Field(ge=1)
    kind: RoundKind = "ordinary"
    turns: tuple[AgentResponse, ...] = ()
    summary: HistoricalRound
    measures: Measures = Measures()
    context: ContextUse = ContextUse()
    """The most of every component that a debater was shown in the round."""
    safety: SafetyRound = SafetyRound()
    fired: tuple[GroupthinkTrigger, ...] = ()
    """Triggers that fired after it: an objection round follows."""
    lacking: str = ""
    """What a consensus lacks after it, in words; empty where it is one."""
    motion: Motion | None = None
    """On which the debaters voted; ``None`` in round 1, and where parts are assigned."""
    answers: dict[ParticipantId, str | None] = Field(default_factory=dict)
    """Final answers, ``None`` where none could be read; empty where the topic has no form for them."""
    majority: str | None = None
    """The answer of most debaters; ``None`` where several share the most, or none was read."""


class Escalation(FrozenModel):
    """A wait for a user, after an objection round that failed."""

    round: int
    why: str
    decision: Literal["accept", "continue", "reject", "timed_out"] | None = None
    note: str = ""


class Approval(FrozenModel):
    """The gate before the synthesis of a high-stakes debate (decision 6)."""

    outcome: Literal["approved", "refused", "timed_out"] | None = None
    note: str = ""


class ReleaseTurn(FrozenModel):
    """Argument of the update ``release_turn``: a user has a withheld turn shown."""

    agent: ParticipantId
    round: int | None = Field(default=None, ge=1)
    """By default the latest round in which a turn of that debater is withheld."""
    note: str = Field(default="", max_length=500)


class DebateHistory(FrozenModel):
    """The history of a debate: the input of all rules, and the state of a continued run."""

    state: DebateState
    rounds: tuple[CompletedRound, ...] = ()
    open: tuple[AgentResponse, ...] = ()
    """The turns of the current round."""
    lost: tuple[ParticipantId, ...] = ()
    """Debaters that are not asked any more; their turns stay."""
    failed: tuple[LostCall, ...] = ()
    limit: int = Field(ge=1)
    """The most ordinary rounds."""
    is_evaluated: bool = False
    """Whether the safety evaluator is called in."""
    judgements: tuple[Judgement, ...] = ()
    """Of the safety evaluator on the current round."""
    clean_rounds: int = 0
    """Clean rounds in a row since it was."""
    escalations: tuple[Escalation, ...] = ()
    focus: tuple[str, ...] = ()
    """Focus questions by round, those that a user added included; a blank one is none."""
    motion: Motion | None = None
    """On which the next round votes."""

    @property
    def active(self) -> tuple[ParticipantId, ...]:
        """The seats that are still asked, in panel order."""
        return tuple(seat for seat in self.state.participants if seat not in self.lost)

    @property
    def ordinary(self) -> int:
        """The number of ordinary rounds; objection rounds do not count against the limit."""
        return sum(completed.kind == "ordinary" for completed in self.rounds)

    @property
    def shown(self) -> tuple[AgentResponse, ...]:
        """The turns of the current round that peers may see."""
        return tuple(turn for turn in self.open if not turn.withheld)

    def last_turn(self, agent: ParticipantId) -> AgentResponse | None:
        """Return the latest turn of ``agent`` in a completed round."""
        turns = (turn for completed in reversed(self.rounds) for turn in completed.turns if turn.agent == agent)
        return next(turns, None)
