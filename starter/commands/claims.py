"""``parley claims``: show the registries of a debate, while it runs and afterwards."""

from typing import TYPE_CHECKING

import click

from starter.commands.parameters import deliberation_id, json_option
from starter.handlers.command_runner import with_session

if TYPE_CHECKING:
    from parley.client import Parley
    from parley.session import Session
    from protocols.debate.model.state import DebateState
    from protocols.deliberation import DeliberationResult


@click.command("claims")
@deliberation_id
@json_option
@with_session
async def command(session: "Session", *, deliberation_id: str, json: bool) -> None:
    """Show the claims of the debate ID with their evidence, the decisions, and the present positions.

    While the debate runs they come from a worker, afterwards from the server.
    """
    from protocols.debate.registry_tables import state_tables
    from starter.terminal import print_result
    from starter.views.tables import render

    state = await _state(session.parley, deliberation_id)
    print_result(state.model_dump(mode="json"), render(state_tables(state)), json=json)


async def _state(parley: "Parley", deliberation_id: str) -> "DebateState":
    from parley.errors import NoSuchQueryError
    from protocols.debate.model.io import DebateResult

    if (await parley.about(deliberation_id)).status == "running":
        return await _queried(parley, deliberation_id)
    result = await _result(parley, deliberation_id)
    if not isinstance(result, DebateResult):
        protocol = "deliberation without a result" if result is None else result.protocol.replace("-", " ")
        raise NoSuchQueryError(f"{deliberation_id}: a {protocol} has no claims")
    return result.state


async def _queried(parley: "Parley", deliberation_id: str) -> "DebateState":
    from temporalio.service import RPCError

    from parley import workflow_rpc
    from parley.errors import RequestError
    from parley.watch import QUERY_SECONDS

    handle = parley.deliberation(deliberation_id).handle
    try:
        return await workflow_rpc.ask(handle, workflow_rpc.CLAIMS, within=QUERY_SECONDS)
    except RPCError as error:
        raise RequestError(f"no worker answers ({error.message}). Start one with: parley up") from None


async def _result(parley: "Parley", deliberation_id: str) -> "DeliberationResult | None":
    from parley.errors import DeliberationFailedError

    try:
        return await parley.result(deliberation_id)
    except DeliberationFailedError as failed:
        return failed.result
