"""``parley export``: write the results of a study, or of one deliberation, for other programs."""

from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from parley.notices import notify
from protocols.plurals import counted
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from ledger.studies.reading import StudyReader
    from ledger.studies.results import ResultRow
    from runtime.settings import Settings
    from studies.exports import Exported, Format

FORMATS = ("jsonl", "csv", "parquet")
"""The values of ``studies.exports.Format``, which is not imported because its writers are large."""


@click.command("export")
@click.argument("name", metavar="NAME|ID")
@click.option("--format", "kind", type=click.Choice(FORMATS), help="By default by the name of the file, else jsonl.")
@click.option("--transcripts", is_flag=True, help="With the whole result of each, transcript included.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="The file; by default standard output."
)
@click.option("--sources", is_flag=True, help="Write one line for each page that a provider named as a source.")
@click.option("--scores", is_flag=True, help="Write one line for each score of the study, see parley score.")
@click.option(
    "--recording", is_flag=True, help="Write every answer of one deliberation, to play it again with --playback."
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
@with_settings
async def command(
    settings: "Settings",
    *,
    name: str,
    kind: "Format | None",
    transcripts: bool,
    sources: bool,
    scores: bool,
    output: Path | None,
    recording: bool,
    force: bool,
) -> None:
    """Write the results of the study NAME, or of the deliberation ID, one line each.

    They come from the ledger: of a study every deliberation, also missing and open ones (column status).
    """
    from ledger.studies.reading import StudyReader
    from studies.exports import export, export_sources

    if recording:
        await _record(settings, name, output, force=force)
        return
    chosen = _kind(kind, output)
    if scores:
        await _scores(settings, name, output, chosen, force=force)
        return
    async with StudyReader(settings.database_url) as ledger:
        rows = await _found(ledger, name, whole=transcripts or sources)
        with _place(output, force=force) as to:
            if sources:
                written = await export_sources(rows, to, chosen)
            else:
                written = await export(rows, to, chosen, transcripts=transcripts)
    _notify_written(name, written, output, "source" if sources else "result")


async def _scores(settings: "Settings", name: str, output: Path | None, kind: "Format", *, force: bool) -> None:
    """Write the scores of the study ``name``."""
    from ledger.studies.scores import ScoreReader
    from parley.errors import RequestError
    from studies.exports import export_scores

    async with ScoreReader(settings.database_url) as ledger:
        found = await ledger.scores(name)
    if not found:
        raise RequestError(
            f"the ledger has no scores of a study {name!r}; give it some: parley score {name} --with FILE"
        )
    with _place(output, force=force) as to:
        written = await export_scores(found, to, kind)
    _notify_written(name, written, output, "score")


async def _record(settings: "Settings", name: str, output: Path | None, *, force: bool) -> None:
    """Write the recording of one deliberation."""
    from parley.errors import RequestError
    from parley.recorded_replies import RecordingLedger
    from parley.recordings import write_lines

    async with RecordingLedger(settings.database_url) as ledger:
        found = await ledger.recorded(name)
    if found is None:
        raise RequestError(f"the ledger has no deliberation {name!r} that has ended; see: parley list")
    head, answers = found
    with _place(output, force=force) as to:
        to.writelines(write_lines(head, answers))
    notify(f"{counted(len(answers), 'answer')} of {name}{f' to {output}' if output else ''}")


def _kind(asked: "Format | None", output: Path | None) -> "Format":
    """Return the requested format, or that of the file's name."""
    from parley.errors import RequestError
    from studies.exports import FORMATS as ALL

    named = output.suffix.removeprefix(".").lower() if output else ""
    by_name: dict[str, Format] = {known: known for known in ALL}
    kind = asked or by_name.get(named, "jsonl")
    if kind == "parquet" and output is None:
        raise RequestError("Parquet is no text for a screen; say where it is to go with -o FILE")
    return kind


def _place(output: Path | None, *, force: bool) -> AbstractContextManager[IO[bytes]]:
    import sys
    from contextlib import nullcontext

    from studies.exports import whole_file

    return nullcontext(sys.stdout.buffer) if output is None else whole_file(output, force=force)


async def _found(ledger: "StudyReader", name: str, *, whole: bool) -> "AsyncIterator[ResultRow]":
    """Return the results of the study of that name, or of the deliberation."""
    from parley.errors import RequestError

    if await ledger.known(name) is not None:
        return ledger.every(name, whole=whole)
    alone = await ledger.result(name, whole=whole)
    if alone is None:
        raise RequestError(f"the ledger has no study and no deliberation {name!r} that has ended; see: parley list")
    return _only(alone)


async def _only(row: "ResultRow") -> "AsyncIterator[ResultRow]":
    yield row


def _notify_written(name: str, written: "Exported", output: Path | None, noun: str) -> None:
    where = "" if output is None else f" to {output}"
    notify(f"{counted(written.rows, noun)} of {name}{where}")
    if written.missing:
        notify(f"{written.missing} of them are missing or still open: column status")
    if written.rehearsals:
        notify(
            f"REHEARSAL: scripted models answered in {written.rehearsals} of them; "
            "they measure the machinery, not the models"
        )
