"""``parley up``: everything that deliberations need, in the foreground."""

import asyncio
from contextlib import AsyncExitStack

import click

from runtime.codec_endpoint import codec_endpoint
from runtime.settings import Settings
from starter.errors import VERDICT
from starter.exits import run, say
from starter.session import open_session
from starter.views.progress import REHEARSAL


@click.command("up")
@click.option("--rehearse", is_flag=True, help="Run scripted models too, for deliberations with --rehearse.")
def command(rehearse: bool) -> None:
    """Run a server, a worker and what the Web UI needs, until Ctrl-C.

    A server or a worker that dies is replaced. Ctrl-C lets the calls in flight be answered and written down; a second
    one does not.
    """

    async def work(settings: Settings) -> int:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(codec_endpoint(settings))
            session = await stack.enter_async_context(open_session(settings, say, worker="own", rehearse=rehearse))
            say(f"Temporal: {session.address.address}")
            say(f"Web UI: {session.address.ui_url}" if session.address.ui_url else "Web UI: see where the server runs")
            if rehearse:
                say(REHEARSAL)
            say(f"The worker's log is {settings.home / 'worker.log'}. Ready; Ctrl-C ends it.")
            try:
                await asyncio.Event().wait()
            finally:
                say("stopping; calls in flight are answered and written down first (Ctrl-C again leaves at once)")
        return VERDICT

    run(work, interrupted=VERDICT)
