"""A server and a worker for as long as a command needs them.

What is there is used; what is missing on this machine is started, all at once, and stopped again: the worker, the
rehearsal server, the Temporal server, whose end only ``parley up`` waits for. Until then a server or a worker of ours
that dies is replaced, and so are those of another command when it ends before this one. On a server elsewhere nothing
is ever started: a deliberation there waits for the workers that belong to it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Literal, NoReturn
from urllib.parse import quote

from temporalio.service import RPCError

from parley.client import Parley
from parley.errors import RequestError
from parley.installations import known_installation
from parley.rehearsal_process import is_rehearsal_server, rehearsal_server
from parley.subprocesses import as_variables
from parley.workers import Notify, WorkerKeeper, kept_workers, pollers
from protocols.task_queues import TASK_QUEUE
from runtime.background import run_in_background
from runtime.home import make_private_directory, tighten
from runtime.local_server import is_left_behind, owned_server
from runtime.ports import is_free
from runtime.server_address import Address, resolve_server
from runtime.server_flags import HOST
from runtime.settings import PREFIX, Settings
from runtime.target import Target, is_loopback, temporal_target
from workflows import search_attributes

Worker = Literal["none", "while it runs", "needed", "own"]
"""``needed``: start one if the queue has no worker. ``while it runs``: as ``needed``, but not for one that has ended.
``own``: always start one."""

_LOOK_SECONDS = 2.0
_ABSENT_LOOKS = 4


@dataclass(frozen=True)
class Session:
    """A connection, and where its server is."""

    parley: Parley
    address: Address

    def link(self, deliberation_id: str) -> str | None:
        """Return the Web UI's address of a deliberation, if this machine has one."""
        if self.address.ui_url is None:
            return None
        namespace = quote(self.parley.client.namespace, safe="")
        return f"{self.address.ui_url}/namespaces/{namespace}/workflows/{quote(deliberation_id, safe='')}"

    def directions(self, deliberation_id: str) -> str | None:
        """Return the link, and how to start a worker if the server ends with this process."""
        link = self.link(deliberation_id)
        return f"{link} (while it runs: parley up)" if link and self.address.embedded else link


@asynccontextmanager
async def open_session(
    settings: Settings, notify: Notify, *, worker: Worker = "needed", rehearse: bool = False, of: str | None = None
) -> AsyncIterator[Session]:
    """Start the required processes; stop them at the end of the block.

    Args:
        settings: Of this process.
        notify: Receives notices for the user.
        worker: Whether there must be one.
        rehearse: Have a rehearsal server for it.
        of: The deliberation that the session is about; when it is a rehearsal, it gets a rehearsal server too.
    """
    target = temporal_target(settings)
    async with AsyncExitStack() as stack:
        is_new = not settings.home.exists()
        tighten(settings.home)
        ours = await known_installation(settings)
        launched = _launched_early(settings, target, notify, worker if of is None else "none", rehearse=rehearse)
        early = await stack.enter_async_context(launched)
        found = resolve_server(settings, target, search_attributes.ALL, notify, ours, outwaited=worker == "own")
        address = await stack.enter_async_context(found)
        parley = await Parley.attach(settings, address=address.address)
        is_launched = early is not None and early.address == address.address
        if rehearse and worker != "own" and not is_launched and _may_start_here(target):
            await refuse_without_rehearsal(parley, settings)
        if of is not None:
            about = await parley.about(of)
            rehearse = rehearse or about.rehearsal
            if worker == "while it runs" and about.status != "running":
                worker = "none"
        if worker != "none":
            count = settings.workers if worker == "own" else 1
            early = early if is_launched else None
            means = _Means(settings, target, address, rehearse=rehearse, workers=count, early=early)
            if is_launched or await is_worker_wanted(parley, target, worker, notify):
                await stack.enter_async_context(_own_worker(means, notify))
            elif _may_start_here(target):
                await stack.enter_async_context(run_in_background(_stand_by(parley, means, notify)))
        if is_new and settings.home.exists():
            notify(f"A new installation was made in {settings.home}.")
        yield Session(parley=parley, address=address)


async def refuse_without_rehearsal(parley: Parley, settings: Settings) -> None:
    """Refuse a rehearsal that a running worker would fail, because no scripted models were started with it.

    Raises:
        RequestError: a worker runs on this machine, and no rehearsal server.
    """
    url = settings.rehearsal_address
    if await pollers(parley.client, TASK_QUEUE) and not await is_rehearsal_server(url):
        raise RequestError(
            "the worker that runs here was started without scripted models, so it cannot hold a rehearsal. "
            "End the `parley up` or the command that started it, and start: parley up --rehearse"
        )


