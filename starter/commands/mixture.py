"""``parley mixture``: have layers of models better their answers, and show what an aggregator makes of them."""

from typing import Any, cast

import click

from parley.client import Parley
from parley.deliberations import Deliberation
from parley.options.equal_cost import MixtureKeywords, MixtureOptions
from protocols.mixture.model import MixtureResult
from starter.commands.ask_options import AskCommand, answer_option, ask, asked, question_options, split, usual_options


@click.command("mixture")
@question_options
@click.option("--models", multiple=True, callback=split, help="Who proposes, in every layer: a,b,c; may be repeated.")
@click.option("--aggregator", help="Who writes the one answer; by default the first of the models.")
@click.option("--aggregator-fallbacks", multiple=True, callback=split, help="Who does it when the aggregator is lost.")
@click.option("--layers", type=int, help="Layers of proposers before the aggregator; 1 to 5, 2 by default.")
@answer_option
@usual_options
def command(**given: Any) -> None:
    """Hold a mixture of agents on one QUESTION, and show what the aggregator wrote.

    Every model answers; in each further layer every model answers again, having seen all answers of the layer before
    without knowing whose they are; the aggregator makes one answer of the last layer's.
    """
    ask(given, AskCommand(MixtureOptions, _start, asked))


async def _start(parley: Parley, question: str, options: MixtureOptions) -> Deliberation[MixtureResult]:
    return await parley.start_mixture(question, **cast("MixtureKeywords", options.model_dump()))
