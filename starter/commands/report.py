"""``parley report``: write a study or a deliberation as one HTML file."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from parley.notices import notify
from protocols.plurals import counted
from starter.commands.parameters import scores_option
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from report.build import Report
    from runtime.settings import Settings

_HEAD = 2_000
"""Characters of a file in which a report names its generator."""


@click.command("report")
@click.argument("name", metavar="NAME|ID")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file; by default NAME-report.html here.",
)
@scores_option
@click.option("--open", "open_", is_flag=True, help="Open it in the browser.")
@click.option("--force", is_flag=True, help="Replace the file even when it is no report.")
@with_settings
async def command(
    settings: "Settings", *, name: str, output: Path | None, scorers: tuple[str, ...], open_: bool, force: bool
) -> None:
    """Write the report of the study NAME, or of the deliberation ID: one HTML file that needs no network.

    It comes from the ledger: of a running study, what has ended. An earlier report is replaced.
    """
    import re
    import webbrowser

    from ledger.studies.reading import StudyReader
    from ledger.studies.scores import ScoreReader
    from parley.errors import RequestError
    from report.build import build_report
    from studies.exports.files import whole_file

    place = output or Path(f"{re.sub(r'[^A-Za-z0-9._-]', '.', name)}-report.html")
    if place.exists() and not force and not is_report(place):
        raise RequestError(f"{str(place)!r} exists and is no report; name another file with -o, or use --force")
    async with StudyReader(settings.database_url) as reader, ScoreReader(settings.database_url) as scores:
        made = await build_report(reader, scores, name, scorers)
    with whole_file(place, force=True) as file:
        file.write(made.document.encode())
    _notify_written(made, place)
    if open_ and not webbrowser.open(place.resolve().as_uri()):
        notify(f"no browser could be opened; open this file yourself: {place.resolve()}")


def is_report(place: Path) -> bool:
    """Return whether the file names Parley's report as its generator."""
    from report.page import GENERATOR

    with place.open("rb") as file:
        return f'name="generator" content="{GENERATOR}"'.encode() in file.read(_HEAD)


def _notify_written(made: "Report", place: Path) -> None:
    click.echo(str(place))
    notify(f"{counted(made.deliberations, 'deliberation')}, {len(made.document.encode()) / 1000:,.0f} kB")
    if made.rehearsals:
        notify(f"REHEARSAL: scripted models answered in {made.rehearsals} of them; they measure the machinery")
