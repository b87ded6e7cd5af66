"""The input of a debate, the updates that it accepts, and its result (seed 003)."""

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import AwareDatetime, Field, JsonValue, model_validator

from protocols.debate.model.closing import JudgeDecision, Synthesis
from protocols.debate.model.context import ContextBudget, Material, refuse_long_material
from protocols.debate.model.history import Approval, CompletedRound, DebateHistory, Escalation, Motion, SafetyTrigger
from protocols.debate.model.state import DebateState
from protocols.debate.model.turn import Vote
from protocols.deliberation import ContinueAsNewState, DeliberationInput, DeliberationResult
from protocols.model_call import FrozenModel, ParticipantId
from protocols.panel import Panel, Participant
from protocols.time_spans import DAY
from protocols.transcript import Turn
from protocols.written_seat import SeatTable

FEWEST, MOST = 2, 10
"""Debaters."""

DEFAULT_ROUNDS, MOST_ROUNDS = 5, 50

TOPIC_TOKENS = 4000
"""The longest topic, because every call contains it; longer texts are given as material."""


EVALUATOR, SUMMARISER = ParticipantId("evaluator"), ParticipantId("summariser")
JUDGE = ParticipantId("judge")
"""Decides at the end, in the modes whose debaters argue against each other."""
SYNTHESISER = ParticipantId("synthesiser")
"""The chair of a debate."""

ModeName = Literal[
    "collaborative", "adversarial", "socratic", "expert-panel", "devils-advocate", "delphi", "red-team-blue-team"
]

HighStakes = Literal["security", "medical_legal", "agentic", "safety_critical"]
"""What a user may declare (decision 6): abuse potential, medical or legal implications, real-world effects of
agents, real-time or safety-critical systems."""

TurnFormat = Literal["full", "lite"]

StopReason = Literal[
    "consensus",
    "plateau",
    "round_cap",
    "accepted",
    "rejected",
    "escalation_timed_out",
    "safety_blocked",
    "not_approved",
    "stopped",
    "budget",
    "cancelled",
    "participant_lost",
    "debate_too_small",
]
"""How it ends: the three exits of P1; a user accepted or rejected it as it was, or did not answer in time; no turn
of a round could be shown; the approval was refused; a user stopped or cancelled it; its budget was too small for
the next calls; STRICT lost a model; fewer than two debaters are left, or a round had no turn."""


class Carried(ContinueAsNewState):
    """The state that one run of a debate passes to the next."""

    course: DebateHistory
    labels: tuple[ParticipantId, ...]
    """Who has which label, A first; drawn once."""


class DebateInput(DeliberationInput):
    """The input of a debate; its question is the topic.

    The panel's participants debate; beside them are evaluator, summariser and judge; the chair is the synthesiser.
    """

    ANSWER_READERS = frozenset({"debate.turn"})
    BESIDE = (EVALUATOR, SUMMARISER, JUDGE)

    mode: ModeName
    max_rounds: int = Field(default=DEFAULT_ROUNDS, ge=1, le=MOST_ROUNDS)
    focus_questions: tuple[str, ...] = Field(default=(), max_length=MOST_ROUNDS)
    """By round; rounds beyond them have none, and a blank one is none."""
    high_stakes: tuple[HighStakes, ...] = ()
    """Declared by a user: adds the tenth question and the gate before the synthesis."""
    vulnerable_audience: bool = False
    """A context that calls the safety evaluator (decision 2, tier 2)."""
    turn_format: TurnFormat = "full"
    """What a turn must hold; ``lite`` is position, confidence, vote, three claims and references, for small models."""
    reask: bool = False
    """Whether a turn that breaks the citation format is asked for once more."""
    summaries: Literal["rule", "llm"] = "rule"
    escalation_timeout: float = Field(default=DAY, gt=0, le=365 * DAY)
    """Seconds that a failed objection round waits for a user, and an approval gate likewise."""
    context_budget: ContextBudget = ContextBudget()
    material: tuple[Material, ...] = ()
    """Documents given at the start: registered as evidence, and shown whole in every prompt."""
    carried: Carried | None = None

    @model_validator(mode="after")
    def _can_be_held(self) -> Self:
        debaters = len(self.panel.participants)
        refuse_long_material(self.material, self.context_budget.material)
        if self.draws is not None:
            self.draws.require(order=self.seats)
        if not FEWEST <= debaters <= MOST:
            raise ValueError(f"a debate has {FEWEST} to {MOST} debaters, got {debaters}")
        beside = tuple(seat.id for seat in self.panel.beside)
        if (*beside, self.panel.chair_seat) != (*self.BESIDE, SYNTHESISER):
            wanted = f"{', '.join(self.BESIDE)} and {SYNTHESISER}"
            raise ValueError(f"beside the debaters sit {wanted}, not {beside}")
        return self

    @property
    def seats(self) -> tuple[ParticipantId, ...]:
        """The debaters by their seats, in panel order."""
        return tuple(participant.id for participant in self.panel.participants)

    def position(self, seat: ParticipantId) -> int:
        """Return the place of ``seat`` in the panel, 0 first: role, team and anchor follow from it."""
        return self.seats.index(seat)


