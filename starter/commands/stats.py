"""``parley stats``: show averages over all consensuses of the ledger."""

from typing import TYPE_CHECKING

import click

from starter.commands.parameters import json_option
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from runtime.settings import Settings


@click.command("stats")
@json_option
@with_settings
async def command(settings: "Settings", *, json: bool) -> None:
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
