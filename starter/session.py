"""A server and a worker for as long as a command needs them.

What is there is used; what is missing on this machine is started and stopped again, in the order Temporal server,
rehearsal server, worker, and back. Until then a server or a worker of ours that dies is replaced. On a server elsewhere
nothing is ever started: a deliberation there waits for the workers that belong to it.
"""

import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import httpx

from runtime.addressing import Address, resolve_server
from runtime.settings import PREFIX, Settings
from runtime.target import Target, is_loopback, temporal_target
from starter.children import Child, as_variables
from starter.client import Parley
from starter.installations import known_installation
from starter.pollers import pollers
from starter.starting import TASK_QUEUE
from starter.workers import Say, kept_worker
from workflows import columns

Worker = Literal["none", "needed", "own"]
"""``needed``: one is started when nobody works on the queue. ``own``: one is started whoever works there."""

_READY_SECONDS = 30.0
_STOP_SECONDS = 10.0


@dataclass(frozen=True)
class Session:
    """A connection, and where its server is."""

    parley: Parley
    address: Address

    def link(self, deliberation_id: str) -> str | None:
        """Where the Web UI shows a deliberation, when this machine has one."""
        if self.address.ui_url is None:
            return None
        namespace = quote(self.parley.client.namespace, safe="")
        return f"{self.address.ui_url}/namespaces/{namespace}/workflows/{quote(deliberation_id, safe='')}"

    def directions(self, deliberation_id: str) -> str | None:
        """The link, and how to have somebody answer there when the server ends with this process."""
        link = self.link(deliberation_id)
        return f"{link} (while it runs: parley up)" if link and self.address.embedded else link


@asynccontextmanager
async def open_session(
    settings: Settings, say: Say, *, worker: Worker = "needed", rehearse: bool = False, of: str | None = None
) -> AsyncIterator[Session]:
    """Everything that is asked for; what was started is stopped at the end of the block.

    Args:
        settings: Of this process.
        say: Told what a person should know on the way.
        worker: Whether there must be one.
        rehearse: Have a rehearsal server for it.
        of: The deliberation that the session is about; when it is a rehearsal, it gets a rehearsal server too.

    Raises:
        UnknownDeliberationError: there is no deliberation ``of`` that id.
        SetupError: a server is configured and does not answer, serves another installation, or none can be had here;
            see ``resolve_server``.
        ProcessFailedError: the worker or the rehearsal server does not start.
        RequestError: the providers file cannot be used.
    """
    target = temporal_target(settings)
    async with AsyncExitStack() as stack:
        ours = await known_installation(settings)
        address = await stack.enter_async_context(resolve_server(settings, target, columns.ALL, say, ours))
        parley = await Parley.attach(settings, address=address.address)
        rehearse = rehearse or (of is not None and (await parley.about(of)).rehearsal)
        if worker != "none" and await is_worker_wanted(parley, target, worker, say):
            if rehearse and settings.rehearsal_url is None:
                url = await stack.enter_async_context(rehearsal_server(settings))
                settings = settings.model_copy(update={"rehearsal_url": url})
            variables = _variables(settings, target, address)
            await stack.enter_async_context(kept_worker(settings, variables, say))
        yield Session(parley=parley, address=address)


@asynccontextmanager
async def rehearsal_server(settings: Settings) -> AsyncIterator[str]:
    """The address of a rehearsal server: of the one that runs on ``rehearsal_port``, else of one that is started.

    Raises:
        ProcessFailedError: it does not start, for example because something else listens on the port.
    """
    url = f"http://127.0.0.1:{settings.rehearsal_port}"
    if await is_rehearsal_server(url):
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="parley-") as directory:
        file = Path(directory) / "ready"
        child = await Child.start(
            "rehearsal",
            ["--port", str(settings.rehearsal_port), "--ready-file", str(file)],
            log=settings.home / "rehearsal.log",
            variables={},
        )
        try:
            await child.ready(file, within=_READY_SECONDS)
            yield url
        finally:
            await child.stop(patience=_STOP_SECONDS)


async def is_rehearsal_server(url: str) -> bool:
    """Whether a rehearsal server answers at ``url``."""
    try:
        async with httpx.AsyncClient(trust_env=False, timeout=2.0) as http:
            return (await http.get(f"{url}/rehearsal/health")).is_success
    except httpx.HTTPError:
        return False


async def is_worker_wanted(parley: Parley, target: Target, worker: Worker, say: Say) -> bool:
    """Whether a worker is to be started here; ``say`` is told when one is missing where nothing may be started."""
    if worker == "own":
        return True
    if await pollers(parley.client, TASK_QUEUE):
        return False
    if target.configured and not is_loopback(target.address):
        say(
            f"nobody works on the queue {TASK_QUEUE!r} at {target.address} now. The deliberation waits there until a "
            "worker is started (python -m worker)."
        )
        return False
    return True


def _variables(settings: Settings, target: Target, address: Address) -> dict[str, str]:
    told = as_variables(settings)
    if settings.rehearsal_url is not None:
        told[f"{PREFIX}REHEARSAL_URL"] = settings.rehearsal_url
    if not target.configured:
        told["TEMPORAL_ADDRESS"] = address.address
    return told
