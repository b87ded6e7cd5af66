"""The values of an iterative consensus, from its input to its result (seed 004)."""

from typing import Literal, Self

from pydantic import AwareDatetime, ConfigDict, Field, JsonValue, model_validator
from pydantic.alias_generators import to_camel

from protocols.deliberation import ContinueAsNewState, DeliberationInput, DeliberationResult
from protocols.model_call import CallTimeouts, FrozenModel, LostCall, ParticipantId
from protocols.transcript import Turn

Speaker = Literal["generator", "refiner", "validator"]
SPEAKERS: tuple[Speaker, ...] = ("generator", "refiner", "validator")

CURATOR = ParticipantId("curator")

Stage = Literal["generator", "refiner", "validator", "consensus_check", "curator"]
STAGES: tuple[Stage, ...] = ("generator", "refiner", "validator", "consensus_check", "curator")

BarName = Literal["generator", "refiner", "validator", "curator"]
BARS: tuple[BarName, ...] = ("generator", "refiner", "validator", "curator")
"""What has a bar (seed 004, "Progress Bar Synchronization")."""

PHASES: dict[BarName, str] = dict(zip(BARS, ("GENERATE", "REFINE", "VALIDATE", "CURATE"), strict=True))
"""The phase words (seed 004, "Stage Execution")."""

MOST_ROUNDS = 50
"""Seed 004, "Safety Limits"."""

SILENCE = 21_600.0
"""Seconds without any data after which a call counts as hung. A model may think for hours, with pauses below six."""

PATIENCE = CallTimeouts(total=None, first_token=SILENCE, between_chunks=SILENCE)
"""No limit on an answer (seed 004, "Safety Limits": no timeouts)."""

Opinion = Literal["YES", "NO"]
"""Whether the draft can be improved: NO is ACCEPT, YES is a correction or an objection."""

Stance = Literal["accept", "correction", "objection", "unread", "cut"]
"""The form of an opinion: the word; a text; remarks without a text; a reply that is unclear also when
asked again; a reply that was cut off."""

UNCHANGED_CHECKS = 3
"""Rounds with the same draft after which every screen says so."""

DEADLOCK = 5
"""Rounds with the same draft after which a consensus ends by default."""

StopReason = Literal[
    "consensus",
    "round_limit",
    "majority",
    "deadlock",
    "accepted",
    "stopped",
    "budget",
    "cancelled",
    "no_draft",
    "participant_lost",
    "quorum_lost",
    "curator_lost",
]
"""How it ends: all accept; the last round ended; most accept after ``majority_after`` rounds; the draft was unchanged
for ``deadlock_after`` rounds; a user accepts, stops or cancels; no draft was written; STRICT lost a speaker;
RESILIENT has fewer than two left; STRICT lost the curator."""

WrittenBy = Literal["curator", "draft", "none"]
"""Where the verdict's text comes from: the curator, the last draft as it was, or there is none."""


class SpeakerState(FrozenModel):
    """The state of one speaker's calls."""

    failures: int = Field(default=0, ge=0)
    """In a row, over turns and checks."""
    is_zombie: bool = False
    """Lost twice in a row: it is asked no more and has no vote."""


class RoundSummary(FrozenModel):
    """One round in short; it is passed from run to run."""

    round: int = Field(ge=1)
    opinions: dict[Speaker, Opinion | None] = Field(default_factory=dict)
    """Of the active ones; ``None``: it was not obtained, which is no ACCEPT."""
    stances: dict[Speaker, Stance] = Field(default_factory=dict)
    """How the opinions were given that were obtained."""
    draft_by: ParticipantId | None = None
    """Who wrote the draft that was checked."""
    draft_changed: bool = False
    """Whether it is another text than the round before checked."""

    @property
    def accepts(self) -> int:
        """Return the number of acceptances."""
        return sum(opinion == "NO" for opinion in self.opinions.values())


class ConsensusState(FrozenModel):
    """The state of a consensus, small enough to pass from run to run."""

    rounds: tuple[RoundSummary, ...] = ()
    """Those that are over, in order."""
    draft: str | None = None
    draft_by: ParticipantId | None = None
    is_draft_cut: bool = False
    """Whether the draft ends where its writer was stopped by its length; only a first answer can."""
    checked: str | None = None
    """Digest of the draft that the last check was about, to see whether it changed."""
    same_for: int = 0
    """Rounds in a row, the last included, that checked this same draft."""
    speakers: dict[Speaker, SpeakerState] = Field(default_factory=lambda: {name: SpeakerState() for name in SPEAKERS})
    objections: dict[Speaker, str] = Field(default_factory=dict)
    """The objections to the draft in the last check, a line for each speaker that did not accept."""
    corrections: tuple[str, ...] = ()
    """Written in the last check; only the option ``carry_corrections`` makes anything of them."""
    failed: tuple[LostCall, ...] = ()

    @property
    def active(self) -> tuple[Speaker, ...]:
        """Return the speakers still asked."""
        return tuple(name for name in SPEAKERS if not self.speakers[name].is_zombie)


class StageVisual(FrozenModel):
    """One bar: ready at 0, running from 0 to 90, completed at 100."""

    status: Literal["ready", "running", "completed"] = "ready"
    progress: int = Field(default=0, ge=0, le=100)