class ResolveEscalation(FrozenModel):
    """Argument of the update ``resolve_escalation``: the user's decision after a failed objection round."""

    decision: Literal["accept", "continue", "reject"]
    """Accept the present state; continue, with the note as a binding decision; or conclude without agreement."""
    note: str = Field(default="", max_length=500)


class Approve(FrozenModel):
    """Argument of the update ``approve``: a user approves the synthesis or refuses it finally."""

    approved: bool = True
    note: str = Field(default="", max_length=500)


class InjectEvidence(FrozenModel):
    """Argument of the update ``inject_evidence``: a user adds a fact with its source."""

    fact: str = Field(min_length=1, max_length=500)
    source: str = Field(min_length=1, max_length=500)
    """Title or citation."""
    url: str = Field(default="", max_length=1000)
    supports: tuple[str, ...] = ()
    """Ids of claims that it supports."""


class Waiting(FrozenModel):
    """The decision for which the debate waits; the answer of the query ``waiting``."""

    for_what: Literal["escalation", "approval", "release"]
    why: str
    since: AwareDatetime
    until: AwareDatetime
    """When it continues without an answer."""


_COUNTED_VOTES: Mapping[str, Vote] = {"accepts": "ACCEPT", "minors": "MINOR", "blockers": "BLOCKER"}


class DebateResult(DeliberationResult):
    """A debate's outcome."""

    protocol: Literal["debate"] = "debate"
    mode: ModeName
    synthesis: Synthesis | None = None
    decision: JudgeDecision | None = None
    """The judge's; ``None`` in a mode without a judge, and where no decision could be had."""
    stop_reason: StopReason
    remark: str = ""
    """What the user said who ended it."""
    consensus_reached: bool
    accepted_motion: Motion | None = None
    """What was agreed, in words; ``None`` without an agreement or without a motion."""
    answered_by: Literal["judge", "synthesiser", "majority"] | None = None
    """Whose answer it is: the decision's, else the synthesis's, else the majority's of the last round."""
    is_flagged: bool = False
    """It was concluded without the user that it waited for, or against doubts of the safety evaluator."""
    rounds: tuple[CompletedRound, ...] = ()
    state: DebateState
    labels: dict[str, ParticipantId] = Field(default_factory=dict)
    """Who spoke under which label, where peers were anonymous."""
    escalations: tuple[Escalation, ...] = ()
    approval: Approval | None = None
    """``None`` where no gate was asked for."""
    safety_triggers: tuple[SafetyTrigger, ...] = ()
    synthesis_turn: Turn | None = None

    def columns(self) -> dict[str, float | None]:
        """Return the agreement of the last round."""
        return {"agreement": self.rounds[-1].measures.agreement if self.rounds else None}

    def scores(self) -> dict[str, float | None]:
        """Return confidence and agreement of the last round, and the counts of rounds, claims and votes."""
        last = self.rounds[-1].measures if self.rounds else None
        given = [one.vote for one in self.state.agent_status]
        return {
            "mean_confidence": last.mean_confidence if last else None,
            "accepting_share": last.agreement if last else None,
            "vote_spread": last.spread if last else None,
            "rounds": len(self.rounds),
            "claims": len(self.state.claims),
            "consensus_reached": self.consensus_reached,
            "is_flagged": self.is_flagged,
            **({name: given.count(vote) for name, vote in _COUNTED_VOTES.items()} if given else {}),
        }

    def votes_cast(self) -> dict[str, JsonValue]:
        """Return the votes by seat; with final answers also whose answer it is, and the answers of each round."""
        votes: dict[str, JsonValue] = {one.agent: one.vote for one in self.state.agent_status}
        rounds = [one.model_dump(mode="json", include={"majority", "answers"}) for one in self.rounds if one.answers]
        if not rounds and self.answer is None:
            return votes
        return {**votes, "answer": self.answer, "answered_by": self.answered_by, "rounds": [*rounds]}


def panel_of(
    debaters: tuple[str | SeatTable, ...],
    synthesiser: str | SeatTable,
    *,
    evaluator: str | SeatTable,
    summariser: str | SeatTable,
    judge: str | SeatTable | None = None,
    fallbacks: tuple[str | SeatTable, ...] = (),
    twice: bool = False,
) -> Panel:
    """Return the panel with all seats of a debate; without ``judge`` the synthesiser's model decides."""
    seated = Panel.of(debaters, synthesiser, fallbacks=fallbacks, twice=twice, chair_seat=SYNTHESISER)
    beside = {EVALUATOR: evaluator, SUMMARISER: summariser, JUDGE: judge or synthesiser}
    return seated.with_beside(Participant.of(seat, written) for seat, written in beside.items())
