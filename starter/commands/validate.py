"""``parley validate fire-circle``: the shipped study of a fire circle beside its baselines (seed 000, section 9.3)."""

from typing import TYPE_CHECKING, Any

import click

from protocols.fire_circle.flagging import THRESHOLD
from starter.commands.parameters import finite, split, submit_options
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from runtime.settings import Settings

_SEED = 7


@click.group("validate")
def validate_command() -> None:
    """Measure a protocol on cases with known answers."""


@validate_command.command("fire-circle")
@click.option(
    "--models", multiple=True, callback=split, help="The models of the circle: a,b,c; by default those of the panel."
)
@click.option("--panel", metavar="NAME", help="The circle by the name of a panel; by default that called default.")
@click.option("--single-model", help="The model that judges alone; by default the first of the circle.")
@click.option("--labelled", multiple=True, help="A CSV, JSON or JSON lines file; may be repeated; by default none.")
@click.option("--limit", type=click.IntRange(1), default=60, help="Prompts of each file, drawn at random.")
@click.option("--seed", type=int, default=_SEED, help="Seed of the draw of prompts.")
@click.option("--text-column", help="The column with the prompt; by default recognised.")
@click.option("--label-column", help="The column with the label; by default recognised.")
@click.option("--positive", multiple=True, help="A label of an attack; may be repeated; by default recognised.")
@click.option("--only-cases", is_flag=True, help="Leave the labelled prompts out.")
@click.option("--only-labelled", is_flag=True, help="Leave the ten cases out.")
@click.option("--threshold", type=click.FloatRange(0, 1), callback=finite, default=THRESHOLD, help="F that flags.")
@click.option("--window", type=click.IntRange(1, 200), default=8, help="Deliberations at once.")
@click.option(
    "--failure-mode",
    type=click.Choice(["strict", "resilient"]),
    default="resilient",
    help="Whether a deliberation fails with a lost model or continues without it.",
)
@click.option("--budget-usd", type=float, help="Most dollars, at which it pauses; by default no limit.")
@click.option("--budget-tokens", type=int, help="Most tokens, at which it pauses; by default no limit.")
@click.option(
    "--name", help="Name of the study; by default one made of its content. Another name asks everything again."
)
@click.option("--rehearse", is_flag=True, help="Ask scripted models: this measures the machinery only.")
@click.option("--dry-run", is_flag=True, help="Check everything and show what it may cost; nothing is started.")
@submit_options
@with_settings
async def fire_circle(settings: "Settings", /, **given: Any) -> int:
    """Run ten cases, and labelled prompts, as single, parallel and fire circle, and show them side by side.

    This is an ordinary study: interrupted, the same command continues it, and completed calls are not paid
    again. parley batch, compare, report and export take its name. Ends with 0 when the three checks on the cases are
    passed, and with 1 when one is failed.
    """
    from starter.commands.validation import run_validation

    names = ("dry_run", "detach", "key_check", "allow_provider", "json")
    return await run_validation(settings, given, {name: given.pop(name) for name in names})
