"""The ledger's entries for a deliberation, made from what its schedule holds when it ends and when it changes runs."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol, TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, is_cancelled_exception

from activities.ledger import ChapterRecord, DeliberationRecord, LostEntry
from ledger.identity import identity_of
from protocols.exchange import Failed, ModelCall, Spent
from protocols.flaws import Degraded
from protocols.panel import FailureMode, Panel
from protocols.prompting import PromptPack
from protocols.transcript import Turn

Reason = TypeVar("Reason", bound=str)
Result = TypeVar("Result", bound="Ended")


class Asked(Protocol):
    """What every protocol's input has."""

    @property
    def question(self) -> str:
        """What was asked."""

    @property
    def title(self) -> str:
        """In one line."""

    @property
    def panel(self) -> Panel:
        """Who was asked to take part."""

    @property
    def prompts(self) -> PromptPack:
        """What the run keeps."""

    @property
    def failure_mode(self) -> FailureMode:
        """What a lost model means."""

    @property
    def batch_id(self) -> str | None:
        """The batch it belongs to."""


class Ended(Protocol):
    """What every protocol's result has."""

    @property
    def protocol(self) -> str:
        """The protocol's name."""

    @property
    def verdict(self) -> str | None:
        """The outcome as text."""

    @property
    def stop_reason(self) -> str:
        """How it ended."""

    @property
    def partial(self) -> bool:
        """Whether it ended before its rules ended it, or its verdict is cut."""

    @property
    def degraded(self) -> Degraded:
        """What was lost or mended on the way."""

    @property
    def spent(self) -> Spent:
        """What it took."""

    @property
    def rehearsal(self) -> bool:
        """Whether scripted models answered."""

    def model_dump(self, *, mode: Literal["json"]) -> dict[str, Any]:
        """The whole result as JSON."""


def entry(
    asked: Asked, ended: Ended, lost: Sequence[tuple[ModelCall, Failed]], *, started_at: datetime | None = None
) -> DeliberationRecord:
    """What the ledger keeps of a deliberation that has just ended; ``lost`` are the calls nobody answered.

    ``started_at`` is when its first run began, where this is not the first.
    """
    info = workflow.info()
    return DeliberationRecord(
        id=info.workflow_id,
        run_id=info.run_id,
        protocol=ended.protocol,
        protocol_version=asked.prompts.version,
        prompts=f"{asked.prompts.version}@{asked.prompts.fingerprint}",
        title=asked.title,
        question=asked.question,
        verdict=ended.verdict,
        stop_reason=ended.stop_reason,
        partial=ended.partial,
        degraded=ended.degraded.is_degraded,
        flaws=ended.degraded.counts,
        failure_mode=asked.failure_mode,
        models=tuple(p.model for p in asked.panel.participants),
        spent=ended.spent,
        rehearsal=ended.rehearsal,
        batch_id=asked.batch_id,
        started_at=started_at or info.workflow_start_time,
        ended_at=workflow.now(),
        result=ended.model_dump(mode="json"),
        lost=_lost(info.workflow_id, lost),
    )


def chapter(
    protocol: str, key: str, first: int, turns: Sequence[Turn], lost: Sequence[tuple[ModelCall, Failed]]
) -> ChapterRecord:
    """What the ledger keeps of a run before the deliberation goes on in another one; ``first`` numbers its turns."""
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


async def carried_out(
    protocol: str,
    deliberating: Coroutine[Any, Any, Reason],
    record: Callable[[Any], Coroutine[Any, Any, Result]],
    failure: Callable[[Result], str | None],
) -> Result:
    """Hold a deliberation to its end, record however it ends, and return its result.

    Args:
        protocol: First part of the type of a failure.
        deliberating: Returns the stop reason.
        record: Makes the result for a stop reason and writes it down.
        failure: The one clear message of a result that is a failure.

    Raises:
        ApplicationError: it failed; carries the result.
        CancelledError: it was cancelled, and recorded as such.
    """
    try:
        stop_reason = await deliberating
    except (ActivityError, asyncio.CancelledError) as error:
        if is_cancelled_exception(error):
            await _undisturbed(record("cancelled"))
        raise
    result = await _undisturbed(record(stop_reason))
    await workflow.wait_condition(workflow.all_handlers_finished)
    if said := failure(result):
        raise ApplicationError(said, result, type=f"{protocol}.{result.stop_reason}", non_retryable=True)
    return result


async def _undisturbed(closing: Coroutine[Any, Any, Result]) -> Result:
    """Wait for ``closing``, which makes the result and records it: what is over can no longer be cancelled."""
    task = asyncio.create_task(closing)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        return await task


def _lost(deliberation_id: str, lost: Sequence[tuple[ModelCall, Failed]]) -> tuple[LostEntry, ...]:
    return tuple(
        LostEntry(identity=identity_of(deliberation_id, call), stage=call.stage, round=call.round, reply=reply)
        for call, reply in lost
        if call.shared_with is None
    )
