"""``parley rewind``: branch off from an earlier round of a deliberation."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from parley.notices import notify
from starter.commands.parameters import (
    deliberation_id,
    detach_option,
    force_option,
    json_option,
    key_check_option,
    output_option,
)
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from runtime.settings import Settings


@click.command("rewind")
@deliberation_id
@click.option("--to-round", type=int, required=True, help="The last round that both have in common, 1 or more.")
@click.option(
    "--set", "sets", multiple=True, metavar="SEAT=MODEL", help="The model there from then on; by default the old."
)
@click.option("--id", "new_id", help="The new deliberation's id; by default the old one's with -rewind- and a number.")
@detach_option
@json_option
@output_option
@force_option
@key_check_option
@with_settings
async def command(
    settings: "Settings",
    *,
    deliberation_id: str,
    to_round: int,
    sets: tuple[str, ...],
    new_id: str | None,
    detach: bool,
    json: bool,
    output: Path | None,
    force: bool,
    key_check: bool,
) -> int | None:
    """Start a deliberation that shares the rounds of ID up to one, and goes on from there in another way.

    No call of the shared rounds is paid again. ID may be over or still run; nothing of it changes. The stages of a
    council are its rounds: 1 opinions, 2 review, 3 synthesis. The seats are those of parley replace; models.a, models.b
    … are the participants in their order.
    """
    from parley.model_warnings import model_warnings_as_lines
    from parley.rewind import assignments, rewind
    from parley.session import open_session
    from starter.handlers.show_result import conclude, follow
    from starter.handlers.verdict_file import check_output
    from starter.terminal import as_json, console

    check_output(output, force=force, detach=detach)
    seats = assignments(sets)
    async with open_session(settings, notify, worker="none" if detach else "needed", of=deliberation_id) as session:
        with model_warnings_as_lines():
            parley = session.parley
            branch = await rewind(parley, deliberation_id, to_round, seats, new_id=new_id, check_keys=key_check)
        if detach:
            found = {"deliberation_id": branch.id, "link": session.link(branch.id)}
            click.echo(as_json(found) if json else branch.id)
            return None
        notify(f"deliberation {branch.id}: {deliberation_id} up to round {to_round}, and on from there")
        await follow(branch, console(to_stderr=True))
        return await conclude(session, branch, json=json, output=output, force=force)
