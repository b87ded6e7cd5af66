"""``parley fire-circle``: have a circle of models judge a prompt, follow them, and show what they found."""

from typing import Any, cast

import click

from parley.client import Parley
from parley.deliberations import Deliberation
from parley.options.fire_circle import FireCircleKeywords, FireCircleOptions
from protocols.fire_circle.modes import FireCircleResult
from starter.commands.ask_options import AskCommand, ask, usual_options
from starter.commands.prompt_options import Prompt, asked, exit_code, prompt_options


@click.command("fire-circle")
@prompt_options
@click.option("--circle-size", help="SMALL (2-3), MEDIUM (4-6) or LARGE (7-10); inferred from the models.")
@click.option("--max-rounds", type=int, help="2 to 4; 3 unless a large circle still disagrees.")
@click.option("--empty-chair/--no-empty-chair", "empty_chair_rotation", default=None, help="Speak for the absent.")
@click.option("--empty-chair-prompt", "empty_chair_prompt_path", help="A file with another prompt for the chair.")
@click.option("--min-viable-models", type=int, help="With fewer active models the circle fails; at least 2.")
@click.option("--pattern-threshold", type=float, help="Share of the active models that must name a pattern.")
@click.option("--pattern-classification", type=click.Choice(["heuristic", "llm"]), help="Keywords, or a cheap model.")
@click.option("--classifier", help="The cheap model.")
@click.option("--early-stop-convergence", type=float, help="Stop when falsehoods spread less than this.")
@usual_options
def command(**given: Any) -> None:
    """Have a circle of models judge a prompt in a dialogue, and show what they found.

    Round 1 is blind; in round 2 they look for patterns in what all said, one of them speaking for the absent; round 3
    refines. The finding is the highest falsehood that any model still in the circle saw in any round.
    """
    code = exit_code(given)
    ask(given, AskCommand(FireCircleOptions, _start, asked, code))


async def _start(parley: Parley, wanted: Prompt, options: FireCircleOptions) -> Deliberation[FireCircleResult]:
    layers, session = wanted
    keywords = cast("FireCircleKeywords", options.model_dump())
    return await parley.start_fire_circle(layers, session=session, **keywords)
