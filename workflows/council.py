"""The workflow of a council: opinions at once, reviews at once, then the chair (seed 002).

All random numbers are drawn in ``__init__``, in one order: labels, the order of answers for each reviewer, and the
nonces. A run that is reset to a later point keeps them, and the answers already paid for still fit.
"""

from collections.abc import Sequence

from temporalio import workflow

from protocols.anonymity import Labels, assign_labels, self_names
from protocols.branch import RandomDraws
from protocols.council import prompts, results
from protocols.council.model import STAGES, CouncilInput, CouncilRecord, CouncilResult, Opinion, StopReason
from protocols.council.tables import review_tables
from protocols.council.wording import forgeable
from protocols.deliberation import Ending
from protocols.model_call import Answered, ModelCall, ParticipantId
from protocols.panel import CHAIR, Participant
from protocols.transcript import Turn
from protocols.update_requests import ReplaceParticipant
from workflows.deliberation import Deliberation
from workflows.short_start import accepts_short_input


def _draw(seats: Sequence[ParticipantId]) -> RandomDraws:
    """Draw all random numbers of one council."""
    draws = workflow.random()
    labels = {seat: draws.random() for seat in seats}
    shown = {seat: tuple(draws.random() for _ in seats) for seat in seats}
    nonces = {seat: f"{draws.getrandbits(40):010x}" for seat in (*seats, CHAIR)}
    return RandomDraws(labels=labels, shown=shown, nonces=nonces)


def _labels(draws: RandomDraws, authors: Sequence[ParticipantId]) -> Labels:
    """Assign labels to ``authors``."""
    return assign_labels(authors, sorted(range(len(authors)), key=lambda n: draws.labels[authors[n]]))


def _shown(draws: RandomDraws, reviewer: ParticipantId, labels: Labels) -> tuple[str, ...]:
    """Return the labels in the order of the answers that ``reviewer`` sees."""
    keys = draws.shown[reviewer]
    return tuple(labels.names[n] for n in sorted(range(len(labels.names)), key=lambda n: keys[n]))


@workflow.defn(name="Council")
@accepts_short_input
class CouncilWorkflow(Deliberation[CouncilInput, CouncilResult, StopReason]):
    """One council on one question."""

    protocol = "council"
    failures = results.FAILURES

    @workflow.init
    def __init__(self, inp: CouncilInput) -> None:
        super().__init__(inp, STAGES, draws=inp.given_draws or _draw([p.id for p in inp.panel.participants]))
        self._record = CouncilRecord()
        self._completed = 0

    @workflow.run
    async def run(self, inp: CouncilInput) -> CouncilResult:  # noqa: ARG002 - __init__ has it already
        """Run opinions, review and synthesis; fail with one message when there can be no verdict."""
        return await self._run_to_end()

    def _refuse_replacement(self, request: ReplaceParticipant) -> None:
        results.refuse_replacement(self._record, self._board.progress.stage, request)

    async def _deliberate(self) -> StopReason:
        for number, run_stage in enumerate((self._ask_opinions, self._ask_reviews, self._ask_chair), start=1):
            self._seats.enter_round(number)
            end = await run_stage()
            self._completed = self._completed if self._is_stopped else number
            if end:
                return end
        return "verdict"

    async def _ask_opinions(self) -> StopReason | None:
        names = self_names([p.model for p in self._seats.panel.participants])

        def build(seat: Participant, tries: int) -> ModelCall:
            return prompts.opinion(self._inp, seat, names, attempt=tries)

        replies = await self._ask_stage("opinion", self._inp.panel.participants, build)
        self._note(opinions=replies.answers, lost=replies.lost)
        return self._end_after(replies) or (None if replies.answers else "no_answers")

    async def _ask_reviews(self) -> StopReason | None:
        opinions = self._record.opinions
        if skipped := results.review_skipped(self._inp, opinions):
            self._board.skip_stage("review")
            self._note(review_skipped=skipped)
            return None
        labels = _labels(self._draws, [answer.participant for answer in opinions])
        orders = {answer.participant: _shown(self._draws, answer.participant, labels) for answer in opinions}
        self._note(labels=labels)
        copied = forgeable(self._inp.question, (Opinion.model_validate(answer.reading) for answer in opinions))

        def build(seat: Participant, tries: int) -> ModelCall:
            shown = results.shown_answers(opinions, labels, orders[seat.id])
            nonce = self._draws.nonces[seat.id]
            return prompts.review(self._inp, seat, shown, nonce=nonce, forgeable=copied, attempt=tries)

        reviewers = [p for p in self._seats.panel.participants if p.id in orders]

        def unclear(reply: Answered) -> str | None:
            nonce = self._draws.nonces[reply.participant]
            return prompts.unclear_review(self._inp, reply, orders[reply.participant], nonce=nonce)

        replies = await self._ask_stage("review", reviewers, build, unclear)
        reviews = replies.answers
        ballots = tuple(results.cast(review, labels, orders[review.participant]) for review in reviews)
        self._note(reviews=reviews, ballots=ballots, lost=(*self._record.lost, *replies.lost))
        self._record = results.counted(self._inp, self._record)
        self._board.show_findings(lambda: self._board.text_of(*review_tables(self._record)))
        self._board.show_flaws((*self._seats.flaws, *results.flaws_of(self._record)))
        void = results.void_in_strict(self._inp, ballots)
        self._note(lost=(*self._record.lost, *void))
        return self._end_after(replies) or ("participant_lost" if void else None)

    async def _ask_chair(self) -> StopReason | None:
        nonce = self._draws.nonces[CHAIR]
        answers = results.chair_answers(self._record.opinions)
        reviews = prompts.reviews_for_chair(self._inp.prompts, self._record, nonce=nonce)

        def build(chair: Participant, tries: int) -> ModelCall:
            return prompts.synthesis(self._inp, chair, answers, reviews, nonce=nonce, attempt=tries)

        for number, model in enumerate(results.chairs(self._seats.panel, self._record)):
            if number:
                self._seats.replace_model(CHAIR, model)
            chair = self._seats.panel.at(CHAIR)
            replies = await self._ask_stage("synthesis", [chair], build, prompts.unclear_synthesis(self._inp, nonce))
            self._note(lost=(*self._record.lost, *replies.lost))
            if self._is_stopped:
                is_ranked = self._seats.limit.left_out and self._record.tally
                self._note(synthesis_by="fallback" if is_ranked else "none")
                return "stopped"
            if replies.answers:
                self._note(synthesis=replies.answers[0], synthesis_by="fallback_chair" if number else "chair")
                return None
        if self._inp.failure_mode == "strict":
            return "chair_lost"
        self._note(synthesis_by="fallback")
        return None

    def _note(self, **found: object) -> None:
        self._record = self._record.model_copy(update=found)

    def _rounds_completed(self) -> int:
        return self._completed

    def _turns_so_far(self) -> Sequence[Turn]:
        return results.transcript(self._record).turns

    def _conclude(self, ending: Ending[StopReason]) -> CouncilResult:
        return results.build_result(self._inp, self._record, ending)