class VisualState(FrozenModel):
    """The live display (seed 004, "Visual Indicators Needed"); in JSON under the seed's names."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True)

    current_round: int = 1
    current_stage: BarName = "generator"
    stage_progress: int = Field(default=0, ge=0, le=100)
    total_tokens: int = 0
    total_cost: float | None = 0.0
    """In US dollars, the known part; ``None`` when nothing of it is known."""
    consensus_opinions: dict[Speaker, Opinion | None] = Field(default_factory=lambda: dict.fromkeys(SPEAKERS))
    """Of the last check; ``None`` until it is obtained."""
    phase: str = PHASES["generator"]
    stages: dict[BarName, StageVisual] = Field(default_factory=lambda: {name: StageVisual() for name in BARS})
    """Every bar; ``stage_progress`` is that of the current one."""


SyncPoint = Literal["model_started", "model_completed", "round_completed", "round_started", "consensus_achieved"]
"""The moments at which a screen must change (seed 004, "Implementation Sync Points"), in the seed's order."""


class SyncEvent(FrozenModel):
    """One such moment, and what is to be seen from it on."""

    number: int = Field(ge=1)
    """1, 2, 3 … over the whole deliberation, whatever number of runs it takes."""
    point: SyncPoint
    at: AwareDatetime
    state: VisualState


class ContinuedConsensus(ContinueAsNewState):
    """The state that one run of a consensus passes to the next."""

    course: ConsensusState
    max_rounds: int
    visual: VisualState
    events: tuple[SyncEvent, ...] = ()
    """The latest events, enough for clients that poll."""


class ConsensusInput(DeliberationInput):
    """The input of a consensus.

    Its panel has three participants named ``generator``, ``refiner`` and ``validator``, and a chair named ``curator``.
    ``sampling.max_tokens`` unset takes the seed's table by model family.
    """

    ANSWER_READERS = frozenset({"consensus.draft", "consensus.curation"})

    max_rounds: int = Field(default=MOST_ROUNDS, ge=1, le=MOST_ROUNDS)
    majority_after: int | None = Field(default=None, ge=1, le=MOST_ROUNDS)
    """After so many rounds more than half of the speakers are enough to stop; off by default."""
    deadlock_after: int | None = Field(default=DEADLOCK, ge=2, le=MOST_ROUNDS)
    """Stop when so many rounds in a row checked the same draft; ``None`` switches it off."""
    carry_corrections: bool = False
    """Offer the corrections written in a check to the next round's generator; the seed passes only the draft on."""
    patience: CallTimeouts = PATIENCE
    carried: ContinuedConsensus | None = None
    """The end of the run before; only a run that continues sets it."""

    @model_validator(mode="after")
    def _can_be_held(self) -> Self:
        seats = (*SPEAKERS, CURATOR)
        if self.panel.seats != seats:
            raise ValueError(f"a consensus seats {', '.join(seats)}, not {', '.join(self.panel.seats)}")
        return self


class ConversationMessage(FrozenModel):
    """One turn, exactly as seed 004 "Data Structure" has it."""

    speaker: Speaker
    content: str
    """The reply, word for word: the draft after the turn may be another text."""
    round: int
    consensus_opinion: Opinion | None = None
    """What the same speaker thought of the draft in the check of that round."""


class Conversation(FrozenModel):
    """The whole consensus, exactly as seed 004 "Data Structure" has it."""

    consensus_id: str
    user_question: str
    messages: tuple[ConversationMessage, ...]
    rounds_completed: int
    consensus_achieved: bool
    total_tokens: int
    total_cost: float | None
    """In US dollars; ``None`` when nothing of it is known."""


class SeedRecord(FrozenModel):
    """The record of a consensus in seed 004."""

    conversation: Conversation


class ConsensusResult(DeliberationResult, SeedRecord):
    """The result of a consensus; the record of the seed comes first."""

    protocol: Literal["consensus"] = "consensus"
    draft: str | None
    """The last draft, before any curator."""
    draft_by: ParticipantId | None
    written_by: WrittenBy
    consensus_achieved: bool
    stop_reason: StopReason
    remark: str = ""
    """What the user said who ended it."""
    reason: str = ""
    """The reason why there is no consensus: how long the draft was unchanged, and the objections of the last check."""
    rounds: tuple[RoundSummary, ...] = ()
    zombies: tuple[Speaker, ...] = ()
    message_notes: tuple[str, ...] = ()
    """What is to be known of each of the conversation's messages, in their order; blank where there is nothing."""
    checks: tuple[Turn, ...] = ()
    """The replies of the checks, corrections included, in order."""
    curation: Turn | None = None

    def scores(self) -> dict[str, float | None]:
        """Return the number of rounds, how many accepted in the last one, and whether all did."""
        accepts = self.rounds[-1].accepts if self.rounds else None
        return {"rounds": len(self.rounds), "accepts": accepts, "consensus_achieved": self.consensus_achieved}

    def votes_cast(self) -> dict[str, JsonValue]:
        """Return the opinions of the last round by speaker."""
        return dict[str, JsonValue](self.rounds[-1].opinions.items()) if self.rounds else {}


class Draft(FrozenModel):
    """The reading of an answer to the bare question."""

    text: str


class Evaluation(FrozenModel):
    """The reading of a reply to the evaluation prompt: ACCEPT, a corrected text, an objection, or none for certain."""

    accepted: bool
    draft: str | None = None
    """The corrected text, without remarks about it; ``None`` when there is none."""
    found_as: Literal["word", "word_and_remark", "translated", "correction", "objection", "doubtful"]
    """What it was read as: the word; the word and harmless remarks; the word in another form or language; a text;
    remarks that do not accept and offer no text; none of them for certain, which is no ACCEPT."""
    remark: str = ""
    """Remarks about the draft beside a corrected text, or instead of one; at most 2,000 characters."""


class Curation(FrozenModel):
    """The reading of the curator's reply."""

    text: str | None
    """The polished text; ``None`` when there is none and the accepted draft is kept."""
    found_as: Literal["text", "nothing_to_polish", "doubtful"] = "text"
    """A text; a verdict that leaves the draft as it is; neither for certain."""
    remark: str = ""
    """Remarks about the draft beside the text, or instead of it; at most 2,000 characters."""
