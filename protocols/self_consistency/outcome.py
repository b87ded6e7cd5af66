"""What comes out of a self-consistency run: the result made from its samples."""

from collections.abc import Mapping, Sequence

from protocols.exchange import Spent
from protocols.flaws import Flaw, degraded_of, is_cut
from protocols.further_calls import whole_turn
from protocols.panel import name_of
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
    stop_reason: StopReason,
    *,
    deliberation_id: str,
    spent: Spent,
    flaws: Sequence[Flaw] = (),
) -> SelfConsistencyResult:
    """The result of a run that ended for ``stop_reason`` with these samples; a run that failed has no verdict."""
    counted = decide(minutes.samples)
    decided = Decision() if stop_reason == "participant_lost" else counted
    winner = decided.tally.winner
    unread = flaws_of(counted, STAGE) if inp.asks_for_answer else ()
    return SelfConsistencyResult(
        deliberation_id=deliberation_id,
        question=inp.question,
        verdict=whole_turn(decided.reply) if decided.reply else None,
        answer=winner.answer if winner else None,
        decided_by=decided.tally.decided_by,
        stop_reason=stop_reason,
        partial=stop_reason != "verdict" or is_cut(decided.reply),
        asked=inp.samples,
        votes=counted.votes,
        tally=counted.tally,
        failed=minutes.lost,
        degraded=degraded_of((*flaws, *unread), minutes.lost),
        spent=spent,
        transcript=transcript(minutes),
        prompts=f"{inp.prompts.version}@{inp.prompts.fingerprint}",
        rehearsal=inp.panel.is_rehearsal or any(reply.rehearsal for reply in minutes.samples),
    )


def failure(result: SelfConsistencyResult) -> str | None:
    """The one clear message of a run that failed, or ``None`` when it did not."""
    reasons: Mapping[StopReason, str] = {
        "no_answers": "no sample was answered, so there is nothing to count",
        "participant_lost": "STRICT mode, and a sample was lost",
    }
    if result.stop_reason not in reasons:
        return None
    losses = "; ".join(
        f"{call.participant} {name_of(call.model)} ({call.kind}: {call.message[:100]})" for call in result.failed
    )
    return f"{reasons[result.stop_reason]}: {losses}"[:1000]
