"""``parley majority``: have a panel vote on one question, and show the plurality's answer."""

from typing import Any, cast

import click

from parley.client import Parley
from parley.deliberations import Deliberation
from parley.options.equal_cost import MajorityKeywords, MajorityOptions
from protocols.majority.model import MajorityResult
from starter.commands.ask_options import AskCommand, answer_option, ask, asked, question_options, split, usual_options


@click.command("majority")
@question_options
@click.option("--models", multiple=True, callback=split, help="Who votes: a,b,c; may be repeated.")
@answer_option
@usual_options
def command(**given: Any) -> None:
    """Have each model of a panel answer one QUESTION alone, once, and show the answer that most of them give.

    Of answers with equally many votes the one wins that the earliest model of the panel gave.
    """
    ask(given, AskCommand(MajorityOptions, _start, asked))


async def _start(parley: Parley, question: str, options: MajorityOptions) -> Deliberation[MajorityResult]:
    return await parley.start_majority(question, **cast("MajorityKeywords", options.model_dump()))
