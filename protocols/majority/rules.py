"""How a vote ends, and who may still be replaced in it."""

from protocols.exchange import ParticipantId
from protocols.majority.model import MajorityInput, Minutes, StopReason
from protocols.progress import Progress


def stop_reason(inp: MajorityInput, minutes: Minutes, *, is_stopped: bool) -> StopReason:
    """Why the vote ends now that everybody has answered or was lost; one answer is a quorum."""
    if is_stopped:
        return "stopped"
    if minutes.lost and inp.failure_mode == "strict":
        return "participant_lost"
    return "verdict" if minutes.answers else "no_answers"


def refuse_replacement(progress: Progress, seat: ParticipantId) -> None:
    """Refuse to replace whoever has nothing left to do.

    Raises:
        ValueError: the seat has answered or was lost, or is the chair's, whom nobody asks.
    """
    if not any(one.participant == seat and one.status in {"ready", "running"} for one in progress.seats):
        raise ValueError(f"{seat!r} has nothing left to do: each participant is asked once, and the chair never")
