"""The ledger's records of a deliberation at its end, and of a run before the next one."""

from collections.abc import Sequence
from datetime import datetime
from math import isfinite

from pydantic import JsonValue
from temporalio import workflow

from activities.ledger import ChapterRecord, DeliberationRecord, LostEntry
from ledger.identity import identity_of
from protocols.deliberation import DeliberationInput, DeliberationResult
from protocols.model_call import Failed, ModelCall
from protocols.panel import Participant
from protocols.transcript import Turn

_OF_INPUT = ("salt", "title", "question", "failure_mode", "batch_id")
_OF_RESULT = ("protocol", "verdict", "stop_reason", "partial", "spent", "rehearsal")


def deliberation_record(
    asked: DeliberationInput,
    ended: DeliberationResult,
    lost: Sequence[tuple[ModelCall, Failed]],
    *,
    started_at: datetime | None = None,
) -> DeliberationRecord:
    """Return the ledger's record of a deliberation that has just ended; ``lost`` are its failed calls.

    ``started_at`` is when its first run began, where this is not the first.
    """
    info = workflow.info()
    return DeliberationRecord(
        id=info.workflow_id,
        run_id=info.run_id,
        **{name: getattr(asked, name) for name in _OF_INPUT},
        **{name: getattr(ended, name) for name in _OF_RESULT},
        protocol_version=asked.prompts.version,
        prompts=asked.prompts.identity,
        degraded=ended.degraded.is_degraded,
        flaws=ended.degraded.counts,
        models=tuple(p.model for p in asked.panel.participants),
        seats=tuple(_seat(one) for one in asked.panel.everyone if asked.HAS_CHAIR or one is not asked.panel.chair),
        sampling=asked.sampling.model_dump(mode="json", exclude_defaults=True),
        continues=asked.continues.of if asked.continues else None,
        started_at=started_at or info.workflow_start_time,
        ended_at=workflow.now(),
        scores={name: float(score) for name, score in ended.scores().items() if score is not None and isfinite(score)},
        votes=ended.votes_cast(),
        result=ended.model_dump(mode="json"),
        lost=_lost(info.workflow_id, lost),
    )


def chapter_record(
    protocol: str, key: str, first: int, turns: Sequence[Turn], lost: Sequence[tuple[ModelCall, Failed]]
) -> ChapterRecord:
    """Return the ledger's record of a run before the next one begins; ``first`` is the number of its first turn."""
    info = workflow.info()
    return ChapterRecord(
        deliberation_id=info.workflow_id,
        run_id=info.run_id,
        protocol=protocol,
        chapter_key=key,
        first=first,
        turns=tuple(turns),
        lost=_lost(info.workflow_id, lost),
    )


def _seat(seat: Participant) -> dict[str, JsonValue]:
    """Return who took part at ``seat`` and its own settings; its instructions are in the prompts of its calls."""
    settings = seat.settings.model_dump(mode="json", exclude={"system", "name"}) if seat.settings else {}
    return {"seat": seat.id, "name": seat.name, "model": seat.model, "settings": settings}


def _lost(deliberation_id: str, lost: Sequence[tuple[ModelCall, Failed]]) -> tuple[LostEntry, ...]:
    return tuple(
        LostEntry(identity=identity_of(deliberation_id, call), stage=call.stage, round=call.round, reply=reply)
        for call, reply in lost
        if call.shared_with is None
    )
