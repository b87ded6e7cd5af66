"""The end of a vote and its result, built from its replies."""

from collections.abc import Mapping

from protocols.deliberation import Ending
from protocols.flaws import is_cut
from protocols.further_calls import whole_turn
from protocols.model_call import ParticipantId
from protocols.progress import Progress
from protocols.transcript import Transcript, turns_of
from protocols.vote.model import STAGE, StopReason, VoteInput, VoteRecord, VoteResult
from protocols.votes import Decision, decide, flaws_of

FAILURES: Mapping[StopReason, str] = {
    "no_answers": "no model answered, so there is nothing to count",
    "participant_lost": "STRICT mode, and a vote was lost",
}
"""The stop reasons that are failures, in words."""


def stop_reason(inp: VoteInput, record: VoteRecord, *, is_stopped: bool) -> StopReason:
    """Return why the vote ends now that every seat has answered or was lost; one answer is a quorum."""
    if is_stopped:
        return "stopped"
    if record.lost and inp.failure_mode == "strict":
        return "participant_lost"
    return "verdict" if record.answers else "no_answers"


def refuse_replacement(progress: Progress, seat: ParticipantId) -> None:
    """Refuse to replace a seat that has nothing left to do.

    Raises:
        ValueError: the seat has answered, was lost, or is not asked in a vote.
    """
    if not any(one.participant == seat and one.status in {"ready", "running"} for one in progress.seats):
        asked = ", ".join(one.participant for one in progress.seats)
        raise ValueError(f"{seat!r} has nothing left to do; each of {asked} is asked once")


def transcript(record: VoteRecord) -> Transcript:
    """Return every reply, in the order of the seats."""
    return Transcript(turns=tuple(turn for answer in record.answers for turn in turns_of(answer, STAGE)))


def build_result(inp: VoteInput, record: VoteRecord, ending: Ending[StopReason]) -> VoteResult:
    """Return the result of a completed vote; a failed vote has no verdict."""
    counted = decide(record.answers)
    decided = Decision() if ending.stop_reason == "participant_lost" else counted
    winner = decided.tally.winner
    unread = flaws_of(counted, STAGE) if inp.requests_answer else ()
    return VoteResult(
        verdict=whole_turn(decided.reply) if decided.reply else None,
        answer=winner.answer if winner else None,
        decided_by=decided.tally.decided_by,
        partial=ending.stop_reason != "verdict" or is_cut(decided.reply),
        models=len(inp.panel.participants),
        samples=inp.samples,
        asked=inp.votes,
        votes=counted.votes,
        tally=counted.tally,
        transcript=transcript(record),
        **ending.fields(inp, record.lost, unread),
    )
