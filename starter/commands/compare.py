"""``parley compare``: compare the arms of a study."""

from typing import TYPE_CHECKING

import click

from protocols.plurals import counted
from starter.commands.parameters import json_option
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from ledger.studies.reading import Progress
    from runtime.settings import Settings


@click.command("compare")
@click.argument("name")
@click.option("--baseline", metavar="ARM", help="The arm to compare the others with; by default the cheapest.")
@click.option("--metric", help="The figure to compare; by default accuracy, or tokens where nothing is labelled.")
@click.option("--score", metavar="SCORER", help="A scorer in place of labels; by default the study's own labels.")
@json_option
@with_settings
async def command(
    settings: "Settings", *, name: str, baseline: str | None, metric: str | None, score: str | None, json: bool
) -> None:
    """Show the arms of the study NAME side by side.

    Accuracy with intervals where the dataset has labels, tests of the differences, agreement, cost per right answer,
    time and failures. Works while the study runs.
    """
    from starter.terminal import print_result
    from starter.views.comparison import comparison
    from starter.views.rehearsal import REHEARSAL
    from studies.comparison.notes import notes
    from studies.comparison.study import compare_study

    compared, progress = await compare_study(settings, name, baseline=baseline, metric=metric, score=score)
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
