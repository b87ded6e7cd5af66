"""Commands that show results and prompts."""

from typing import TYPE_CHECKING, Any

import click

from parley.errors import VERDICT, DeliberationFailedError, NoSuchQueryError, RequestError, UnknownDeliberationError
from parley.notices import notify
from starter.commands.parameters import deliberation_id, json_option
from starter.handlers.command_runner import with_session, with_settings
from starter.terminal import print_result

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    from starter.views.lists import deliberations

    found = await session.parley.list(query, limit=limit)
    lines = await with_gaps(found, session.parley.settings.database_url)
    print_result({"deliberations": lines}, deliberations(lines), json=json)


async def with_gaps(lines: "Sequence[Listed]", database_url: str) -> "list[Listed]":
    """Return ``lines`` with what their tokens and costs lack, as far as there is a ledger."""
    from ledger.studies.reading import StoreError, StudyReader

    try:
        async with StudyReader(database_url) as ledger:
            gaps = await ledger.gaps([line.id for line in lines])
    except StoreError as error:
        notify(f"not known is which tokens and costs are known in part: {error}")
        return list(lines)
    return [line.model_copy(update=gaps.get(line.run_id, {})) for line in lines]


@click.command("show")
@deliberation_id
@json_option
@click.option("--transcript", is_flag=True, help="Show the whole transcript, too.")
@with_settings
async def show_command(settings: "Settings", *, deliberation_id: str, json: bool, transcript: bool) -> int:
    """Show the result of the deliberation ID, or the progress while it runs."""
    from parley.results import no_verdict
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


@click.command("claims")
@deliberation_id
@json_option
@with_session
async def claims_command(session: "Session", *, deliberation_id: str, json: bool) -> None:
    """Show the claims of the debate ID with their evidence, the decisions, and the present positions.

    While the debate runs they come from a worker, afterwards from the server.
    """
    from protocols.debate.registry_tables import state_tables
    from starter.views.tables import render

    state = await _state(session.parley, deliberation_id)
    print_result(state, render(state_tables(state)), json=json)


@click.command("stats")
@json_option
@with_settings
async def stats_command(settings: "Settings", *, json: bool) -> None:
    """Show conversations per day, average rounds and votes of iterative consensus, from the ledger.

    Rehearsals are counted apart.
    """
    from ledger.reading import LedgerReader
    from starter.views.lists import stats

    async with LedgerReader(settings.database_url) as ledger:
        real = await ledger.consensus_stats(rehearsal=False)
        rehearsal = await ledger.consensus_stats(rehearsal=True)
    print_result({"real": real, "rehearsal": rehearsal}, stats(real, rehearsal), json=json)


@click.command("prompts")
@deliberation_id
@click.option("--seat", help="Of this seat alone; by default of all.")
@click.option("--round", "round_number", type=click.IntRange(min=1), help="Of this round alone; by default of all.")
@click.option("--stage", help="Of this stage alone; by default of all.")
@click.option("--arrived", is_flag=True, help="The requests of a rehearsal, byte for byte as they arrived.")
@json_option
@with_session
async def prompts_command(
    session: "Session", /, *, deliberation_id: str, arrived: bool, json: bool, **which: Any
) -> None:
    """Print the prompts that the deliberation ID has sent, word for word.

    They come from its history, so no worker is needed. With --json no character is left out. With --arrived they are
    the whole requests, parameters included, that the server of parley up --rehearse has kept.
    """
    from parley.prompts import arrived_requests, selected, sent_prompts
    from starter.views.prompts import print_prompts, print_requests

    if arrived:
        requests = await arrived_requests(session.parley.settings.rehearsal_address, deliberation_id)
        print_requests(selected(requests, deliberation_id, **which), json=json)
    else:
        prompts = await sent_prompts(session.parley.client, deliberation_id)
        print_prompts(selected(prompts, deliberation_id, **which), json=json)


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

    from parley.watch import Sight, look
    from starter.handlers.show_result import spent_as_json
    from starter.views.lists import deliberations
    from starter.views.progress import as_renderable

    sight = await look(session.parley.deliberation(line.id).handle, Sight(deliberation_id=line.id))
    seen = sight.model_dump(mode="json")
    if sight.progress is not None:
        seen["progress"]["spent"] = spent_as_json(sight.progress.spent)
    document = {**dict(line), **seen, "error": None}
    print_result(document, Group(deliberations([line]), as_renderable(sight)), json=json)
    if not json:
        notify(f"it still runs; follow it with: parley watch {line.id}")
    return VERDICT


async def _in_ledger(settings: "Settings", deliberation_id: str) -> "DeliberationResult | None":
    from pydantic import ValidationError

    from ledger.reading import LedgerReader, StoreError
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


async def _state(parley: "Parley", deliberation_id: str) -> "DebateState":
    from temporalio.service import RPCError

    from parley import workflow_rpc
    from parley.debate_rpc import CLAIMS
    from parley.watch import QUERY_SECONDS
    from protocols.debate.model.io import DebateResult

    if (await parley.about(deliberation_id)).status == "running":
        handle = parley.deliberation(deliberation_id).handle
        try:
            return await workflow_rpc.ask(handle, CLAIMS, within=QUERY_SECONDS)
        except RPCError as error:
            raise RequestError(f"no worker answers ({error.message}). Start one with: parley up") from None
    result: DeliberationResult | None
    try:
        result = await parley.result(deliberation_id)
    except DeliberationFailedError as failed:
        result = failed.result
    if not isinstance(result, DebateResult):
        protocol = "deliberation without a result" if result is None else result.protocol.replace("-", " ")
        raise NoSuchQueryError(f"{deliberation_id}: a {protocol} has no claims")
    return result.state
