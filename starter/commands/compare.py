"""``parley compare``: compare the arms of a study, several studies, panels, or the firings of a schedule."""

from typing import TYPE_CHECKING, Any

import click

from protocols.plurals import counted
from starter.commands.parameters import json_option
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from ledger.studies.reading import Progress
    from runtime.settings import Settings


@click.command("compare")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option("--baseline", metavar="ARM", help="The arm, or study, beside the others; by default the cheapest arm.")
@click.option("--metric", help="The figure to compare; by default accuracy, or tokens where nothing is labelled.")
@click.option("--score", metavar="SCORER", help="A scorer in place of labels; by default the study's own labels.")
@click.option(
    "--over",
    type=click.Choice(("arms", "panels", "firings")),
    default="arms",
    show_default=True,
    help="What is side by side: arms, the panels of a study, or the firings of the schedule NAME.",
)
@click.option(
    "--over-repeats",
    metavar="mean|mode|max|pass@K",
    help="One value for the repeats of each row; by default the scorer's, else all repeats are added up.",
)
@json_option
@with_settings
async def command(
    settings: "Settings",
    /,
    *,
    names: tuple[str, ...],
    json: bool,
    **chosen: Any,
) -> None:
    """Show the arms of the study NAME side by side, or the same arms of several studies.

    Accuracy with intervals where the dataset has labels, tests of the differences, agreement, cost per right answer,
    time and failures. Works while the study runs. Several studies are compared over the rows that all of them have,
    each arm with the arm of the same name in the first study.
    """
    from starter.terminal import print_result
    from starter.views.comparison import comparison
    from starter.views.rehearsal import REHEARSAL
    from studies.comparison.notes import notes
    from studies.comparison.study import compare_study

    compared, progress = await compare_study(settings, *names, **chosen)
    remarks = (*_unfinished(progress), *notes(compared))
    label = REHEARSAL if compared.rehearsals else None
    extra = {"progress": progress.model_dump(mode="json"), "notes": remarks}
    print_result(
        {"label": label, **compared.model_dump(mode="json"), **extra}, comparison(compared, remarks), json=json
    )


def _unfinished(progress: "Progress") -> tuple[str, ...]:
    """Return a note on the deliberations that the figures leave out."""
    note = f"{progress.open:,} of {counted(progress.total, 'deliberation')} have not ended yet and are in no figure."
    return (note,) if progress.open else ()
