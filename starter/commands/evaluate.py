"""``parley evaluate``: have one model, or several without a dialogue, judge a prompt."""

from typing import Any, cast

import click

from parley.client import Parley
from parley.deliberations import Deliberation
from parley.options.fire_circle import EvaluateKeywords, EvaluateOptions
from protocols.fire_circle.modes import EvaluateResult
from starter.commands.ask_options import AskCommand, ask, usual_options
from starter.commands.prompt_options import Prompt, asked, exit_code, prompt_options


@click.command("evaluate")
@prompt_options
@click.option("--mode", type=click.Choice(["single", "parallel"]), help="One model alone, or all of them at once.")
@usual_options
def command(**given: Any) -> None:
    """Have one model, or several without a dialogue, judge a prompt: the baselines of a fire circle.

    Single asks the first of the models. Parallel asks all and takes the mean.
    """
    code = exit_code(given)
    ask(given, AskCommand(EvaluateOptions, _start, asked, code))


async def _start(parley: Parley, wanted: Prompt, options: EvaluateOptions) -> Deliberation[EvaluateResult]:
    layers, session = wanted
    keywords = cast("EvaluateKeywords", options.model_dump())
    return await parley.start_evaluate(layers, session=session, **keywords)
