"""``parley screen``: judge all prompts of a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from protocols.fire_circle.model import LAYERS, Mode
from starter.commands.parameters import allow_provider_option, force_option, key_check_option, split
from starter.commands.protocol_options import usual_options
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from runtime.settings import Settings

FORMATS = ("jsonl", "json", "csv", "yaml", "txt")
"""The formats of ``studies.dataset.prompt_rows.READERS``, which is not imported because its readers are large."""


@click.command("screen")
@click.argument("file", metavar="FILE|-")
@click.option(
    "--mode", type=click.Choice(get_args(Mode)), help="One model, several, or a fire circle; by default single."
)
@click.option("--models", multiple=True, callback=split, help="Models that judge: a,b,c; by default the panel's.")
@click.option("--layer", type=click.Choice(LAYERS), help="Layer that is judged; by default the user's.")
@click.option("--threshold", type=float, help="Flag from this falsehood on, 0 to 1; by default 0.5.")
@click.option("--exit-code", is_flag=True, help="End with 4 when a prompt is flagged.")
@click.option("--format", "kind", type=click.Choice(FORMATS), help="By default that of the file's name.")
@click.option("--text-column", help="The column with the prompt, or vars.NAME; by default recognised.")
@click.option("--skip-bad", is_flag=True, help="Leave rows out that cannot be used, and say which.")
@click.option("--run", "run_", metavar="NAME", help="Reuse what was judged under this name; by default a fresh one.")
@click.option("--retry-failed", is_flag=True, help="Judge again what has no finding under this name, and pay again.")
@click.option("--window", type=click.IntRange(1, 200), default=8, help="Prompts at once.")
@click.option("--config", help="TOML file with options, which those given here replace; by default none.")
@usual_options(many=True)
@click.option("--json", "json", is_flag=True, help="Print one JSON object per prompt, each on a line.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write these lines to a file, too; by default to none.",
)
@force_option
@key_check_option
@allow_provider_option
@with_settings
async def screen_command(settings: "Settings", /, *, file: str, **given: Any) -> int:
    """Judge all prompts of a file, and say which are flagged.

    Files of garak, HarmBench and promptfoo are read as they are: JSON lines, JSON, CSV, YAML, or one prompt per line.
    Ends with 0 when all prompts were judged, and with 1 when one was not.
    """
    from starter.handlers.screen import screen_file

    return await screen_file(settings, file, given)
