"""``parley patterns``: list the manipulation patterns that fire circles found."""

from typing import TYPE_CHECKING, Any

import click

from protocols.fire_circle.model import UNCLASSIFIED, PatternType
from starter.commands.parameters import json_option
from starter.handlers.command_runner import with_settings
from starter.terminal import print_result

if TYPE_CHECKING:
    from runtime.settings import Settings

_TYPES = [*(kind.value for kind in PatternType), UNCLASSIFIED]


@click.command("patterns")
@click.option("--type", "pattern_type", type=click.Choice(_TYPES), help="Only patterns of this type; by default all.")
@click.option(
    "--min-agreement", type=click.FloatRange(0, 1), default=0.0, help="Only patterns that this share of models named."
)
@click.option("--attack", "attack_id", help="Only patterns of this attack or deliberation id; by default of all.")
@click.option("--rehearsals", is_flag=True, help="Show those of rehearsals too, apart and under their label.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, help="Most patterns of each kind.")
@json_option
@with_settings
async def patterns_command(settings: "Settings", /, *, rehearsals: bool, json: bool, **which: Any) -> None:
    """List the patterns that fire circles found, the newest circle first.

    Those of real models only, unless rehearsals are asked for.
    """
    from ledger.reading import LedgerReader
    from starter.views.lists import patterns

    async with LedgerReader(settings.database_url) as ledger:
        real = await ledger.patterns(**which)
        rehearsal = await ledger.patterns(**which, rehearsal=True) if rehearsals else None
    kinds = {"real": real, **({} if rehearsal is None else {"rehearsal": rehearsal})}
    print_result(kinds, patterns(real, rehearsal), json=json)
