"""Status of a study: the ledger's counts, the batch's Temporal status, and the batch's own state.

The ledger has the counts at any time. The batch has the deliberations in flight and the pause; for that
a worker must be running.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from typing import Any

from pydantic import Field
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle, WorkflowQueryFailedError
from temporalio.service import RPCError

from ledger.studies.reading import KnownStudy, LossReason, Progress, StoreError, StudyReader
from parley import workflow_rpc
from parley.errors import RequestError, StuckError, TemporalAwayError
from parley.notices import notify
from parley.pending_calls import LEDGER, find_outages, pending_calls
from parley.session import open_session
from parley.task_failures import find_task_failure, is_task_failing
from parley.watch import QUERY_SECONDS
from parley.workflow_rpc import Query
from protocols.constraints import quoted
from protocols.flaws import FlawKind
from protocols.model_call import FrozenModel
from protocols.study.model import Amount, ArmUse, BatchResult, BatchState, Counts, RunSettings
from protocols.study.outages import Outage
from protocols.study.outcomes import OF_CALLS
from protocols.study.scheduled import SCHEDULE_PREFIX
from runtime.errors import PayloadError, SetupError
from runtime.settings import Settings

BATCH_STATE = Query("state", BatchState)
UNREADABLE = "all this is from the ledger; what the batch says of itself cannot be read"
_STUCK = "TemporalPauseInfo IS NOT NULL OR TemporalReportedProblems IS NOT NULL"
_NOT_ASKED = "{}: it is not known whether it still runs ({}); what an outage has lost is failed here, and may run again"


class StudyStatus(FrozenModel):
    """The status of a study at one moment."""

    study: str
    status: str
    """Of its batch, in Temporal's word in lower case; ``none`` when there is none any more or never was, ``scheduled``
    when a schedule starts copies of it."""
    progress: Progress
    """The number of each outcome; every instance counts once."""
    cancelled: int = 0
    """Of the open ones, those that a user ended: they run again when the study continues."""
    degraded: int = 0
    """The number of completed ones with a flaw that degrades the result."""
    flaws: dict[FlawKind, int] = Field(default_factory=dict)
    """The number of flaws in all of them, by kind."""
    used: Amount
    """As far as the batch has settled it; by the ledger, when no batch runs. At least the plan of one that is
    cancelled or missing: its calls in flight may be billed."""
    calls: int = 0
    """Those of ``used``."""
    calls_of_unknown_cost: int = 0
    calls_of_unknown_tokens: int = 0
    """Answers without a count of tokens; ``used`` has at least the plan of their deliberations."""
    unanswered_requests: int = 0
    """Of calls whose cost is known, the requests without an answer, which may be billed beside it."""
    terms: RunSettings
    """In force, or from the next start on."""
    state: BatchState | None = None
    """The state of the batch; ``None`` when it has ended or does not answer."""
    why_failed: tuple[LossReason, ...] = ()
    """The causes of the failed ones, the most frequent first; read when no batch runs."""
    outages: tuple[Outage, ...] = ()
    """The latest times in which a provider was away, of the batch that runs or ran last."""
    learned: dict[str, ArmUse] = Field(default_factory=dict)
    """By arm, what its completed deliberations took beside their plan."""
    rehearsal: bool = False
    note: str = ""
    """Why less is seen than there should be."""

    @property
    def is_over(self) -> bool:
        """True if no batch runs."""
        return self.status != "running"

    @property
    def is_stuck(self) -> bool:
        """True if it waits for a user with nothing in flight; a provider is waited for automatically."""
        pause = self.state.pause if self.state else None
        return pause is not None and pause.cause != "provider" and self.state is not None and not self.state.in_flight


async def known_study(settings: Settings, study: str) -> KnownStudy:
    """Return the study from the ledger.

    Raises:
        RequestError: there is no study of that name.
    """
    async with StudyReader(settings.database_url) as reader:
        found = await reader.known(study)
        names = [] if found else [one.name for one in await reader.studies()]
    if found is None:
        there = f"those it has: {', '.join(names[:10])}" if names else "it has none yet (parley batch run)"
        raise RequestError(f"the ledger has no study {quoted(study)}; {there}")
    return found


async def known_uses(settings: Settings, study: str, *, rehearsal: bool) -> dict[str, ArmUse]:
    """Return the use of each arm by its completed deliberations; nothing without a ledger that has the study.

    A rehearsal teaches nothing of real models, nor they of a rehearsal.
    """
    try:
        async with StudyReader(settings.database_url) as reader:
            known = await reader.known(study)
            return await reader.learned(study) if known and known.rehearsal == rehearsal else {}
    except StoreError:
        return {}


async def batch_status(client: Client, study: str) -> str:
    """Return the Temporal status of the study's batch in lower case, or ``none``, or ``scheduled``."""
    if batch := await workflow_rpc.known(client.get_workflow_handle(study).describe(), QUERY_SECONDS):
        return batch.status.name.lower() if batch.status else "running"
    schedule = client.get_schedule_handle(f"{SCHEDULE_PREFIX}{study}")
    return "scheduled" if await workflow_rpc.known(schedule.describe(), QUERY_SECONDS) else "none"


