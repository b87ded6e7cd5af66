"""The activity that inspects pending calls to detect an absent provider.

Temporal itself is the evidence: a call that failed and waits for its next try is a pending activity with its last
failure, from any worker. Nothing is written while calls fail, and no provider is queried.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import select
from temporalio import activity
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import Client
from temporalio.converter import DataConverter
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from activities.ledger_errors import StoreActivities, failing_clearly
from activities.providers.progress import ANSWERING
from ledger.study_tables import INSTANCES
from protocols.study.outages import CallSurvey, ProviderCalls, SurveyRequest
from protocols.study.outcomes import AWAY

_CALL = "call_model"
_AT_ONCE = 10
_LONGEST = 200


class PendingCall(NamedTuple):
    """One call that a running deliberation waits for."""

    provider: str
    cause: str
    """The type of its last failure, if it means that the provider is away; else empty."""
    message: str
    since: datetime
    """When the first of its failures in a row ended, as its heartbeats say; else when its last try was due."""
    failed_at: datetime
    """When its last try ended."""
    is_answering: bool


class CallSurveys(StoreActivities):
    """The activity ``survey_calls`` over the ledger with the deliberations' ids."""

    @activity.defn(name="survey_calls")
    async def survey_calls(self, request: SurveyRequest) -> CallSurvey:
        """Return what the running deliberations of these instances wait for, by provider.

        Raises:
            ApplicationError: of type ``store.busy`` or ``store.full`` (tried again) or ``store.refused`` (final).
            RPCError: the server does not answer.
        """
        wanted = select(INSTANCES.c.number, INSTANCES.c.deliberation_id).where(
            INSTANCES.c.study == request.study, INSTANCES.c.number.in_(request.numbers)
        )
        with failing_clearly():
            rows = await self._store.rows(wanted)
        client, places = activity.client(), asyncio.Semaphore(_AT_ONCE)

        async def look(deliberation_id: str) -> Sequence[PendingCall]:
            async with places:
                return await pending_calls(client, deliberation_id)

        found = await asyncio.gather(*(look(row.deliberation_id) for row in rows))
        return survey_of({row.number: calls for row, calls in zip(rows, found, strict=True)})


async def pending_calls(client: Client, deliberation_id: str) -> Sequence[PendingCall]:
    """Return the pending calls of one deliberation with a known provider.

    Raises:
        RPCError: the server does not answer. A deliberation that is gone has no calls.
    """
    try:
        described = await client.get_workflow_handle(deliberation_id).describe()
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return ()
        raise
    pending = [one for one in described.raw_description.pending_activities if one.activity_type.name == _CALL]
    calls = [await _call(one, described.data_converter) for one in pending]
    return [call for call in calls if call.provider]


def survey_of(deliberations: Mapping[int, Sequence[PendingCall]]) -> CallSurvey:
    """Return one line per provider for which one of ``deliberations``, calls by instance, waits."""
    by_provider: dict[str, dict[int, list[PendingCall]]] = {}
    for number, calls in deliberations.items():
        for call in calls:
            by_provider.setdefault(call.provider, {}).setdefault(number, []).append(call)
    return CallSurvey(providers=tuple(_line(name, found) for name, found in sorted(by_provider.items())))


def _line(provider: str, deliberations: Mapping[int, Sequence[PendingCall]]) -> ProviderCalls:
    calls = [call for found in deliberations.values() for call in found]
    failed = [call for call in calls if call.cause]
    ((cause, _),) = Counter(call.cause for call in failed).most_common(1) or [("", 0)]
    return ProviderCalls(
        provider=provider,
        deliberations=len(deliberations),
        stuck=tuple(number for number, found in deliberations.items() if all(call.cause for call in found)),
        answering=sum(call.is_answering for call in calls),
        cause=cause,
        message=next((call.message for call in failed if call.cause == cause), ""),
        since=min((call.since for call in failed), default=None),
        failed_at=max((call.failed_at for call in failed), default=None),
    )


async def _call(pending: PendingActivityInfo, converter: DataConverter) -> PendingCall:
    beat = await _last_heartbeat(pending, converter)
    failure = await _last_failure(pending, converter)
    details = next((one for one in failure.details if isinstance(one, dict)), {}) if failure else {}
    return PendingCall(
        provider=str(beat.get("provider") or details.get("provider") or ""),
        cause=failure.type if failure and failure.type in AWAY else "",
        message=failure.message.partition("; away since ")[0][:_LONGEST] if failure else "",
        since=_away_since(beat) or pending.scheduled_time.ToDatetime(UTC),
        failed_at=pending.last_attempt_complete_time.ToDatetime(UTC),
        is_answering=_has_heartbeat(pending) and beat.get("phase") in ANSWERING,
    )


def _has_heartbeat(pending: PendingActivityInfo) -> bool:
    """Return whether the last heartbeat is of the attempt that runs now: the one before it leaves its own behind."""
    is_running = pending.state == PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
    return is_running and pending.last_heartbeat_time.ToNanoseconds() > pending.last_started_time.ToNanoseconds()


def _away_since(beat: Mapping[str, Any]) -> datetime | None:
    """Return what a heartbeat says of the first failure; see ``activities/attempts.py``."""
    away = beat.get("away")
    try:
        return datetime.fromisoformat(str(away["since"])).astimezone(UTC) if isinstance(away, dict) else None
    except (KeyError, ValueError):
        return None


async def _last_heartbeat(pending: PendingActivityInfo, converter: DataConverter) -> dict[str, Any]:
    if not pending.heartbeat_details.payloads:
        return {}
    decoded = await converter.decode(pending.heartbeat_details.payloads)
    return decoded[0] if isinstance(decoded[0], dict) else {}


async def _last_failure(pending: PendingActivityInfo, converter: DataConverter) -> ApplicationError | None:
    if not pending.HasField("last_failure"):
        return None
    failure = await converter.decode_failure(pending.last_failure)
    return failure if isinstance(failure, ApplicationError) else None
