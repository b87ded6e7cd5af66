"""``parley export`` and ``parley report``: write what the ledger has of a study, or of one deliberation, to a file."""

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

import click

from parley.errors import RequestError
from parley.notices import notify
from parley.output_files import refuse_place
from protocols.plurals import counted
from starter.commands.parameters import scores_option
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from ledger.studies.exports import ExportReader
    from runtime.settings import Settings
    from studies.exports.columns import TableName
    from studies.exports.files import Exported, Format

FORMATS = ("jsonl", "csv", "parquet", "inspect")
"""The values of ``studies.exports.files.Format``, which is not imported because its writers are large; and logs."""
TABLES = ("deliberations", "results", "calls", "transcripts", "pairs", "scores", "sources")
"""The tables of ``studies.exports.columns``."""
_HEAD = 2_000
"""Characters of a file in which a report names its generator."""


@click.command("export")
@click.argument("name", metavar="NAME|ID")
@click.option(
    "--what",
    type=click.Choice((*TABLES, "recording")),
    default="deliberations",
    show_default=True,
    help="The table; results has whole results, recording every answer of one deliberation for --playback.",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    help="By default by the name of the file, else jsonl; inspect writes logs for Inspect, one for each arm.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file, by default standard output; of inspect the folder, by default logs.",
)
@scores_option
@click.option("--force", is_flag=True, help="Replace an existing file.")
@with_settings
async def export_command(
    settings: "Settings",
    *,
    name: str,
    what: "TableName | Literal['recording']",
    kind: "Format | Literal['inspect'] | None",
    output: Path | None,
    scorers: tuple[str, ...],
    force: bool,
) -> None:
    """Write what the ledger has of the study NAME, or of the deliberation ID, one line each.

    Of a study every deliberation is written, also missing and open ones (column status). docs/data.md describes every
    column of every table.
    """
    from studies.exports.files import export
    from studies.exports.rows import table_rows

    if what == "recording":
        if scorers:
            raise RequestError(f"a recording has no scores; leave out --score {', '.join(scorers)}")
        if (form := kind or str(output).lower().rpartition(".")[2]) in {"csv", "parquet", "inspect"}:
            raise RequestError(f"a recording is JSON lines and never {form}; name its file so, as in sky.jsonl")
        await _record(settings, name, output, force=force)
        return
    if kind == "inspect":
        if what != "deliberations":
            raise RequestError(f"logs for Inspect are of whole deliberations; leave out --what {what}, or the format")
        await _log(settings, name, output or Path("logs"), scorers, force=force)
        return
    chosen = _kind(kind, output)
    async with await _ledger(settings, name) as ledger:
        rows = table_rows(ledger, name, what, scorers)
        with _place(output, force=force) as to:
            written = await export(rows, what, to, chosen)
    _notify_export(name, written, output, "result" if what == "deliberations" else what.removesuffix("s"))


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
async def report_command(
    settings: "Settings", *, name: str, output: Path | None, scorers: tuple[str, ...], open_: bool, force: bool
) -> None:
    """Write the report of the study NAME, or of the deliberation ID: one HTML file that needs no network.

    It comes from the ledger: of a running study, what has ended. An earlier report is replaced.
    """
    import re
    import webbrowser

    from report.build import build_report
    from studies.exports.files import whole_file

    place = output or Path(f"{re.sub(r'[^A-Za-z0-9._-]', '.', name)}-report.html")
    refuse_place(place)
    if place.exists() and not force and not is_report(place):
        raise RequestError(f"{str(place)!r} exists and is no report; name another file with -o, or use --force")
    async with await _ledger(settings, name) as ledger:
        made = await build_report(ledger, ledger, name, scorers)
    with whole_file(place, force=True) as file:
        file.write(made.document.encode())
    click.echo(str(place))
    notify(f"{counted(made.deliberations, 'deliberation')}, {len(made.document.encode()) / 1000:,.0f} kB")
    if made.rehearsals:
        notify(f"REHEARSAL: scripted models answered in {made.rehearsals:,} of them; they measure the machinery")
    if open_ and not webbrowser.open(place.resolve().as_uri()):
        notify(f"no browser could be opened; open this file yourself: {place.resolve()}")


def is_report(place: Path) -> bool:
    """Return whether the file names Parley's report as its generator."""
    from report.page import GENERATOR

    with place.open("rb") as file:
        return f'name="generator" content="{GENERATOR}"'.encode() in file.read(_HEAD)


async def _ledger(settings: "Settings", name: str) -> "ExportReader":
    """Open the ledger of the study ``name``, which may run."""
    from ledger.studies.exports import ExportReader
    from studies.runs.status import running_studies

    return ExportReader(settings.database_url, await running_studies(settings, name))


async def _log(settings: "Settings", name: str, folder: Path, scorers: tuple[str, ...], *, force: bool) -> None:
    from studies.exports.inspect_logs import write_logs

    async with await _ledger(settings, name) as ledger:
        written = await write_logs(ledger, name, folder, force=force, scorers=scorers)
    notify(f"{counted(len(written), 'log')} of {name} to {folder}; look at them with: inspect view --log-dir {folder}")


async def _record(settings: "Settings", name: str, output: Path | None, *, force: bool) -> None:
    from parley.recorded_replies import RecordingLedger
    from parley.recordings import write_lines

    async with RecordingLedger(settings.database_url) as ledger:
        found = await ledger.recorded(name)
    if found is None:
        raise RequestError(await _no_recording(settings, name))
    head, answers = found
    with _place(output, force=force) as to:
        to.writelines(write_lines(head, answers))
    notify(f"{counted(len(answers), 'answer')} of {name}{f' to {output}' if output else ''}")


async def _no_recording(settings: "Settings", name: str) -> str:
    async with await _ledger(settings, name) as ledger:
        if await ledger.known(name) is None:
            return f"the ledger has no deliberation {name!r} that has ended; see: parley list"
    return f"{name!r} is a study, and a recording is of one deliberation; parley export {name} shows their ids"


def _kind(asked: "Format | None", output: Path | None) -> "Format":
    """Return the requested format, or that of the file's name."""
    from studies.exports.files import FORMATS as ALL

    named = output.suffix.removeprefix(".").lower() if output else ""
    by_name: dict[str, Format] = {known: known for known in ALL} | {"": "jsonl", "json": "jsonl", "ndjson": "jsonl"}
    kind = asked or by_name.get(named)
    if kind is None:
        raise RequestError(f"{str(output)!r}: the name does not say the format. Say --format {', '.join(ALL)}")
    if kind == "parquet" and output is None:
        raise RequestError("Parquet is no text for a screen; say where it is to go with -o FILE")
    return kind


def _place(output: Path | None, *, force: bool) -> AbstractContextManager[IO[bytes]]:
    from studies.exports.files import whole_file

    return nullcontext(sys.stdout.buffer) if output is None else whole_file(output, force=force)


def _notify_export(name: str, written: "Exported", output: Path | None, noun: str) -> None:
    where = "" if output is None else f" to {output}"
    notify(f"{counted(written.rows, noun)} of {name}{where}")
    if written.missing:
        notify(f"{written.missing:,} of them are missing or still open: column status")
    if written.rehearsals:
        answered = f"scripted models answered in {written.rehearsals:,} of them"
        notify(f"REHEARSAL: {answered}; they measure the machinery, not the models")
