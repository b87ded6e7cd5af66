"""Commands that show results."""

from typing import TYPE_CHECKING

import click

from parley.notices import notify
from starter.commands.parameters import deliberation_id, json_option
from starter.handlers.command_runner import with_session, with_settings

if TYPE_CHECKING:
    from parley.client import Parley
    from parley.listing import Listed
    from parley.session import Session
    from protocols.debate.model.state import DebateState
    from protocols.deliberation import DeliberationResult
    from runtime.settings import Settings


@click.command("list")
@click.option("--query", help="Temporal's list filter, as in: Protocol = 'council' AND CostUsd > 0.1; by default none.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, help="Deliberations to list.")
@json_option
@with_session
async def list_command(session: "Session", *, query: str | None, limit: int, json: bool) -> None:
    """List deliberations, the newest first."""
    from starter.terminal import print_result
    from starter.views.lists import deliberations

    lines = await session.parley.list(query, limit=limit)
    print_result({"deliberations": [line.model_dump(mode="json") for line in lines]}, deliberations(lines), json=json)


@click.command("show")
@deliberation_id
@json_option
@click.option("--transcript", is_flag=True, help="Show the whole transcript, too.")
@with_settings
async def show_command(settings: "Settings", *, deliberation_id: str, json: bool, transcript: bool) -> int:
    """Show the result of the deliberation ID, or the progress while it runs."""
    from parley.errors import UnknownDeliberationError
    from parley.failures import no_verdict
    from runtime.errors import CannotReachTemporalError
    from starter.handlers.show_result import print_result

    try:
        return await _from_server(settings, deliberation_id, json=json, transcript=transcript)
    except (UnknownDeliberationError, CannotReachTemporalError) as error:
        result = await _in_ledger(settings, deliberation_id)
        if result is None:
            raise
        notify(f"from the ledger, because {error}")
        return print_result(deliberation_id, result, no_verdict(result), json=json, transcript=transcript)


async def _from_server(settings: "Settings", deliberation_id: str, *, json: bool, transcript: bool) -> int:
    from parley.session import open_session
    from starter.handlers.show_result import conclude

    async with open_session(settings, notify, worker="none") as session:
        line = await session.parley.about(deliberation_id)
        if line.status == "running":
            return await _progress(session, line, json=json)
        deliberation = session.parley.deliberation(deliberation_id)
        return await conclude(session, deliberation, json=json, transcript=transcript)


async def _progress(session: "Session", line: "Listed", *, json: bool) -> int:
    from rich.console import Group

    from parley.errors import VERDICT
    from parley.watch import Sight, look
    from starter.handlers.show_result import spent_as_json
    from starter.terminal import print_result
    from starter.views.lists import deliberations
    from starter.views.progress import as_renderable

    sight = await look(session.parley.deliberation(line.id).handle, Sight(deliberation_id=line.id))
    seen = sight.model_dump(mode="json")
    if sight.progress is not None:
        seen["progress"]["spent"] = spent_as_json(sight.progress.spent)
    document = {**line.model_dump(mode="json"), **seen, "error": None}
    print_result(document, Group(deliberations([line]), as_renderable(sight)), json=json)
    if not json:
        notify(f"it still runs; follow it with: parley watch {line.id}")
    return VERDICT


async def _in_ledger(settings: "Settings", deliberation_id: str) -> "DeliberationResult | None":
    from pydantic import ValidationError

    from ledger.reading import LedgerReader, StoreError
    from parley.errors import RequestError
    from parley.results import parse_result

    try:
        async with LedgerReader(settings.database_url) as ledger:
            found = await ledger.result(deliberation_id)
    except StoreError as error:
        notify(f"the ledger cannot be read either: {error}")
        return None
    try:
        return None if found is None else parse_result(found)
    except ValidationError:
        raise RequestError(f"the ledger has {deliberation_id} in a form that this version cannot read") from None


@click.command("claims")
@deliberation_id
@json_option
@with_session
async def claims_command(session: "Session", *, deliberation_id: str, json: bool) -> None:
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
    from parley.debate_rpc import CLAIMS
    from parley.errors import RequestError
    from parley.watch import QUERY_SECONDS

    handle = parley.deliberation(deliberation_id).handle
    try:
        return await workflow_rpc.ask(handle, CLAIMS, within=QUERY_SECONDS)
    except RPCError as error:
        raise RequestError(f"no worker answers ({error.message}). Start one with: parley up") from None


async def _result(parley: "Parley", deliberation_id: str) -> "DeliberationResult | None":
    from parley.errors import DeliberationFailedError

    try:
        return await parley.result(deliberation_id)
    except DeliberationFailedError as failed:
        return failed.result


@click.command("stats")
@json_option
@with_settings
async def stats_command(settings: "Settings", *, json: bool) -> None:
    """Show conversations per day, average rounds and votes of iterative consensus, from the ledger.

    Rehearsals are counted apart.
    """
    from ledger.reading import LedgerReader
    from starter.terminal import print_result
    from starter.views.stats import stats

    async with LedgerReader(settings.database_url) as ledger:
        real = await ledger.consensus_stats(rehearsal=False)
        rehearsal = await ledger.consensus_stats(rehearsal=True)
    document = {"real": real.model_dump(mode="json"), "rehearsal": rehearsal.model_dump(mode="json")}
    print_result(document, stats(real, rehearsal), json=json)
