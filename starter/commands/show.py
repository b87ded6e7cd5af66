"""``parley show``: show the result of a deliberation, from the server or, when it has forgotten, from the ledger."""

from typing import TYPE_CHECKING

import click

from parley.notices import notify
from starter.commands.parameters import deliberation_id, json_option
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from parley.listing import Listed
    from parley.session import Session
    from protocols.deliberation import DeliberationResult
    from runtime.settings import Settings


@click.command("show")
@deliberation_id
@json_option
@click.option("--transcript", is_flag=True, help="Show the whole transcript, too.")
@with_settings
async def command(settings: "Settings", *, deliberation_id: str, json: bool, transcript: bool) -> int:
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
