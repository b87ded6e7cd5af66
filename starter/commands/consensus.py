"""``parley consensus``: have three models improve one answer, follow them, and show what they agree on."""

from typing import Any, cast

import click

from parley.client import Parley
from parley.deliberations import Deliberation
from parley.options.consensus import ConsensusKeywords, ConsensusOptions
from protocols.consensus.model import ConsensusResult
from starter.commands.ask_options import AskCommand, answer_option, ask, asked, question_options, usual_options


@click.command("consensus")
@question_options
@click.option("--generator", help="Who answers first, and begins every round.")
@click.option("--refiner", help="Who evaluates the draft after the generator.")
@click.option("--validator", help="Who evaluates the draft after the refiner.")
@click.option("--curator", help="Who polishes what all accepted; may be one of the three.")
@click.option("--max-rounds", type=int, help="After so many rounds the last draft is the verdict; 1 to 50.")
@click.option("--majority-after", type=int, help="After so many rounds more than half are enough to stop.")
@click.option(
    "--deadlock-after",
    type=int,
    help="Stop when so many rounds in a row checked the same draft; 5 by default, 0 switches it off.",
)
@click.option(
    "--carry-corrections/--no-carry-corrections",
    default=None,
    help="Show the corrections of a check to the next round's generator.",
)
@answer_option
@usual_options
def command(**given: Any) -> None:
    """Have three models answer one QUESTION by consensus, and show what they agree on.

    One answers; in turn they improve the draft and then all judge it, round after round, until all accept. A curator
    polishes what they accepted. Without --timeout an answer may take as long as it takes.
    """
    ask(given, AskCommand(ConsensusOptions, _start, asked))


async def _start(parley: Parley, question: str, options: ConsensusOptions) -> Deliberation[ConsensusResult]:
    return await parley.start_consensus(question, **cast("ConsensusKeywords", options.model_dump()))
