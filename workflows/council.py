"""The council's schedule: opinions at once, reviews at once, then the chair (seed 002).

All dice are thrown in ``__init__``, in one order, from the workflow's own randomness: labels, the order each reviewer
sees, and the nonces. A run that is reset to any later point therefore keeps them, and answers already paid for fit.
"""

from collections.abc import Sequence

from temporalio import workflow

from protocols.anonymity import Labels, deal, self_names
from protocols.council import outcome, prompts, rules
from protocols.council.model import (
    STAGES,
    CouncilInput,
    CouncilResult,
    Minutes,
    Opinion,
    Stage,
    StopReason,
)
from protocols.council.wording import forgeable
from protocols.exchange import Answered, Failed, ModelCall, ParticipantId, Spent, lost_call
from protocols.further_calls import Unclear, always_clear
from protocols.panel import CHAIR, Participant
from protocols.progress import Progress
from protocols.requests import ReplaceParticipant, StopRequest
from protocols.rewinding import Dice, Heritage
from protocols.transcript import Transcript
from workflows import details
from workflows.asking import record
from workflows.board import Board
from workflows.recording import carried_out, entry
from workflows.seating import Build, Seating
from workflows.starting import startable_by_hand


def _thrown(seats: Sequence[ParticipantId]) -> Dice:
    """Everything that is random in one council."""
    dice = workflow.random()
    labels = {seat: dice.random() for seat in seats}
    shown = {seat: tuple(dice.random() for _ in seats) for seat in seats}
    nonces = {seat: f"{dice.getrandbits(40):010x}" for seat in (*seats, CHAIR)}
    return Dice(labels=labels, shown=shown, nonces=nonces)


def _labels(dice: Dice, authors: Sequence[ParticipantId]) -> Labels:
    """Deal labels to ``authors``."""
    return deal(authors, sorted(range(len(authors)), key=lambda n: dice.labels[authors[n]]))


def _shown(dice: Dice, reviewer: ParticipantId, labels: Labels) -> tuple[str, ...]:
    """The labels in the order in which ``reviewer`` sees the answers."""
    keys = dice.shown[reviewer]
    return tuple(labels.names[n] for n in sorted(range(len(labels.names)), key=lambda n: keys[n]))


