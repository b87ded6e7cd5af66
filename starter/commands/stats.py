"""``parley stats``: what the ledger says of all consensuses together."""

import click

from ledger.reading import LedgerReader, StoreError
from ledger.statistics import ConsensusStats
from parley.errors import VERDICT
from parley.ledger_refusals import ledger_refusal
from runtime.settings import Settings
from starter.command_runner import run
from starter.terminal import as_json, console
from starter.views.stats import stats


@click.command("stats")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def command(json_: bool) -> None:
    """Show conversations per day, average rounds and votes from the ledger.

    They are those of iterative consensus. Rehearsals are counted apart.
    """

    async def work(settings: Settings) -> int:
        real, rehearsal = await _counted(settings)
        if json_:
            told = {"real": real.model_dump(mode="json"), "rehearsal": rehearsal.model_dump(mode="json")}
            click.echo(as_json(told))
        else:
            console().print(stats(real, rehearsal))
        return VERDICT

    run(work, json=json_)


async def _counted(settings: Settings) -> tuple[ConsensusStats, ConsensusStats]:
    try:
        async with LedgerReader(settings.database_url) as ledger:
            return await ledger.consensus_stats(rehearsal=False), await ledger.consensus_stats(rehearsal=True)
    except StoreError as error:
        raise ledger_refusal(error) from None
