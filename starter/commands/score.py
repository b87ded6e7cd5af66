"""``parley score``: score the deliberations of a study that have ended."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starter.commands.parameters import allow_provider_option, detach_option, json_option, key_check_option, split
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from runtime.settings import Settings


@click.command("score")
@click.argument("name")
@click.option(
    "--with",
    "path",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file with the scorers; by default only the scores that there are are shown.",
)
@click.option("--scorer", "only", multiple=True, callback=split, help="These scorers alone: a,b; by default all.")
@click.option("--dry-run", is_flag=True, help="Check everything and show what graders may cost; nothing is started.")
@click.option("--show-prompts", is_flag=True, help="Print the first prompt of every grader (--dry-run).")
@click.option("--rehearse", is_flag=True, help="Let scripted models grade: this measures the machinery only.")
@key_check_option
@allow_provider_option
@detach_option
@json_option
@with_settings
async def command(settings: "Settings", /, *, name: str, path: Path | None, only: tuple[str, ...], **given: Any) -> int:
    """Score the finished deliberations of the study NAME, and show its scores.

    A file of scorers is checked as a whole. What can be computed is computed at once and costs nothing. Models grade in
    a study of their own, which is budgeted and resumable: interrupted, the same command continues it, and no grade is
    paid twice. Scores are never part of the study: a changed scorer asks none of its deliberations again.
    """
    from starter.commands.scoring import run_scoring

    return await run_scoring(settings, name, path, only, given)
