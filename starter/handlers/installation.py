"""The installation that ``parley up`` keeps running."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from typing import NoReturn

from temporalio.client import Client
from temporalio.service import RPCError

from parley.catalogue import ProviderLine, Providers
from parley.errors import RequestError
from parley.notices import notify
from parley.replay_check import replay_running
from parley.session import Session, open_session
from parley.workers import pollers
from protocols.task_queues import TASK_QUEUE
from runtime.capacity import limit_of_calls
from runtime.codec_endpoint import codec_endpoint
from runtime.errors import PayloadError, missing_namespace
from runtime.file_locks import PidFile, running_process, worker_file
from runtime.local_server import owned_server
from runtime.ports import ports_to_set
from runtime.settings import Settings
from starter.doctor.checkup import check_texts
from starter.views.tables import REHEARSAL

_PID_FILE = "up.pid"
_LOOK_SECONDS = 5.0


async def keep_running(settings: Settings, *, rehearse: bool) -> None:
    """Run a server, workers and the endpoint of the Web UI until this task is cancelled."""
    refuse_second(settings)
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(open_session(settings, notify, worker="own", rehearse=rehearse))
        stack.enter_context(noted(settings))
        await stack.enter_async_context(codec_endpoint(settings))
        notify(f"Home: {settings.home}")
        notify(f"Temporal: {session.address.address}")
        notify(f"Web UI: {session.address.ui_url}" if session.address.ui_url else "Web UI: at the Temporal server")
        if rehearse:
            notify(REHEARSAL)
        elif notice := note_missing_keys(Providers.of(settings).lines()):
            notify(notice)
        notify(f"Workers: {limit_of_calls(settings.workers, settings.max_concurrent_calls)}")
        notify(f"{_logs(settings)}. Ready; Ctrl-C ends it.")
        await name_unreadable(session)
        try:
            await _report_missing_namespace(session.parley.client)
        finally:
            notify("stopping; calls in flight are answered and recorded first (Ctrl-C again leaves at once)")


def note_missing_keys(providers: Sequence[ProviderLine]) -> str | None:
    """Return a notice of the models that can be asked without a key, or ``None`` if a provider has one."""
    if any(line.key == "set" for line in providers):
        return None
    keyless = [line.name for line in providers if line.key == "not needed"]
    others = f"only models of {' and '.join(keyless)} can be asked" if keyless else "no model can be asked"
    return (
        f"No provider has a key, so {others}: set a key variable (parley models lists them), or end this and start "
        "scripted models with: parley up --rehearse"
    )


def _logs(settings: Settings) -> str:
    names = [str(worker_file(settings.home, number, "log")) for number in range(1, settings.workers + 1)]
    return f"The worker's log is {names[0]}" if len(names) == 1 else f"The workers' logs are {', '.join(names)}"


def refuse_second(settings: Settings) -> None:
    """Refuse to run beside another ``parley up`` of the same home.

    Raises:
        RequestError: one runs; the message names its process and the remedy.
    """
    pid = running_process(settings.home / _PID_FILE)
    if pid is None:
        return
    ui_port = (owned_server(settings) or settings).ui_port
    raise RequestError(
        f"parley up runs here already (pid {pid}, home {settings.home}). Use it as it is: every command of this home "
        f"does, and its Web UI is http://localhost:{ui_port}. To start another in its place: kill {pid}. "
        f"For an installation beside it, set PARLEY_HOME to another directory, and {ports_to_set()}."
    )


@contextmanager
def noted(settings: Settings) -> Iterator[None]:
    """Keep a note of this process while the block runs, which a second ``parley up`` finds."""
    note = PidFile(settings.home / _PID_FILE)
    if not note.write():
        refuse_second(settings)
    try:
        yield
    finally:
        note.remove()


async def _report_missing_namespace(client: Client) -> NoReturn:
    """Report a namespace that is gone: workers poll it in vain, and only their logs name the cause."""
    said = ""
    while True:
        try:
            await pollers(client, TASK_QUEUE)
            said = ""
        except RPCError as error:  # of a server that is away nothing is known
            if (missing := missing_namespace(error)) and said != (said := str(missing)):
                notify(said)
        await asyncio.sleep(_LOOK_SECONDS)


async def name_unreadable(session: Session) -> None:
    """Print unreadable results, and deliberations that this version cannot continue; ignore an absent server."""
    with suppress(RPCError, PayloadError):
        texts = await check_texts(session.parley.client, session.parley.settings)
        if not texts.ok:
            notify(f"A result cannot be read: {texts.found} {texts.remedy}".rstrip())
        async for replay in replay_running(session.parley.client, only_other_code=True):
            if not replay.ok:
                notify(replay.explanation)
