"""The result of a consensus, its live display, and refused updates.

The seed's ``Conversation`` and ``VisualState`` (seed 004, "Data Structure", "Visual Indicators Needed") are filled here
and nowhere else.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from protocols import update_requests
from protocols.consensus.model import (
    BARS,
    CURATOR,
    PHASES,
    SPEAKERS,
    UNCHANGED_CHECKS,
    BarName,
    ConsensusInput,
    ConsensusResult,
    ConsensusState,
    Conversation,
    ConversationMessage,
    Curation,
    Opinion,
    Speaker,
    StageVisual,
    StopReason,
    VisualState,
    WrittenBy,
)
from protocols.deliberation import Ending
from protocols.flaws import is_cut
from protocols.model_call import Answered, LostCall, Spending
from protocols.plurals import counted
from protocols.progress import Progress, StageBar
from protocols.transcript import Turn
from protocols.update_requests import AddRounds

_FINISHED: frozenset[StopReason] = frozenset({"consensus", "round_limit", "majority", "deadlock"})
"""Ends by the rules, after all rounds."""

FAILURES: Mapping[StopReason, str] = {
    "no_draft": "none of the three wrote a draft in the first round",
    "participant_lost": "STRICT mode, and a participant was lost",
    "curator_lost": "STRICT mode, and the curator was lost",
}
"""The stop reasons that are failures, in words."""


class ConsensusRecord(NamedTuple):
    """The record of a consensus: turns, outcomes and ending."""

    course: ConsensusState
    turns: Sequence[Turn] = ()
    curated: Answered | None = None
    is_agreed: bool = False
    lost_curator: LostCall | None = None
    remark: str = ""


def visual_state(progress: Progress, opinions: Mapping[Speaker, Opinion | None]) -> VisualState:
    """Return the bars of the live display; clients add the tokens of running calls."""
    drawn = {bar.name: _visual(bar) for bar in progress.stages}
    current = _current(progress)
    return VisualState(
        current_round=progress.round,
        current_stage=current,
        stage_progress=drawn[current].progress,
        total_tokens=progress.spent.tokens,
        total_cost=progress.spent.known_usd,
        consensus_opinions={name: opinions.get(name) for name in SPEAKERS},
        phase=PHASES[current],
        stages={name: drawn[name] for name in BARS},
    )


def describe_unchanged_draft(course: ConsensusState) -> str:
    """Return for how long the draft is unchanged and why, in one line; blank while it changes."""
    if course.same_for < UNCHANGED_CHECKS:
        return ""
    return f"the draft has not changed for {counted(course.same_for, 'round')}{_standing(course)}"


def refuse_replacement(stage: str, seat: str) -> None:
    """Refuse to replace a participant without remaining calls.

    Raises:
        ValueError: only the curator is still to be asked.
    """
    if stage == CURATOR and seat != CURATOR:
        raise ValueError(f"{seat!r} has nothing left to do: all accepted, and only the curator is still to be asked")


def refuse_rounds(limit: int, request: AddRounds) -> None:
    """Refuse rounds that a consensus cannot have.

    Raises:
        ValueError: there would be more than 50, or they have a question, which is a debate's.
    """
    if request.focus:
        raise ValueError("a consensus has no focus questions; leave the focus out")
    update_requests.refuse_rounds(limit, request)


def build_result(inp: ConsensusInput, record: ConsensusRecord, ending: Ending[StopReason]) -> ConsensusResult:
    """Return the result of a consensus that ended with these minutes."""
    course, stop_reason = record.course, ending.stop_reason
    verdict, written_by = _verdict(record, stop_reason)
    failed = (*course.failed, *([record.lost_curator] if record.lost_curator else []))
    return ConsensusResult(
        conversation=_conversation(inp, record, ending.deliberation_id, ending.spent),
        verdict=verdict,
        draft=course.draft,
        draft_by=course.draft_by,
        written_by=written_by,
        consensus_achieved=record.is_agreed,
        remark=record.remark if stop_reason in {"stopped", "accepted"} else "",
        reason=_reason(course, is_agreed=record.is_agreed),
        partial=stop_reason not in _FINISHED or _is_cut(record),
        rounds=course.rounds,
        zombies=tuple(name for name in SPEAKERS if course.speakers[name].is_zombie),
        message_notes=tuple(turn.note for _, turn in _drafts(record.turns)),
        checks=_checks(record.turns),
        curation=next((turn for turn in record.turns if turn.stage == CURATOR and turn.counts), None),
        **ending.fields(inp, failed),
    )


def _visual(bar: StageBar) -> StageVisual:
    if bar.status == "completed":
        return StageVisual(status="completed", progress=100)
    return StageVisual(status="running" if bar.status == "running" else "ready")


def _current(progress: Progress) -> BarName:
    """Return the current bar; during the check, and without a curator, it is the last one."""
    started = [bar.name for bar in progress.stages if bar.status in {"running", "completed"}]
    return next((name for name in reversed(BARS) if name in started), "generator")


def _standing(course: ConsensusState) -> str:
    """Return the objections to the draft in the last check."""
    if not course.rounds:
        return ""
    last = course.rounds[-1]
    silent = [f"{name}: no reply" for name in SPEAKERS if name in last.opinions and last.opinions[name] is None]
    against = [f"{name}: {said}" for name in SPEAKERS if (said := course.objections.get(name))] + silent
    return f"; not accepted by {'; '.join(against)}" if against else ""


def _reason(course: ConsensusState, *, is_agreed: bool) -> str:
    """Return why there is no consensus, in one line; blank when there is one, or nothing was checked."""
    if is_agreed or not course.rounds:
        return ""
    return describe_unchanged_draft(course) or f"in the last check{_standing(course).removeprefix(';')}"


def _verdict(record: ConsensusRecord, stop_reason: StopReason) -> tuple[str | None, WrittenBy]:
    draft = record.course.draft
    if draft is None or stop_reason in {"participant_lost", "curator_lost", "cancelled"}:
        return None, "none"
    polished = Curation.model_validate(record.curated.reading).text if record.curated else None
    if record.curated is None or is_cut(record.curated):
        return draft, "draft"
    return (polished, "curator") if polished else (draft, "draft")


def _checks(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns of the checks, by round and speaker, independent of the order of arrival."""
    seats = list(SPEAKERS)
    items = [(turn.round, seats.index(name), turn) for turn in turns for name in seats if turn.participant == name]
    return tuple(turn for _, _, turn in sorted(items, key=lambda one: one[:2]) if turn.stage == "consensus_check")


