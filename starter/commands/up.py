"""``parley up``: run everything that deliberations need, in the foreground."""

from typing import TYPE_CHECKING

import click

from starter.handlers.command_runner import run

if TYPE_CHECKING:
    from runtime.settings import Settings


@click.command("up")
@click.option("--rehearse", is_flag=True, help="Run scripted models too, for deliberations with --rehearse.")
def command(*, rehearse: bool) -> None:
    """Run a server, a worker and what the Web UI needs, until Ctrl-C.

    A server or a worker that dies is replaced. Ctrl-C lets the calls in flight be answered and recorded; a second one
    does not.
    """

    async def work(settings: "Settings") -> None:
        from starter.handlers.installation import keep_running

        await keep_running(settings, rehearse=rehearse)

    run(work, interrupted=0)
