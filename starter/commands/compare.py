"""``parley compare``: the arms of a study side by side, from the ledger."""

import click

from ledger.reading import StoreError
from ledger.studies.reading import Progress, StudyReader
from ledger.studies.records import StudyUnknownError
from parley.errors import VERDICT, RequestError
from parley.ledger_refusals import ledger_refusal
from runtime.settings import Settings
from starter.command_runner import run
from starter.terminal import as_json, console
from starter.views.comparison import comparison
from starter.views.progress import REHEARSAL
from studies.comparison.compare import compare_marked
from studies.comparison.model import StudyComparison
from studies.comparison.notes import notes
from studies.comparison.rows import LabelRule
from studies.comparison.scoring import marked


@click.command("compare")
@click.argument("name")
@click.option("--baseline", metavar="ARM", help="The arm that the others are compared with; by default the cheapest.")
@click.option("--metric", help="What is compared; by default accuracy, or tokens where nothing is labelled.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document with every figure.")
def command(name: str, baseline: str | None, metric: str | None, json_: bool) -> None:
    """Show the arms of the study NAME side by side.

    Accuracy with intervals where the dataset has labels, tests of the differences, agreement, cost per right answer,
    time and failures. Works while the study runs.
    """

    async def work(settings: Settings) -> int:
        compared, progress = await _compared(settings, name, baseline, metric)
        told = (*_of_progress(progress), *notes(compared))
        if json_:
            label = REHEARSAL if compared.rehearsals else None
            extra = {"progress": progress.model_dump(mode="json"), "notes": told}
            click.echo(as_json({"label": label, **compared.model_dump(mode="json"), **extra}))
        else:
            console().print(comparison(compared, told))
        return VERDICT

    run(work, json=json_)


async def _compared(
    settings: Settings, name: str, baseline: str | None, metric: str | None
) -> tuple[StudyComparison, Progress]:
    """The comparison, and how far the study is.

    Raises:
        RequestError: there is no ledger, no such study, or see ``compare``.
    """
    try:
        async with StudyReader(settings.database_url) as books:
            study = await books.known(name)
            if study is None:
                raise RequestError(str(StudyUnknownError(name)))
            rule = LabelRule.of(study.content)
            marks = [marked(row, rule) async for row in books.every(name)]
            progress = await books.progress(name)
    except StoreError as error:
        raise ledger_refusal(error) from None
    return compare_marked(name, marks, study.content, baseline=baseline, of=metric), progress


def _of_progress(progress: Progress) -> tuple[str, ...]:
    """What the figures leave out."""
    is_open = f"{progress.open:,} of {progress.total:,} deliberations have not ended yet and are in no figure."
    return (is_open,) if progress.open else ()