def _drafts(turns: Sequence[Turn]) -> list[tuple[Speaker, Turn]]:
    """Return the turns at the draft with their speakers; of a turn the valid reply."""
    return [(name, turn) for turn in turns for name in SPEAKERS if turn.stage == name and turn.counts]


def _is_cut(record: ConsensusRecord) -> bool:
    """Return whether the draft is cut, which polishing does not complete, or the curator was cut off."""
    lost = record.lost_curator
    is_curator_cut = is_cut(record.curated) or (lost is not None and lost.kind == "truncated")
    return record.course.is_draft_cut or is_curator_cut


def _conversation(inp: ConsensusInput, record: ConsensusRecord, deliberation_id: str, spent: Spending) -> Conversation:
    opinions = {one.round: one.opinions for one in record.course.rounds}
    return Conversation(
        consensus_id=deliberation_id,
        user_question=inp.question,
        messages=tuple(
            ConversationMessage(
                speaker=name,
                content=turn.text,
                round=turn.round,
                consensus_opinion=opinions.get(turn.round, {}).get(name),
            )
            for name, turn in _drafts(record.turns)
        ),
        rounds_completed=len(record.course.rounds),
        consensus_achieved=record.is_agreed,
        total_tokens=spent.tokens,
        total_cost=spent.known_usd,
    )