async def running_studies(settings: Settings, *names: str, client: Client | None = None) -> frozenset[str]:
    """Return the running ones of these studies, and of the firings of such schedules, that an outage has failed.

    They are asked of the server of ``client``, or of ``settings``; without it there are none, and a notice says so.
    """
    async with StudyReader(settings.database_url) as ended:
        named = [one for name in names for one in (name, *await ended.firings(name))]
        async with StudyReader(settings.database_url, named) as running:
            asked = [one for one in named if await running.to_repeat(one) != await ended.to_repeat(one)]
    if not asked:
        return frozenset()
    why = f"{settings.home} does not exist, so this ledger may be a copy"
    try:
        async with AsyncExitStack() as stack:
            if client is None and settings.home.exists():
                session = await stack.enter_async_context(open_session(settings, notify, worker="none"))
                client = session.parley.client
            if client is not None:
                return frozenset([one for one in asked if await batch_status(client, one) == "running"])
    except (SetupError, RPCError) as error:
        why = str(error)
    notify(_NOT_ASKED.format(", ".join(asked), why))
    return frozenset()


async def study_status(client: Client, settings: Settings, study: KnownStudy) -> StudyStatus:
    """Return the status of ``study``."""
    status = await batch_status(client, study.name)
    state, outages, note = await _batch_state(client, study.name, status)
    wait = await _why_it_waits(client, study.name) if state else ""
    used, tally, why = (state.used, state.tally, ()) if state else await _counted(settings, study.name, status)
    total = max(study.instances, state.instances if state else 0)
    return StudyStatus(
        study=study.name,
        status=status,
        progress=Progress(total=total, completed=tally.completed, failed=tally.failed, missing=tally.missing),
        **{name: getattr(tally, name) for name in ("cancelled", "degraded", "flaws", *OF_CALLS)},
        used=used,
        terms=state.terms if state else (await known_study(settings, study.name)).terms,
        state=state,
        why_failed=why,
        outages=outages,
        learned=state.learned if state else await known_uses(settings, study.name, rehearsal=study.rehearsal),
        rehearsal=study.rehearsal,
        note=note or wait,
    )


async def _why_it_waits(client: Client, study: str) -> str:
    """Return why a deliberation cannot continue, is paused, or waits for the ledger; empty when none is known to."""
    running = f'WorkflowId STARTS_WITH "{study}/" AND ExecutionStatus = "Running"'
    for query in (f"{running} AND ({_STUCK})", running):
        with suppress(RPCError):  # an older server does not have these columns
            async for run in client.list_workflows(query, limit=1):
                if reason := await _why_one_waits(client.get_workflow_handle(run.id)):
                    return reason
    return ""


async def _why_one_waits(handle: WorkflowHandle[Any, Any]) -> str:
    described = await handle.describe()
    if is_task_failing(described) and (failure := await find_task_failure(handle, described.data_converter)):
        return f"{handle.id}: {failure.explanation}"
    calls = await pending_calls(described)
    paused = (f"{handle.id} {call_id}: {call.pause}" for call_id, call in calls.items() if call.pause)
    now = datetime.now(UTC)  # noqa: TID251 - a process of the user's side looks at its clock
    found = [one for one in find_outages(calls.values(), now) if one.provider == LEDGER]
    return next(paused, "") or "".join(one.described(is_redrawn=False) for one in found)


async def _counted(settings: Settings, study: str, status: str) -> tuple[Amount, Counts, tuple[LossReason, ...]]:
    async with StudyReader(settings.database_url, [study] if status == "running" else ()) as reader:
        spent, tally, used = await reader.spent(study), await reader.tally(study), await reader.charged(study)
        why = await reader.why_failed(study) if tally.failed else ()
    return used, tally.model_copy(update=spent.model_dump(include=set(OF_CALLS))), why


async def _batch_state(client: Client, study: str, status: str) -> tuple[BatchState | None, tuple[Outage, ...], str]:
    """Return the state of a running batch, its outages, and why they are not known or it was interrupted."""
    handle: WorkflowHandle[Any, BatchResult] = client.get_workflow_handle(study, result_type=BatchResult)
    try:
        if status == "running":
            state = await workflow_rpc.ask(handle, BATCH_STATE, within=QUERY_SECONDS)
            return state, state.outages, ""
        return None, (await handle.result()).outages if status in {"completed", "failed"} else (), ""
    except StuckError as error:
        return None, (), str(error)
    except PayloadError as error:
        return None, (), f"{UNREADABLE}: {error}"
    except WorkflowFailureError as error:
        return None, (), f"it was interrupted: {getattr(error.cause, 'message', error.cause)}"
    except (RPCError, TemporalAwayError, WorkflowQueryFailedError):
        if status != "running":
            raise
        return None, (), "no worker answers; running deliberations wait and continue when one does (parley up)"


async def follow(client: Client, settings: Settings, name: str, *, every: float = 2.0) -> AsyncIterator[StudyStatus]:
    """Yield the status of the study ``name`` every so many seconds; the last one is of its end.

    A server that does not answer for a while is waited for.
    """
    study, sight = await known_study(settings, name), None
    while sight is None or not sight.is_over:
        if sight is not None:
            await asyncio.sleep(every)
        try:
            sight = await study_status(client, settings, study)
        except RPCError:
            if sight is None:
                raise
            sight = sight.model_copy(update={"note": "Temporal does not answer; waiting for it"})
        yield sight
