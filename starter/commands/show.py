"""``parley show``: how a deliberation came out, from the server or, when it has forgotten, from the ledger."""

import click
from pydantic import ValidationError

from ledger.reading import LedgerReader, StoreError
from parley.errors import VERDICT, RequestError, UnknownDeliberationError
from parley.failures import no_verdict
from parley.listing import Listed
from parley.notices import notify
from parley.results import RESULT, AnyResult
from parley.session import Session, open_session
from parley.watch import Sight, look
from runtime.errors import CannotReachTemporalError
from runtime.settings import Settings
from starter.command_runner import run
from starter.show_result import conclude, spent_as_json, tell
from starter.terminal import as_json, console
from starter.views.lists import deliberations
from starter.views.progress import drawn


@click.command("show")
@click.argument("deliberation_id", metavar="ID")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
@click.option("--transcript", is_flag=True, help="Show everything that was said, too.")
def command(deliberation_id: str, json_: bool, transcript: bool) -> None:
    """Show how the deliberation ID came out; of one that runs, where it stands."""

    async def work(settings: Settings) -> int:
        try:
            return await _from_server(settings, deliberation_id, json=json_, transcript=transcript)
        except (UnknownDeliberationError, CannotReachTemporalError) as error:
            result = await _in_ledger(settings, deliberation_id)
            if result is None:
                raise
            notify(f"from the ledger, because {error}")
            return tell(deliberation_id, result, no_verdict(result), json=json_, transcript=transcript)

    run(work, json=json_)


async def _from_server(settings: Settings, deliberation_id: str, *, json: bool, transcript: bool) -> int:
    async with open_session(settings, notify, worker="none") as session:
        line = await session.parley.about(deliberation_id)
        if line.status == "running":
            return await _standing(session, line, json=json)
        deliberation = session.parley.deliberation(deliberation_id)
        return await conclude(session, deliberation, json=json, transcript=transcript)


async def _standing(session: Session, line: Listed, *, json: bool) -> int:
    sight = await look(session.parley.deliberation(line.id).handle, Sight(deliberation_id=line.id))
    if json:
        seen = sight.model_dump(mode="json")
        if sight.progress is not None:
            seen["progress"]["spent"] = spent_as_json(sight.progress.spent)
        click.echo(as_json({**line.model_dump(mode="json"), **seen, "error": None}))
        return VERDICT
    console().print(deliberations([line]), drawn(sight))
    notify(f"it is not over; follow it with: parley watch {line.id}")
    return VERDICT


async def _in_ledger(settings: Settings, deliberation_id: str) -> AnyResult | None:
    try:
        async with LedgerReader(settings.database_url) as ledger:
            found = await ledger.result(deliberation_id)
    except StoreError as error:
        notify(f"the ledger cannot be read either: {error}")
        return None
    try:
        return None if found is None else RESULT.validate_python(found)
    except ValidationError:
        raise RequestError(f"the ledger has {deliberation_id} in a way that this version does not know") from None
