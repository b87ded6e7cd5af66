"""``parley list``: the deliberations of this installation."""

import click

from parley.errors import VERDICT
from parley.notices import notify
from parley.session import open_session
from runtime.settings import Settings
from starter.command_runner import run
from starter.terminal import as_json, console
from starter.views.lists import deliberations


@click.command("list")
@click.option("--query", help="Temporal's list filter, for example: Protocol = 'council' AND CostUsd > 0.1")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True)
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def command(query: str | None, limit: int, json_: bool) -> None:
    """List deliberations, the newest first."""

    async def work(settings: Settings) -> int:
        async with open_session(settings, notify, worker="none") as session:
            lines = await session.parley.list(query, limit=limit)
        if json_:
            click.echo(as_json({"deliberations": [line.model_dump(mode="json") for line in lines]}))
        else:
            console().print(deliberations(lines))
        return VERDICT

    run(work, json=json_)
