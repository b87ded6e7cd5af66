"""The values of a council, from its input to its result (seed 002)."""

from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from protocols.anonymity import Labels
from protocols.council.chair import ChairAnalysis
from protocols.council.rubric import Rubric, ScoreCard, ScoreTally
from protocols.deliberation import DeliberationInput, DeliberationResult
from protocols.model_call import Answered, FrozenModel, LostCall, ModelId, ParticipantId, Usage
from protocols.panel import CHAIR
from protocols.transcript import Transcript

Stage = Literal["opinion", "review", "synthesis"]
STAGES: tuple[Stage, ...] = ("opinion", "review", "synthesis")

StopReason = Literal["verdict", "stopped", "budget", "cancelled", "no_answers", "participant_lost", "chair_lost"]
"""How a council ends.

With a verdict; stopped or cancelled by a user; with too small a budget for the next stage; no answers; STRICT lost
a participant; no chair answered.
"""

SynthesisBy = Literal["chair", "fallback_chair", "fallback", "none"]
"""Who wrote the verdict: the chair, one of its fallbacks, none of them (the winner's own answer), or not written."""

ReviewSkipped = Literal["final_only", "one_answer"]
"""Why there was no review: it was switched off, or there was only one answer and nothing to rank."""


class CouncilInput(DeliberationInput):
    """The input of a council."""

    ANSWER_READERS = frozenset({"council.opinion", "council.synthesis"})

    final_only: bool = False
    """Skip the review: the chair concludes from the answers alone (seed 002, "Final-Only Mode")."""
    exclude_self_votes: bool = False
    """Leave a participant's placement of its own answer out of the tally."""
    rubric: Rubric | None = None
    """The criteria by which reviewers score each answer beside ranking them; ``None`` asks for no scores."""
    chair_fields: bool = False
    """Have the chair give agreement, contradictions, unique insights and blind spots beside its verdict."""
    nonce_header: bool = True
    """Require the ranking header to carry a nonce, so that text a peer wrote cannot vote."""

    @model_validator(mode="after")
    def _rubric_has_a_review(self) -> Self:
        if self.rubric is not None and self.final_only:
            raise ValueError("a rubric is for the reviewers and final_only skips the review; leave one of them out")
        return self

    @model_validator(mode="after")
    def _has_its_draws(self) -> Self:
        if self.draws is not None:
            seats = tuple(seat.id for seat in self.panel.participants)
            self.draws.require(labels=seats, shown=seats, nonces=(*seats, CHAIR))
        return self


class Opinion(FrozenModel):
    """The reading of a stage 1 reply."""

    shown: str
    """The answer as peers see it: the model's naming of itself replaced."""
    names_hidden: tuple[str, ...] = ()
    """What was replaced, as found. Empty: ``shown`` is the reply's own text."""
    has_header: bool = True
    """Whether ``shown`` has the words of a ranking's header, however they are dressed."""
    has_ranking_object: bool = True
    """Whether ``shown`` names a ranking as an object's key does."""


BallotForm = Literal["numbered", "labelled", "table", "chain", "object", "listed", "mentions", "nothing"]
"""In which form a ranking was written; ``protocols.council.replies.ballot`` has an example of each."""


class Ballot(FrozenModel):
    """The reading of a stage 2 reply: an order of labels, best first, and how it was come by."""

    ranking: tuple[str, ...] = ()
    places: tuple[tuple[str, ...], ...] = ()
    """``ranking`` by place, best first: labels that share a place are in one tuple."""
    standing: Literal["complete", "partial", "void"]
    """``complete`` places every label shown, ``partial`` some, ``void`` none."""
    found_as: BallotForm = "nothing"
    repairs: tuple[str, ...] = ()
    """What had to be mended or why it is void, one line each: ``duplicate Response B``, ``unknown Response F``."""
    evaluation: str = ""
    """What a reply that is one JSON object says of the answers; blank where the reply is a text itself."""
    card: ScoreCard | None = None
    """The scores; ``None`` where the council has no rubric."""

    @model_validator(mode="after")
    def _places_are_the_ranking(self) -> Self:
        if self.places and tuple(label for place in self.places for label in place) != self.ranking:
            raise ValueError("places and ranking name other labels, or in another order")
        return self

    @property
    def by_place(self) -> tuple[tuple[str, ...], ...]:
        """Return ``places``; for a ballot from before ties, each label at a separate place."""
        return self.places or tuple((label,) for label in self.ranking)


class Score(FrozenModel):
    """One score of one answer."""

    label: str = Field(description="The answer's label.", json_schema_extra={"enum_from": "labels"})
    criterion: str = Field(description="The criterion.", json_schema_extra={"enum_from": "criteria"})
    score: int = Field(description="From 1 (worst) to 10 (best).")


class BallotReply(FrozenModel):
    """The object requested of a reviewer with a JSON schema.

    It is a ballot as the whole reply with the code of its header; an object that a peer planted has no such code.
    """

    evaluation: str = Field(description="The short paragraphs on each answer: what is right, wrong and left out.")
    scores: tuple[Score, ...] = Field(
        description="One score for every answer and every criterion.", json_schema_extra={"only_with": "criteria"}
    )
    ranking: tuple[str, ...] = Field(
        description="Every label exactly once, the best answer first.", json_schema_extra={"enum_from": "labels"}
    )
    code: str = Field(
        description="The code of the ranking's header.", json_schema_extra={"enum_from": "nonce", "only_with": "nonce"}
    )


