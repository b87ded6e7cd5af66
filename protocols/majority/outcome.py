"""What comes out of a vote: the result made from the answers."""

from collections.abc import Mapping

from protocols.deliberation import Ending, failure_message
from protocols.flaws import is_cut
from protocols.further_calls import whole_turn
from protocols.majority.model import STAGE, MajorityInput, MajorityResult, Minutes, StopReason
from protocols.transcript import Transcript, turns_of
from protocols.votes import Decision, decide, flaws_of, rows


def findings(minutes: Minutes) -> list[tuple[str, ...]]:
    """The count as rows of cells, a heading first."""
    return rows(decide(minutes.answers).tally)


def transcript(minutes: Minutes) -> Transcript:
    """Every answer, in panel order."""
    return Transcript(turns=tuple(turn for answer in minutes.answers for turn in turns_of(answer, STAGE)))


def conclude(
    inp: MajorityInput,
    minutes: Minutes,
    ending: Ending[StopReason],
) -> MajorityResult:
    """The result of a vote that ended for ``stop_reason`` with these answers; a vote that failed has no verdict."""
    counted = decide(minutes.answers)
    decided = Decision() if ending.stop_reason == "participant_lost" else counted
    winner = decided.tally.winner
    return MajorityResult(
        verdict=whole_turn(decided.reply) if decided.reply else None,
        answer=winner.answer if winner else None,
        decided_by=decided.tally.decided_by,
        partial=ending.stop_reason != "verdict" or is_cut(decided.reply),
        asked=len(inp.panel.participants),
        votes=counted.votes,
        tally=counted.tally,
        transcript=transcript(minutes),
        **ending.fields(inp, minutes.lost, flaws_of(counted, STAGE)),
    )


def failure(result: MajorityResult) -> str | None:
    """The one clear message of a vote that failed, or ``None`` when it did not."""
    reasons: Mapping[StopReason, str] = {
        "no_answers": "no participant answered, so there is nothing to count",
        "participant_lost": "STRICT mode, and a participant was lost",
    }
    return failure_message(result, reasons)
