"""``parley council``: ask a council, follow it, and show its verdict."""

from typing import Any, cast

import click

from parley.client import Parley
from parley.deliberations import Deliberation
from parley.options.council import CouncilKeywords, CouncilOptions
from protocols.council.model import CouncilResult
from starter.commands.ask_options import AskCommand, answer_option, ask, asked, question_options, split, usual_options


@click.command("council")
@question_options
@click.option("--models", multiple=True, callback=split, help="Who takes part: a,b,c; may be repeated.")
@click.option("--chair", "--chairman", "chair", help="Who concludes.")
@click.option("--chair-fallbacks", multiple=True, callback=split, help="Who concludes when the chair is lost.")
@click.option("--final-only/--no-final-only", default=None, help="Skip the review.")
@click.option("--exclude-self-votes/--no-exclude-self-votes", default=None, help="Nobody ranks its own answer.")
@answer_option
@usual_options
def command(**given: Any) -> None:
    """Ask a council of models one QUESTION, and show its verdict.

    Every model answers, every model ranks all answers without knowing whose they are, and the chair concludes.
    """
    ask(given, AskCommand(CouncilOptions, _start, asked))


async def _start(parley: Parley, question: str, options: CouncilOptions) -> Deliberation[CouncilResult]:
    return await parley.start_council(question, **cast("CouncilKeywords", options.model_dump()))
