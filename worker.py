"""The worker process: builds settings, activities and workflows, and polls the task queues.

``python -m worker`` runs workflows and model calls on the queue ``parley``, ledger activities on ``ledger``, and calls
to every provider with a rate limited by the server on the provider's own queue. It ends on SIGTERM or SIGINT after the
calls in flight are answered and stored; a second signal ends it at once.
"""

import gc

if __name__ == "__main__":
    gc.disable()  # until it serves: to look for garbage among the modules, which stay, takes a fifth of the start

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import Any, NamedTuple

import structlog
from temporalio.client import Client
from temporalio.common import WorkerDeploymentVersion
from temporalio.service import RPCError
from temporalio.worker import PollerBehaviorAutoscaling, Worker, WorkerConfig, WorkerDeploymentConfig

from activities.call_model import ModelCalls
from activities.input_completion import InputCompletion
from activities.ledger_activities import ledger_activities
from activities.providers.call_slots import CallSlots, slots_for
from activities.providers.catalogue import Catalogue, Provider, load_catalogue, queue_of
from activities.providers.credentials import with_keys
from activities.providers.errors import ConfigError
from activities.providers.pool import Pool
from activities.providers.structured_output import StructuredOutput
from ledger.connection import installation_id
from ledger.journal import Journal
from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from ledger.store_errors import StoreError
from parley.registry import WORKFLOWS
from parley.replay_check import replay_running
from protocols.task_queues import LEDGER_QUEUE, TASK_QUEUE
from runtime import event_loop
from runtime.attachment_store import AttachmentStore
from runtime.background import stop_after_parent
from runtime.code_version import DEPLOYMENT, code_version
from runtime.connect import connect
from runtime.errors import CannotReachTemporalError, SetupError, refusal
from runtime.file_locks import PidFile, worker_file
from runtime.garbage_collection import collect_less
from runtime.home import PRIVATE_UMASK, make_private_directory, tighten
from runtime.installation import Installation, ServerNamespaceData, share_key, take
from runtime.liveness import LivenessReports
from runtime.logs import configure_logs
from runtime.rate_limits import QueueLimits, current_limits, limit_queue
from runtime.server_address import refuse_foreign, register_columns
from runtime.settings import Settings, load_settings
from runtime.shutdown import leave, stop_on_signals
from runtime.target import temporal_target
from runtime.workflow_threads import WorkflowThreads
from studies.short_inputs import ShortInputs
from workflows import search_attributes
from workflows.unknown_type import UnknownTypeWorkflow

__all__ = ["WORKFLOWS", "main", "serve"]

_CANNOT_START = 1
_CANNOT_REACH = 3
_THROTTLE = timedelta(seconds=1)
_STICKY = timedelta(seconds=2)
_DRAIN_SECONDS = 10.0
_PAUSE_SECONDS = 0.1
_MOST_EAGER = 16
"""Calls of one step of a workflow that this worker begins; the SDK's default is 3, fewer than a round has."""
_MOST_AT_ONCE = 200
"""Payloads of one step that are put away together; with the SDK's 3, a stage of four calls would be two files."""

# The code's name is in every history; tasks may reach any worker of the queue, with any code.
_DEPLOYMENT = WorkerDeploymentConfig(
    version=WorkerDeploymentVersion(DEPLOYMENT, code_version()), use_worker_versioning=False
)

_log = structlog.get_logger(__name__)


class Activities(NamedTuple):
    """The activity classes of one worker, with their resources."""

    calls: ModelCalls
    of_ledger: Sequence[Callable[..., Any]]
    installation: Installation


async def serve(settings: Settings) -> None:
    """Serve until this process is asked to stop."""
    stop = stop_on_signals()
    pid_file = PidFile(worker_file(settings.home, settings.worker_number, "pid"))
    try:
        async with LivenessReports(settings.liveness_fd) as reports:
            await _serve(settings, stop, reports, pid_file)
    finally:
        pid_file.remove()


