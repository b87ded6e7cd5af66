"""``parley rewind``: go on from an earlier round of a deliberation in another way."""

from typing import Any

import click

from parley.errors import VERDICT
from parley.model_warnings import model_warnings_as_lines
from parley.notices import notify
from parley.rewind import assignments, rewind
from parley.session import Worker, open_session
from runtime.settings import Settings
from starter.command_runner import run
from starter.commands.ask_options import OUTPUT
from starter.show_result import conclude, follow
from starter.terminal import as_json, console
from starter.verdict_file import check_output


@click.command("rewind")
@click.argument("deliberation_id", metavar="ID")
@click.option("--to-round", type=int, required=True, help="The last round that both have in common, 1 or more.")
@click.option("--set", "sets", multiple=True, metavar="SEAT=MODEL", help="Who sits there from then on; repeatable.")
@click.option("--id", "new_id", help="The new deliberation's id; by default the old one's with -rewind- behind it.")
@click.option("--detach", is_flag=True, help="Print the id and do not wait. Somebody else must run a worker.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document and nothing else on standard output.")
@OUTPUT[0]
@OUTPUT[1]
@click.option("--key-check/--no-key-check", default=True, help="Look for the providers' keys before starting.")
def command(deliberation_id: str, **given: Any) -> None:
    """Start a deliberation that is the same as ID up to a round, and goes on from there in another way.

    No call of the shared rounds is paid again. ID may be over or still run; nothing of it changes. The stages of a
    council are its rounds: 1 opinions, 2 review, 3 synthesis. The seats are those of parley replace; models.a, models.b
    … are the participants in their order.
    """
    json = given["json_"]

    async def work(settings: Settings) -> int:
        check_output(given["output"], force=given["force"], detach=given["detach"])
        seats = assignments(given["sets"])
        worker: Worker = "none" if given["detach"] else "needed"
        async with open_session(settings, notify, worker=worker, of=deliberation_id) as session:
            with model_warnings_as_lines():
                branch = await rewind(
                    session.parley,
                    deliberation_id,
                    given["to_round"],
                    seats,
                    new_id=given["new_id"],
                    check_keys=given["key_check"],
                )
            if given["detach"]:
                found = {"deliberation_id": branch.id, "link": session.link(branch.id)}
                click.echo(as_json(found) if json else branch.id)
                return VERDICT
            notify(f"deliberation {branch.id}: {deliberation_id} up to round {given['to_round']}, and on from there")
            await follow(branch, console(to_stderr=True))
            return await conclude(session, branch, json=json, output=given["output"], force=given["force"])

    run(work, json=json)
