"""``parley patterns``: what the fire circles found, for whoever builds a library of patterns."""

from collections.abc import Mapping
from typing import Any

import click

from ledger.pattern_bank import PatternEntry
from ledger.reading import LedgerReader, StoreError
from parley.errors import VERDICT
from parley.ledger_refusals import ledger_refusal
from protocols.fire_circle.model import UNCLASSIFIED, PatternType
from runtime.settings import Settings
from starter.command_runner import run
from starter.terminal import as_json, console
from starter.views.patterns import patterns

_TYPES = [*(kind.value for kind in PatternType), UNCLASSIFIED]


@click.command("patterns")
@click.option("--type", "pattern_type", type=click.Choice(_TYPES), help="Only patterns of this type.")
@click.option(
    "--min-agreement", type=click.FloatRange(0, 1), default=0.0, help="Only patterns that this share of models named."
)
@click.option("--attack", "attack_id", help="Only patterns of this attack, or of the deliberation of this id.")
@click.option("--rehearsals", is_flag=True, help="Show those of rehearsals too, apart and under their label.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Of each kind.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def command(rehearsals: bool, json_: bool, **which: Any) -> None:
    """List the patterns that fire circles found, the newest circle first.

    Those of real models only, unless rehearsals are asked for.
    """

    async def work(settings: Settings) -> int:
        real, rehearsal = await _found(settings, which, rehearsals=rehearsals)
        if json_:
            kinds = {"real": real, **({} if rehearsal is None else {"rehearsal": rehearsal})}
            told = {kind: [one.model_dump(mode="json") for one in entries] for kind, entries in kinds.items()}
            click.echo(as_json(told))
        else:
            console().print(patterns(real, rehearsal))
        return VERDICT

    run(work, json=json_)


async def _found(
    settings: Settings, which: Mapping[str, Any], *, rehearsals: bool
) -> tuple[tuple[PatternEntry, ...], tuple[PatternEntry, ...] | None]:
    try:
        async with LedgerReader(settings.database_url) as ledger:
            real = await ledger.patterns(**which)
            return real, await ledger.patterns(**which, rehearsal=True) if rehearsals else None
    except StoreError as error:
        raise ledger_refusal(error) from None
