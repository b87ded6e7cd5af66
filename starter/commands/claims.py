"""``parley claims``: the registries of a debate, while it runs and afterwards."""

import click
from temporalio.service import RPCError

from parley import workflow_rpc
from parley.client import Parley
from parley.errors import VERDICT, DeliberationFailedError, NoSuchQueryError, RequestError
from parley.notices import notify
from parley.results import AnyResult
from parley.session import open_session
from parley.watch import QUERY_SECONDS
from protocols.debate.model.io import DebateResult
from protocols.debate.model.state import DebateState
from runtime.settings import Settings
from starter.command_runner import run
from starter.terminal import as_json, console
from starter.views.claims import registries


@click.command("claims")
@click.argument("deliberation_id", metavar="ID")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def command(deliberation_id: str, json_: bool) -> None:
    """Show what is claimed in the debate ID, on which evidence, what is decided, and how everybody stands.

    Of a debate that runs a worker tells it; of one that is over the server does.
    """

    async def work(settings: Settings) -> int:
        async with open_session(settings, notify, worker="none") as session:
            state = await _state(session.parley, deliberation_id)
        if json_:
            click.echo(as_json(state.model_dump(mode="json")))
        else:
            console().print(registries(state))
        return VERDICT

    run(work, json=json_)


async def _state(parley: Parley, deliberation_id: str) -> DebateState:
    if (await parley.about(deliberation_id)).status == "running":
        return await _asked(parley, deliberation_id)
    result = await _result(parley, deliberation_id)
    if not isinstance(result, DebateResult):
        protocol = "deliberation that came to nothing" if result is None else result.protocol.replace("_", " ")
        raise NoSuchQueryError(f"{deliberation_id}: a {protocol} has no claims")
    return result.state


async def _asked(parley: Parley, deliberation_id: str) -> DebateState:
    handle = parley.deliberation(deliberation_id).handle
    try:
        return await workflow_rpc.ask(handle, workflow_rpc.CLAIMS, within=QUERY_SECONDS)
    except RPCError as error:
        raise RequestError(f"no worker answers ({error.message}). Start one with: parley up") from None


async def _result(parley: Parley, deliberation_id: str) -> AnyResult | None:
    try:
        return await parley.result(deliberation_id)
    except DeliberationFailedError as failed:
        return failed.result
