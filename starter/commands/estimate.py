"""``parley estimate``: estimate the cost of a deliberation before anything is spent."""

from typing import TYPE_CHECKING, Any, get_args

import click

from parley.call_plans import Estimated
from protocols.debate.model.io import ModeName
from protocols.vote.presets import PRESETS
from starter.commands.parameters import json_option, panel_option, split
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from runtime.settings import Settings

_PROTOCOLS = [
    *(name.replace("_", "-") for name in get_args(Estimated)),
    *(name for name in PRESETS if name != "single"),
]


@click.command("estimate")
@click.argument("protocol", type=click.Choice(_PROTOCOLS))
@click.option("--models", multiple=True, callback=split, help="Models that answer: a,b,c; by default the panel's.")
@panel_option
@click.option("--chair", help="Model that concludes: chair, curator, synthesiser …; by default the panel's.")
@click.option(
    "--rounds", type=int, help="Most rounds of a consensus, fire circle or debate; by default the protocol's."
)
@click.option("--samples", type=int, help="Of each model in a vote; by default 1, and 5 in self-consistency.")
@click.option("--layers", type=int, help="Layers of a mixture's proposers; by default 2.")
@click.option("--mode", type=click.Choice(get_args(ModeName)), help="Of a debate; by default collaborative.")
@click.option("--question", help="The question: text, @FILE, or - for standard input; by default of usual length.")
@click.option("--file", "file", help="File with the question, - is standard input; by default --question.")
@click.option("--tokens", type=click.IntRange(1, 10_000_000), help="Length of the question; by default a usual one.")
@json_option
@with_settings
async def command(settings: "Settings", /, *, protocol: str, json: bool, **given: Any) -> None:
    """Print how many calls, tokens and dollars a deliberation may take, from the shortest to the longest.

    Nothing is asked and nothing is spent. Prices are those of the price list; one that is not in it is unknown.
    """
    from starter.handlers.estimate_cost import print_estimate

    print_estimate(settings, protocol, given, json=json)
