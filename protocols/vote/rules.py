"""The rules of a vote: why it ends, and which seats can still be replaced."""

from protocols.model_call import ParticipantId
from protocols.progress import Progress
from protocols.vote.model import StopReason, VoteInput, VoteRecord


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