@workflow.defn(name="Council")
@startable_by_hand
class CouncilWorkflow:
    """One council on one question: a deliberation that survives its workers and its server."""

    @workflow.init
    def __init__(self, inp: CouncilInput) -> None:
        self._inp = inp
        self._dice = (inp.branch.dice if inp.branch else inp.dice) or _thrown([p.id for p in inp.panel.participants])
        self._board = Board("council", inp.title, inp.question, STAGES, rehearsal=inp.panel.is_rehearsal)
        self._seating = Seating(inp.panel, self._board, inp.queues, inp.branch, clarify=inp.clarify)
        self._minutes = Minutes()
        self._held = 0

    @workflow.run
    async def run(self, inp: CouncilInput) -> CouncilResult:  # noqa: ARG002 - __init__ has it already
        """Hold the council; fails with one clear message when there can be no verdict."""
        return await carried_out("council", self._deliberate(), self._record, outcome.failure)

    @workflow.query(description="Where the council stands: stage, seats, what was spent")
    def state(self) -> Progress:
        """Where the council stands."""
        return self._board.progress

    @workflow.query(description="Everything said so far, in order")
    def transcript(self) -> Transcript:
        """Everything said so far."""
        return outcome.transcript(self._minutes)

    @workflow.query(description="Calls, tokens and dollars so far")
    def cost(self) -> Spent:
        """What was used and paid so far."""
        return self._board.progress.spent

    @workflow.query(description="What a branch of it needs: its dice, the rounds it held, the calls it lost")
    def dice(self) -> Heritage:
        """What a branch of it needs; its stages are its rounds."""
        return self._seating.branching.heritage(self._dice, self._held, self._seating.lost)

    @workflow.update(description="Put another model behind a seat (p1 …, chair)")
    def replace_participant(self, request: ReplaceParticipant) -> Progress:
        """Replace the model behind a seat; a call in flight there is closed and asked of the new model."""
        self._seating.seat(request.participant, request.model)
        return self._board.progress

    @replace_participant.validator
    def _refuse_replacement(self, request: ReplaceParticipant) -> None:
        self._seating.refuse_replacement(request.participant, request.model)
        outcome.refuse_replacement(self._minutes, self._board.progress.stage, request)

    @workflow.update(description="End now with what there is; nothing more is asked or paid")
    def stop(self, request: StopRequest) -> Progress:
        """End the council with what there is."""
        self._seating.stop(request.reason)
        return self._board.progress

    @stop.validator
    def _refuse_stop(self, request: StopRequest) -> None:  # noqa: ARG002 - a validator takes what its update takes
        if self._seating.stopped or self._board.progress.stop_reason:
            raise ValueError("the council has ended already")

    async def _deliberate(self) -> StopReason:
        for number, hold in enumerate((self._hold_opinions, self._hold_review, self._hold_synthesis), start=1):
            for seat, model in self._seating.branching.enter(number).items():
                self._seating.seat(seat, model)
            end = await hold()
            self._held = number if self._seating.stopped is None else self._held
            if end:
                return end
        return "verdict"

    async def _hold_opinions(self) -> StopReason | None:
        names = self_names([p.model for p in self._seating.panel.participants])

        def build(seat: Participant, tries: int) -> ModelCall:
            return prompts.opinion(self._inp, seat, names, attempt=tries)

        answers, end = await self._hold("opinion", self._inp.panel.participants, build)
        self._note(opinions=answers)
        return end or (None if answers else "no_answers")

    async def _hold_review(self) -> StopReason | None:
        opinions = self._minutes.opinions
        if skipped := outcome.review_skipped(self._inp, opinions):
            self._board.skip_stage("review")
            self._note(review_skipped=skipped)
            return None
        labels = _labels(self._dice, [answer.participant for answer in opinions])
        orders = {answer.participant: _shown(self._dice, answer.participant, labels) for answer in opinions}
        self._note(labels=labels)
        copied = forgeable(self._inp.question, (Opinion.model_validate(answer.reading) for answer in opinions))

        def build(seat: Participant, tries: int) -> ModelCall:
            shown = outcome.shown_answers(opinions, labels, orders[seat.id])
            nonce = self._dice.nonces[seat.id]
            return prompts.review(self._inp, seat, shown, nonce=nonce, forgeable=copied, attempt=tries)

        reviewers = [p for p in self._seating.panel.participants if p.id in orders]

        def unclear(reply: Answered) -> str | None:
            nonce = self._dice.nonces[reply.participant] if self._inp.nonce_header else None
            return prompts.unclear_review(self._inp.prompts, reply, orders[reply.participant], nonce=nonce)

        reviews, end = await self._hold("review", reviewers, build, unclear)
        ballots = tuple(outcome.cast(review, labels, orders[review.participant]) for review in reviews)
        tally = rules.tally(labels, outcome.authors(opinions), ballots, exclude_self_votes=self._inp.exclude_self_votes)
        self._note(reviews=reviews, ballots=ballots, tally=tally)
        self._board.found(details.table(rules.tally_rows(tally)) if tally else rules.uncounted(ballots))
        self._board.show_flaws((*self._seating.flaws, *outcome.flaws_of(self._minutes)))
        void = outcome.void_in_strict(self._inp, ballots)
        self._note(lost=(*self._minutes.lost, *void))
        return end or ("participant_lost" if void else None)

    async def _hold_synthesis(self) -> StopReason | None:
        nonce = self._dice.nonces[CHAIR]
        answers = outcome.chair_answers(self._minutes.opinions)
        reviews = prompts.reviews_for_chair(self._inp.prompts, self._minutes, nonce=nonce)

        def build(chair: Participant, tries: int) -> ModelCall:
            return prompts.synthesis(self._inp, chair.model, answers, reviews, nonce=nonce, attempt=tries)

        for number, model in enumerate(outcome.chairs(self._seating.panel, self._minutes)):
            if number:
                self._seating.seat(CHAIR, model)
            chair = Participant(id=CHAIR, model=model)
            written, _ = await self._hold("synthesis", [chair], build, prompts.unclear_synthesis(self._inp))
            if self._seating.stopped:
                return "stopped"
            if written:
                self._note(synthesis=written[0], synthesis_by="fallback_chair" if number else "chair")
                return None
        if self._inp.failure_mode == "strict":
            return "chair_lost"
        self._note(synthesis_by="fallback")
        return None

    async def _hold(
        self, stage: Stage, seats: Sequence[Participant], build: Build, unclear: Unclear = always_clear
    ) -> tuple[tuple[Answered, ...], StopReason | None]:
        """Hold one stage; return its answers in panel order and, when it ends the council, why."""
        self._board.open_stage(stage, seats)
        replies = await self._seating.ask_all(stage, [seat.id for seat in seats], build, unclear)
        lost = tuple(lost_call(reply, stage) for reply in replies if isinstance(reply, Failed))
        self._note(lost=(*self._minutes.lost, *lost))
        self._board.close_stage(stage)
        workflow.logger.info(
            "stage_closed", extra={"stage": stage, "round": 1, "answered": len(replies) - len(lost), "lost": len(lost)}
        )
        answers = tuple(reply for reply in replies if isinstance(reply, Answered))
        if self._seating.stopped:
            return answers, "stopped"
        return answers, "participant_lost" if lost and self._inp.failure_mode == "strict" else None

    def _note(self, **found: object) -> None:
        self._minutes = self._minutes.model_copy(update=found)

    async def _record(self, stop_reason: StopReason) -> CouncilResult:
        result = outcome.conclude(
            self._inp,
            self._minutes,
            stop_reason,
            deliberation_id=workflow.info().workflow_id,
            spent=self._board.progress.spent,
            flaws=self._seating.flaws,
            dice=self._dice,
        )
        agreement = result.tally.agreement if result.tally else None
        result = self._seating.with_sources(result)
        self._board.end(stop_reason, degraded=result.degraded, verdict=result.verdict, agreement=agreement)
        await record(entry(self._inp, result, self._seating.lost))
        return result