async def _serve(settings: Settings, stop: asyncio.Event, reports: LivenessReports, pid_file: PidFile) -> None:
    catalogue = load_catalogue(settings.providers_file, settings.rehearsal_url, settings.agreements_file)
    client = await _connect_patiently(settings, stop)
    async with _activities(settings, catalogue) as activities, AsyncExitStack() as working:
        await _take_namespace(client, settings, activities.installation)
        await _register_with_server(client, catalogue)
        threads = working.enter_context(WorkflowThreads())
        workers = _workers(client, settings, catalogue, activities, threads)
        for worker in workers:
            await working.enter_async_context(worker)
        collect_less()
        _note_ready(settings, pid_file)
        reports.report_ready()
        _log.info(
            "worker_started",
            code=code_version(),
            queues=[worker.task_queue for worker in workers],
            providers=sorted(catalogue.providers),
        )
        beside = (stop_after_parent(settings.parent_pid, stop), _report_broken_replays(client))
        watches = [asyncio.create_task(work) for work in beside]
        await stop.wait()
        activities.calls.stop_waiting()
        for watch in watches:
            watch.cancel()
        _log.info("worker_stopping", patience_seconds=settings.graceful_shutdown_seconds)
        await asyncio.gather(*(worker.shutdown() for worker in workers))
    _log.info("worker_stopped")


def main() -> None:
    """Run the worker as a process."""
    code = 0
    os.umask(PRIVATE_UMASK)
    try:
        settings = load_settings()
        tighten(settings.home)
        configure_logs(settings)
        event_loop.run(serve(settings))
    except (SetupError, ConfigError, StoreError, RPCError) as error:
        _log.error("worker_cannot_start", reason=refusal(error))
        code = _CANNOT_REACH if isinstance(error, CannotReachTemporalError) else _CANNOT_START
    leave(code)


@asynccontextmanager
async def _activities(settings: Settings, catalogue: Catalogue) -> AsyncIterator[Activities]:
    """Build the activities over an upgraded ledger; close them after every payment in flight is recorded."""
    make_private_directory(settings.home)
    store = Store(settings.database_url)
    try:
        await upgrade(store)
        ours = Installation.at(settings.home, await installation_id(store))
        journal = Journal(store)
        pool, known = _pool(settings, catalogue), StructuredOutput.kept_in(settings.home)
        calls = ModelCalls(
            catalogue, os.environ, journal, pool, structured_output=known, read_blob=AttachmentStore.of(settings).get
        )
        try:
            inputs = InputCompletion(ShortInputs(settings, os.environ).complete)
            yield Activities(calls, [*ledger_activities(store, code_version()), inputs.complete_input], ours)
        finally:
            await journal.drain(_DRAIN_SECONDS)
            await store.close()  # before requests break off: a lease that is left behind has them counted
            await calls.aclose()
    finally:
        await store.close()


def _pool(settings: Settings, catalogue: Catalogue) -> Pool:
    """Return the connection pool of this process, with a share of the slots for every available provider."""
    places = CallSlots(settings.max_concurrent_calls, with_keys(catalogue, os.environ))
    return Pool(certificates=os.environ.get("SSL_CERT_FILE") or None, places=places)


def _workers(
    client: Client, settings: Settings, catalogue: Catalogue, activities: Activities, threads: WorkflowThreads
) -> Sequence[Worker]:
    """Return a worker for workflows and their calls, one for the ledger, and one for each limited provider."""
    shared: WorkerConfig = {
        "client": client,
        "activity_task_poller_behavior": PollerBehaviorAutoscaling(),
        "graceful_shutdown_timeout": timedelta(seconds=settings.graceful_shutdown_seconds),
        "deployment_config": _DEPLOYMENT,
    }
    calls: WorkerConfig = {
        **shared,
        "activities": [activities.calls.call_model],
        "max_concurrent_activities": slots_for(settings.max_concurrent_calls),
        "max_heartbeat_throttle_interval": _THROTTLE,
        "default_heartbeat_throttle_interval": _THROTTLE,
    }
    workflows: WorkerConfig = {
        **calls,
        "activities": [activities.calls.call_model, *activities.of_ledger],  # a workflow records its end locally
        "task_queue": TASK_QUEUE,
        "workflows": [*WORKFLOWS, UnknownTypeWorkflow],
        "workflow_task_executor": threads,
        "max_workflow_task_external_storage_concurrency": _MOST_AT_ONCE,
        "max_cached_workflows": settings.max_cached_workflows,
        "max_eager_activity_reservations_per_workflow_task": _MOST_EAGER,
        "sticky_queue_schedule_to_start_timeout": _STICKY,
        "workflow_task_poller_behavior": PollerBehaviorAutoscaling(),
    }
    ledger: WorkerConfig = {**shared, "task_queue": LEDGER_QUEUE, "activities": activities.of_ledger}
    limited = [WorkerConfig(**calls, task_queue=queue) for queue in sorted(catalogue.queues().values())]
    return [Worker(**config) for config in (ledger, workflows, *limited)]


