"""Workers of a task queue, and a worker of our own: when it dies or hangs, another takes its place.

The server lists every worker that polled in the last minutes, dead ones too. So an entry counts
only when it is fresh, and one of this machine only while that very process works: a worker's identity names its
process id and when it started, see ``runtime.processes``.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import NoReturn

from temporalio.api.enums.v1 import TaskQueueKind, TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client

from parley.errors import ProcessFailedError
from parley.subprocesses import Child
from runtime.background import run_in_background
from runtime.file_locks import remove_stale, worker_file
from runtime.processes import is_working, parse_name
from runtime.settings import PREFIX, Settings

Notify = Callable[[str], None]
_READY_SECONDS = 60.0
_STOP_MARGIN = 15.0
_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 30.0
_FRESH = timedelta(seconds=90)
"""A worker that has nothing to do asks again every minute."""
_REMEMBERED = timedelta(minutes=5)
"""The server forgets a worker that has not polled for so long."""


class WorkerKeeper:
    """A worker process and its successors.

    Args:
        settings: Of this process; the worker's log is in ``home``.
        variables: The worker's environment beside this process's own.
        notify: Called when a worker was lost, could not be started, and when another one works.
        number: Which worker of the installation's home, from 1.
    """

    def __init__(self, settings: Settings, variables: Mapping[str, str], notify: Notify, number: int = 1) -> None:
        self._settings = settings
        self._variables = {**variables, f"{PREFIX}WORKER_NUMBER": str(number)}
        self._notify = notify
        self._number = number
        self._name = "the worker" if number == 1 else f"worker {number}"
        self._child: Child | None = None

    async def launch(self) -> Child:
        """Start a worker without waiting for it."""
        log = worker_file(self._settings.home, self._number, "log")
        self._child = await Child.start("worker", [], log=log, variables=self._variables, watched=True)
        return self._child

    async def start(self) -> None:
        """Start a worker, unless one was launched, and wait until it polls.

        Raises:
            ProcessFailedError: it does not start, or does not poll in time; then it is ended.
        """
        child = self._child or await self.launch()
        delay = asyncio.get_running_loop().call_later(_READY_SECONDS / 6, self._name_delay, child)
        try:
            await child.ready(within=_READY_SECONDS)
        except ProcessFailedError:
            await child.kill()
            self._child = None
            raise
        finally:
            delay.cancel()

    async def start_patiently(self, pause: float = _FIRST_PAUSE) -> None:
        """Start a worker as often as it takes, with growing pauses, and say why it took more than once."""
        while True:
            try:
                await self.start()
            except (ProcessFailedError, OSError) as error:
                self._notify(f"{error}. The next start is tried in {pause:.0f} s")
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                return

    async def keep(self) -> NoReturn:
        """Replace the worker whenever it ends or hangs."""
        while True:
            self._notify(f"{self._name} was lost ({await self._lost()}); another one is started")
            await asyncio.sleep(_FIRST_PAUSE)
            await self.start_patiently()
            self._notify("a new worker continues the work of the last one")

    async def stop(self) -> None:
        """Ask the worker to finish its calls in flight, and wait for it."""
        if self._child is not None:
            await self._child.stop(patience=self._settings.graceful_shutdown_seconds + _STOP_MARGIN)

    def _name_delay(self, child: Child) -> None:
        """Name what the worker waits for at its start, by its log."""
        if reason := child.last_reason():
            self._notify(f"{self._name} is not ready yet: {reason}")

    async def _lost(self) -> str:
        """Wait until the worker is gone and return how; one that hangs is ended."""
        assert self._child is not None, "no worker was started"  # noqa: S101 - a mistake of this module
        ends = (self._child.ended(), self._child.hung(self._settings.worker_silence_seconds))
        looks = [asyncio.create_task(end) for end in ends]
        try:
            done, _ = await asyncio.wait(looks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for look in looks:
                look.cancel()
        await self._child.kill()
        self._child = None
        remove_stale(worker_file(self._settings.home, self._number, "pid"))
        return done.pop().result()


@asynccontextmanager
async def kept_workers(
    settings: Settings,
    variables: Mapping[str, str],
    notify: Notify,
    count: int = 1,
    *,
    patiently: bool = False,
    first: WorkerKeeper | None = None,
) -> AsyncIterator[None]:
    """Keep ``count`` workers for as long as the block lasts; then ask them to finish what is in flight, and wait.

    The ``first`` of them may have been launched already.
    """
    keepers = [WorkerKeeper(settings, variables, notify, number) for number in range(1, count + 1)]
    keepers[0] = first or keepers[0]
    try:
        for keeper in keepers:  # one after the other: the first one brings the ledger's tables up to date
            await (keeper.start_patiently() if patiently else keeper.start())
        async with AsyncExitStack() as keeping:
            for keeper in keepers:
                await keeping.enter_async_context(run_in_background(keeper.keep()))
            yield
    finally:
        await asyncio.gather(*(keeper.stop() for keeper in keepers))


async def pollers(client: Client, queue: str, *, activities: bool = False) -> tuple[str, ...]:
    """Return the identities of the workers of ``queue``, for workflows or for ``activities``."""
    kinds = TaskQueueType
    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=queue, kind=TaskQueueKind.TASK_QUEUE_KIND_NORMAL),
        task_queue_type=kinds.TASK_QUEUE_TYPE_ACTIVITY if activities else kinds.TASK_QUEUE_TYPE_WORKFLOW,
    )
    described = await client.workflow_service.describe_task_queue(request)
    polled = {one.identity: one.last_access_time.ToDatetime(tzinfo=UTC) for one in described.pollers}
    return working(polled, datetime.now(UTC))  # noqa: TID251 - this is a process of the user's side


def working(polled: Mapping[str, datetime], now: datetime) -> tuple[str, ...]:
    """Return those workers that ``polled`` recently, by the server's clock; of this machine, if their process lives.

    Where that clock and ``now`` of this machine cannot both be right, the latest of them has polled just now.
    """
    latest = max(polled.values(), default=now)
    now = now if latest <= now <= latest + _REMEMBERED else latest
    return tuple(identity for identity, when in polled.items() if now - when <= _FRESH and not _is_gone(identity))


def _is_gone(identity: str) -> bool:
    process = parse_name(identity)
    return process is not None and process.is_here and not is_working(process.pid, process.started)
