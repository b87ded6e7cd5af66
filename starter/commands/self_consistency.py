"""``parley self-consistency``: ask one model several times, and show its most frequent answer."""

from typing import Any, cast

import click

from parley.client import Parley
from parley.deliberations import Deliberation
from parley.options.equal_cost import SelfConsistencyKeywords, SelfConsistencyOptions
from protocols.self_consistency.model import SelfConsistencyResult
from starter.commands.ask_options import AskCommand, answer_option, ask, asked, question_options, usual_options


@click.command("self-consistency")
@question_options
@click.option("--model", help="Who is asked.")
@click.option("--samples", type=int, help="How often; 1 to 64, 5 by default.")
@answer_option
@usual_options
def command(**given: Any) -> None:
    """Ask one model one QUESTION several times, and show its most frequent answer.

    Every sample is asked alone and for a final answer; of equally frequent answers the earliest wins. With several
    samples and no --temperature, the temperature is 0.7.
    """
    ask(given, AskCommand(SelfConsistencyOptions, _start, asked))


async def _start(parley: Parley, question: str, options: SelfConsistencyOptions) -> Deliberation[SelfConsistencyResult]:
    return await parley.start_self_consistency(question, **cast("SelfConsistencyKeywords", options.model_dump()))