class SubmittedBallot(FrozenModel):
    """A ballot and who cast it; ``own_label`` is the label of the reviewer's own answer."""

    reviewer: ParticipantId
    model: ModelId
    own_label: str | None
    shown_order: tuple[str, ...]
    """The labels in the order in which this reviewer saw the answers."""
    ballot: Ballot


class HiddenNames(FrozenModel):
    """The names in one answer that peers were not shown."""

    participant: ParticipantId
    model: ModelId
    names: tuple[str, ...]
    """As found, in the order of the search."""


class RankedAnswer(FrozenModel):
    """The rank of one answer after the review."""

    label: str
    author: ParticipantId
    model: ModelId
    place: int = Field(ge=1)
    """1 is best; equal answers share a place."""
    average_position: float | None = Field(ge=1)
    """Mean position over the counted ballots, lower is better; ``None`` when no ballot counted it."""
    votes: int = Field(ge=0)
    """Ballots that place this answer by name."""
    first_places: int = Field(ge=0)
    """Ballots that place it first, alone or tied."""
    borda: float = Field(ge=0)
    """Borda points: on each ballot the number of answers ranked behind it, half a point for one at the same place."""
    tied: bool = False
    """Equal in average position and first places to a neighbour; ordered by label."""


class Tally(FrozenModel):
    """The count of a review, best answer first."""

    standings: tuple[RankedAnswer, ...]
    ballots_counted: int
    ballots_void: int
    agreement: float | None = Field(ge=0, le=1)
    """Kendall's W over the complete and partial ballots, 1 is unanimous; ``None`` with fewer than two of either."""

    @property
    def winner(self) -> RankedAnswer:
        """The answer in first place."""
        return self.standings[0]


class CouncilRecord(FrozenModel):
    """The record of a council: replies in panel order, and their outcome."""

    opinions: tuple[Answered, ...] = ()
    labels: Labels | None = None
    reviews: tuple[Answered, ...] = ()
    ballots: tuple[SubmittedBallot, ...] = ()
    """One per review, in the same order."""
    tally: Tally | None = None
    scored: ScoreTally | None = None
    synthesis: Answered | None = None
    synthesis_by: SynthesisBy = "none"
    review_skipped: ReviewSkipped | None = None
    lost: tuple[LostCall, ...] = ()


class Stage1Entry(FrozenModel):
    """One answer, exactly as seed 002 "Response Structure" has it."""

    model: str
    response: str
    usage: Usage
    provider: str


class Stage2Entry(FrozenModel):
    """One review, exactly as seed 002 has it."""

    model: str
    ranking: str
    """The reviewer's whole text; of a review that is a JSON object, its paragraphs and its ranking."""
    parsed_ranking: tuple[str, ...]


class Stage3Entry(FrozenModel):
    """The synthesis, exactly as seed 002 has it."""

    model: str
    response: str
    usage: Usage


class AggregateRank(FrozenModel):
    """One row of the aggregate ranking (seed 002, "Aggregate Rankings": average position and vote count)."""

    model: str
    average_rank: float
    votes: int


class CouncilMetadata(FrozenModel):
    """The data to lift the anonymity, exactly as in seed 002."""

    label_to_model: dict[str, str] = Field(default_factory=dict)
    aggregate_rankings: tuple[AggregateRank, ...] = ()


class SeedResponse(FrozenModel):
    """The response, exactly as seed 002 "Response Structure" has it."""

    stage1: tuple[Stage1Entry, ...]
    stage2: tuple[Stage2Entry, ...]
    stage3: Stage3Entry | None
    metadata: CouncilMetadata


_PLACED = {"model", "place", "average_position", "votes", "first_places", "borda"}
"""The figures of an answer's votes."""


class CouncilResult(DeliberationResult, SeedResponse):
    """The result of a council; the fields of the seed come first."""

    protocol: Literal["council"] = "council"
    synthesis: SynthesisBy
    stop_reason: StopReason
    review_skipped: ReviewSkipped | None = None
    labels: Labels | None = None
    ballots: tuple[SubmittedBallot, ...] = ()
    tally: Tally | None = None
    rubric: Rubric | None = None
    """The criteria that answers were scored by; ``None`` without any."""
    scored: ScoreTally | None = None
    """The count of the scores; ``None`` without a rubric, or when no score could be read."""
    analysis: ChairAnalysis | None = None
    """The chair's fields; ``None`` where none were asked for, or they could not be read."""
    uncounted: str = ""
    """Why a review has no tally, in one sentence; blank when it has one."""
    names_hidden: tuple[HiddenNames, ...] = ()
    """What reviewers did not see of the answers, because it would have said who wrote them."""
    transcript: Transcript

    def columns(self) -> dict[str, float | None]:
        """Return the agreement of the ballots."""
        return {"agreement": self.tally.agreement if self.tally else None}

    def scores(self) -> dict[str, float | None]:
        """Return the agreement, the counts of ballots and each answer's average position."""
        if self.tally is None:
            return self.scored.figures() if self.scored else {}
        return {
            "kendall_w": self.tally.agreement,
            "ballots_counted": self.tally.ballots_counted,
            "ballots_void": self.tally.ballots_void,
            **{f"average_position.{one.author}": one.average_position for one in self.tally.standings},
            **(self.scored.figures() if self.scored else {}),
        }

    def votes_cast(self) -> dict[str, JsonValue]:
        """Return the place of each answer in the review, by its author, and the final answer."""
        standings = self.tally.standings if self.tally else ()
        places: dict[str, JsonValue] = {one.author: one.model_dump(mode="json", include=_PLACED) for one in standings}
        return places if self.answer is None else {**places, "answer": self.answer}
