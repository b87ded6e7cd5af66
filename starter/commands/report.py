"""``parley report``: how a study or a deliberation came out, as one HTML file."""

import re
import webbrowser
from pathlib import Path

import click

from ledger.studies.reading import StoreError, StudyReader
from parley.errors import VERDICT, RequestError
from parley.ledger_refusals import ledger_refusal
from parley.notices import notify
from report.build import Report, report
from report.page import GENERATOR
from runtime.settings import Settings
from starter.command_runner import run
from studies.exports import whole_file

_HEAD = 2_000
"""Characters of a file in which a report says that it is one."""


@click.command("report")
@click.argument("name", metavar="NAME|ID")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="The file; else NAME-report.html here."
)
@click.option("--open", "open_", is_flag=True, help="Open it in the browser.")
@click.option("--force", is_flag=True, help="Replace the file even when it is no report.")
def command(name: str, output: Path | None, open_: bool, force: bool) -> None:
    """Write the report of the study NAME, or of the deliberation ID: one HTML file that needs no network.

    It comes from the ledger: of a study that still runs, what has ended. An earlier report is replaced.
    """

    async def work(settings: Settings) -> int:
        place = output or Path(f"{re.sub(r'[^A-Za-z0-9._-]', '.', name)}-report.html")
        if place.exists() and not force and not is_report(place):
            raise RequestError(f"{str(place)!r} is there and is no report; name another file with -o, or use --force")
        made = await _made(settings, name)
        with whole_file(place, force=True) as file:
            file.write(made.document.encode())
        _tell(made, place)
        if open_ and not webbrowser.open(place.resolve().as_uri()):
            notify(f"no browser could be opened; open this file yourself: {place.resolve()}")
        return VERDICT

    run(work)


def is_report(place: Path) -> bool:
    """Whether the file says of itself that it is a report."""
    with place.open("rb") as file:
        return f'name="generator" content="{GENERATOR}"'.encode() in file.read(_HEAD)


async def _made(settings: Settings, name: str) -> Report:
    try:
        async with StudyReader(settings.database_url) as books:
            return await report(books, name)
    except StoreError as error:
        raise ledger_refusal(error) from None


def _tell(made: Report, place: Path) -> None:
    click.echo(str(place))
    noun = "deliberation" if made.deliberations == 1 else "deliberations"
    notify(f"{made.deliberations} {noun}, {len(made.document.encode()) / 1000:,.0f} kB")
    if made.rehearsals:
        notify(f"REHEARSAL: scripted models answered in {made.rehearsals} of them; they measure the machinery")