async def _take_namespace(client: Client, settings: Settings, ours: Installation) -> None:
    """Mark a namespace without an installation; refuse one of another, or with encrypted texts and no key for them."""
    target = temporal_target(settings)
    await refuse_foreign(client, target.address, settings, target, ours)
    try:
        await take(client, ServerNamespaceData(client), ours)
    except RPCError as error:
        _log.warning("namespace_not_marked", reason=error.message, namespace=client.namespace)
    try:
        await share_key(client)
    except RPCError as error:
        _log.warning("key_not_shared", reason=error.message, namespace=client.namespace)
    await refuse_foreign(client, target.address, settings, target, ours)


async def _register_with_server(client: Client, catalogue: Catalogue) -> None:
    """Configure the server for the first deliberation, as far as its permissions allow."""
    try:
        await register_columns(client, search_attributes.ALL)
    except RPCError as error:
        _log.warning("columns_not_registered", reason=error.message)
    for provider in catalogue.providers.values():
        if provider.is_limited:
            await _limit(client, provider)


async def _limit(client: Client, provider: Provider) -> None:
    """Set the file's rate limits of ``provider`` on the server, unless a user has set others since."""
    queue = queue_of(provider)
    try:
        kept = await current_limits(client, queue)
    except RPCError as error:
        _log.warning("queue_limits_not_read", task_queue=queue, reason=error.message)
    else:
        if kept.is_by_a_person:
            _log.info("queue_limits_left", task_queue=queue, reason=kept.reason)
            return
    limits = QueueLimits(provider.requests_per_second, provider.requests_per_second_per_model, provider.weights)
    await limit_queue(client, queue, limits, reason=f"providers file: {provider.name}")


async def _connect_patiently(settings: Settings, stop: asyncio.Event) -> Client:
    """Return a client; wait for a server that is still starting, until asked to stop."""
    said = ""
    while True:
        try:
            return await connect(settings, measured=True)
        except CannotReachTemporalError as error:
            if stop.is_set():
                raise
            if said != (said := str(error)):
                _log.warning("worker_waits_for_temporal", reason=said)
                collect_less()  # it may wait for days
            await asyncio.sleep(_PAUSE_SECONDS)


async def _report_broken_replays(client: Client) -> None:
    """Log each running deliberation that this code cannot continue, found by replay."""
    try:
        async for replay in replay_running(client, only_other_code=True):
            if replay.ok:
                _log.info("deliberation_can_continue", workflow_id=replay.deliberation_id, last_code=replay.last_code)
            else:
                _log.error(
                    "deliberation_cannot_continue",
                    workflow_id=replay.deliberation_id,
                    code=code_version(),
                    last_code=replay.last_code,
                    reason=replay.error,
                    remedy=replay.remedy,
                )
    except (RPCError, SetupError) as error:
        _log.warning("running_deliberations_not_replayed", reason=refusal(error))


def _note_ready(settings: Settings, pid_file: PidFile) -> None:
    """Write down that this worker polls; a full disk is no reason not to work."""
    try:
        pid_file.write()
        if settings.worker_ready_file is not None:
            settings.worker_ready_file.write_text(f"{os.getpid()}\n")
    except OSError as error:
        _log.warning("worker_not_noted", reason=refusal(error))


if __name__ == "__main__":
    main()
