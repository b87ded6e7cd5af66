"""How a self-consistency run ends."""

from protocols.self_consistency.model import Minutes, SelfConsistencyInput, StopReason


def stop_reason(inp: SelfConsistencyInput, minutes: Minutes, *, is_stopped: bool) -> StopReason:
    """Why the run ends now that every sample has come back or was lost; one answered sample is a quorum."""
    if is_stopped:
        return "stopped"
    if minutes.lost and inp.failure_mode == "strict":
        return "participant_lost"
    return "verdict" if minutes.samples else "no_answers"