async def is_worker_wanted(parley: Parley, target: Target, worker: Worker, notify: Notify) -> bool:
    """Return whether to start a worker here; report a missing one through ``notify`` if none may be started."""
    if worker == "own":
        return True
    if await pollers(parley.client, TASK_QUEUE):
        return False
    if not _may_start_here(target):
        notify(
            f"no worker polls the queue {TASK_QUEUE!r} at {target.address}. The deliberation waits there until a "
            "worker is started (python -m worker)."
        )
        return False
    return True


@dataclass(frozen=True)
class _Means:
    """The settings with which this command starts a worker."""

    settings: Settings
    target: Target
    address: Address
    rehearse: bool
    workers: int
    early: "_Early | None" = None

    @property
    def rehearsing(self) -> Settings:
        """Return the settings of the worker, with the address of its rehearsal server."""
        if not self.starts_rehearsal:
            return self.settings
        return self.settings.model_copy(update={"rehearsal_url": self.settings.rehearsal_address})

    @property
    def starts_rehearsal(self) -> bool:
        """Return whether a rehearsal server is started with the worker."""
        return self.rehearse and self.settings.rehearsal_url is None


@dataclass
class _Early:
    """Processes that were started beside the Temporal server, before it answers."""

    address: str
    worker: WorkerKeeper | None
    rehearsal: asyncio.Event | None
    """Set when the rehearsal server answers."""

    def take_worker(self, address: str) -> WorkerKeeper | None:
        """Return the worker if it was started for the server at ``address``; it is the caller's from then on."""
        taken = self.worker if address == self.address else None
        if taken is not None:
            self.worker = None
        return taken


@asynccontextmanager
async def _launched_early(
    settings: Settings, target: Target, notify: Notify, worker: Worker, *, rehearse: bool
) -> AsyncIterator[_Early | None]:
    """Launch a worker and a rehearsal server when the Temporal server has to be started, too; else yield ``None``.

    That is so when no process of this installation has one and the port is free: then the worker is needed, and no
    other server can answer at the address that it is given.
    """
    is_served = target.configured or owned_server(settings) is not None or is_left_behind(settings)
    if worker == "none" or is_served or not is_free(settings.server_port):
        yield None
        return
    address = Address(address=f"{HOST}:{settings.server_port}", embedded=True, ui_url=None)
    means = _Means(settings, target, address, rehearse=rehearse, workers=1)
    async with AsyncExitStack() as stack:
        is_ready = await stack.enter_async_context(rehearsal_server(settings)) if means.starts_rehearsal else None
        make_private_directory(settings.home)
        first = WorkerKeeper(settings, _variables(means.rehearsing, target, address), notify)
        await first.launch()
        early = _Early(address.address, first, is_ready)
        try:
            yield early
        finally:
            if early.worker is not None:
                await early.worker.stop()


@asynccontextmanager
async def _own_worker(means: _Means, notify: Notify, *, patiently: bool = False) -> AsyncIterator[None]:
    settings, early = means.rehearsing, means.early
    async with AsyncExitStack() as stack:
        is_ready = None if early is None else early.rehearsal
        if is_ready is None and means.starts_rehearsal:
            is_ready = await stack.enter_async_context(rehearsal_server(means.settings))
        variables = _variables(settings, means.target, means.address)
        first = None if early is None else early.take_worker(means.address.address)
        await stack.enter_async_context(
            kept_workers(settings, variables, notify, means.workers, patiently=patiently, first=first)
        )
        if is_ready is not None:  # both start at once, and only the first call needs the two
            await is_ready.wait()
        yield


async def _stand_by(parley: Parley, means: _Means, notify: Notify) -> NoReturn:
    """Start a worker when those of other commands are gone for longer than it takes to replace one."""
    absent = 0
    while absent < _ABSENT_LOOKS:
        await asyncio.sleep(_LOOK_SECONDS)
        with suppress(RPCError):  # while the server is away, nothing is known of workers
            absent = 0 if await pollers(parley.client, TASK_QUEUE) else absent + 1
    notify("the worker of another command has ended; one is started here and continues its work")
    means = replace(means, rehearse=means.rehearse or await _has_rehearsals(parley))
    async with _own_worker(means, notify, patiently=True):
        await asyncio.Event().wait()
    raise AssertionError


async def _has_rehearsals(parley: Parley) -> bool:
    """Return whether a running deliberation uses scripted models, which a worker without them would fail."""
    try:
        return (await parley.client.count_workflows('Rehearsal = true AND ExecutionStatus = "Running"')).count > 0
    except RPCError:
        return False


def _may_start_here(target: Target) -> bool:
    """Return whether the server runs on this machine, so that workers may be started here."""
    return not target.configured or is_loopback(target.address)


def _variables(settings: Settings, target: Target, address: Address) -> dict[str, str]:
    variables = as_variables(settings)
    if settings.rehearsal_url is not None:
        variables[f"{PREFIX}REHEARSAL_URL"] = settings.rehearsal_url
    if not target.configured:
        variables["TEMPORAL_ADDRESS"] = address.address
    return variables
