"""What comes out of a vote: the result made from the answers."""

from collections.abc import Mapping, Sequence

from protocols.exchange import Spent
from protocols.flaws import Flaw, degraded_of, is_cut
from protocols.further_calls import whole_turn
from protocols.majority.model import STAGE, MajorityInput, MajorityResult, Minutes, StopReason
from protocols.panel import name_of
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
    stop_reason: StopReason,
    *,
    deliberation_id: str,
    spent: Spent,
    flaws: Sequence[Flaw] = (),
) -> MajorityResult:
    """The result of a vote that ended for ``stop_reason`` with these answers; a vote that failed has no verdict."""
    counted = decide(minutes.answers)
    decided = Decision() if stop_reason == "participant_lost" else counted
    winner = decided.tally.winner
    return MajorityResult(
        deliberation_id=deliberation_id,
        question=inp.question,
        verdict=whole_turn(decided.reply) if decided.reply else None,
        answer=winner.answer if winner else None,
        decided_by=decided.tally.decided_by,
        stop_reason=stop_reason,
        partial=stop_reason != "verdict" or is_cut(decided.reply),
        asked=len(inp.panel.participants),
        votes=counted.votes,
        tally=counted.tally,
        failed=minutes.lost,
        degraded=degraded_of((*flaws, *flaws_of(counted, STAGE)), minutes.lost),
        spent=spent,
        transcript=transcript(minutes),
        prompts=f"{inp.prompts.version}@{inp.prompts.fingerprint}",
        rehearsal=inp.panel.is_rehearsal or any(reply.rehearsal for reply in minutes.answers),
    )


def failure(result: MajorityResult) -> str | None:
    """The one clear message of a vote that failed, or ``None`` when it did not."""
    reasons: Mapping[StopReason, str] = {
        "no_answers": "no participant answered, so there is nothing to count",
        "participant_lost": "STRICT mode, and a participant was lost",
    }
    if result.stop_reason not in reasons:
        return None
    losses = "; ".join(f"{name_of(call.model)} ({call.kind}: {call.message[:100]})" for call in result.failed)
    return f"{reasons[result.stop_reason]}: {losses}"[:1000]
