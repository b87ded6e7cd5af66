"""What comes out of a self-consistency run: the result made from its samples."""

from collections.abc import Mapping

from protocols.deliberation import Ending, failure_message
from protocols.flaws import is_cut
from protocols.further_calls import whole_turn
from protocols.self_consistency.model import (
    STAGE,
    Minutes,
    SelfConsistencyInput,
    SelfConsistencyResult,
    StopReason,
)
from protocols.transcript import Transcript, turns_of
from protocols.votes import Decision, decide, flaws_of, rows


def findings(minutes: Minutes) -> list[tuple[str, ...]]:
    """The count as rows of cells, a heading first."""
    return rows(decide(minutes.samples).tally)


def transcript(minutes: Minutes) -> Transcript:
    """Every answered sample, in the order in which they were asked."""
    return Transcript(turns=tuple(turn for sample in minutes.samples for turn in turns_of(sample, STAGE)))


def conclude(
    inp: SelfConsistencyInput,
    minutes: Minutes,
    ending: Ending[StopReason],
) -> SelfConsistencyResult:
    """The result of a run that ended for ``stop_reason`` with these samples; a run that failed has no verdict."""
    counted = decide(minutes.samples)
    decided = Decision() if ending.stop_reason == "participant_lost" else counted
    winner = decided.tally.winner
    unread = flaws_of(counted, STAGE) if inp.asks_for_answer else ()
    return SelfConsistencyResult(
        verdict=whole_turn(decided.reply) if decided.reply else None,
        answer=winner.answer if winner else None,
        decided_by=decided.tally.decided_by,
        partial=ending.stop_reason != "verdict" or is_cut(decided.reply),
        asked=inp.samples,
        votes=counted.votes,
        tally=counted.tally,
        transcript=transcript(minutes),
        **ending.fields(inp, minutes.lost, unread),
    )


def failure(result: SelfConsistencyResult) -> str | None:
    """The one clear message of a run that failed, or ``None`` when it did not."""
    reasons: Mapping[StopReason, str] = {
        "no_answers": "no sample was answered, so there is nothing to count",
        "participant_lost": "STRICT mode, and a sample was lost",
    }
    return failure_message(result, reasons)
