"""``parley export``: the results of a study, or of one deliberation, for another program."""

import sys
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO

import click

from ledger.studies.reading import StoreError, StudyReader
from ledger.studies.results import ResultRow
from parley.errors import VERDICT, RequestError
from parley.ledger_refusals import ledger_refusal
from parley.notices import notify
from parley.recorded_replies import RecordingLedger
from parley.recordings import write_lines
from runtime.settings import Settings
from starter.command_runner import run
from studies.exports import FORMATS, Exported, Format, export, export_sources, whole_file


@click.command("export")
@click.argument("name", metavar="NAME|ID")
@click.option("--format", "kind", type=click.Choice(FORMATS), help="By the name of the file; else jsonl.")
@click.option("--transcripts", is_flag=True, help="With everything that was said: the whole result of each.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="The file; else standard output.")
@click.option("--sources", is_flag=True, help="One line for each page that a provider named as a source.")
@click.option("--recording", is_flag=True, help="Every answer of one deliberation, to hold it again: see --playback.")
@click.option("--force", is_flag=True, help="Replace the file when it is there.")
def command(
    *,
    name: str,
    kind: Format | None,
    transcripts: bool,
    sources: bool,
    output: Path | None,
    recording: bool,
    force: bool,
) -> None:
    """Write the results of the study NAME, or of the deliberation ID, one line each.

    They come from the ledger: of a study every deliberation, those that are lost or still open too (column standing).
    """

    async def work(settings: Settings) -> int:
        if recording:
            return await _record(settings, name, output, force=force)
        chosen = _kind(kind, output)
        try:
            async with StudyReader(settings.database_url) as books:
                rows = await _found(books, name, whole=transcripts or sources)
                with _place(output, force=force) as to:
                    if sources:
                        written = await export_sources(rows, to, chosen)
                    else:
                        written = await export(rows, to, chosen, transcripts=transcripts)
        except StoreError as error:
            raise ledger_refusal(error) from None
        _tell(name, written, output, "source" if sources else "result")
        return VERDICT

    run(work)


async def _record(settings: Settings, name: str, output: Path | None, *, force: bool) -> int:
    """Write the recording of one deliberation.

    Raises:
        RequestError: no deliberation of that id has ended, or the file cannot be written.
    """
    try:
        async with RecordingLedger(settings.database_url) as books:
            found = await books.recorded(name)
    except StoreError as error:
        raise ledger_refusal(error) from None
    if found is None:
        raise RequestError(f"the ledger has no deliberation {name!r} that has ended; see: parley list")
    head, answers = found
    with _place(output, force=force) as to:
        to.writelines(write_lines(head, answers))
    notify(f"{len(answers)} answers of {name}{f' to {output}' if output else ''}")
    return VERDICT


def _kind(asked: Format | None, output: Path | None) -> Format:
    """The format that was asked for, by the file's name when it was not.

    Raises:
        RequestError: Parquet was asked for without a file.
    """
    named = output.suffix.removeprefix(".").lower() if output else ""
    by_name: dict[str, Format] = {known: known for known in FORMATS}
    kind = asked or by_name.get(named, "jsonl")
    if kind == "parquet" and output is None:
        raise RequestError("Parquet is no text for a screen; say where it is to go with -o FILE")
    return kind


def _place(output: Path | None, *, force: bool) -> AbstractContextManager[IO[bytes]]:
    return nullcontext(sys.stdout.buffer) if output is None else whole_file(output, force=force)


async def _found(books: StudyReader, name: str, *, whole: bool) -> AsyncIterator[ResultRow]:
    """The results of the study of that name, else that of the deliberation.

    Raises:
        RequestError: there is neither.
    """
    if await books.known(name) is not None:
        return books.every(name, whole=whole)
    alone = await books.result(name, whole=whole)
    if alone is None:
        raise RequestError(f"the ledger has no study and no deliberation {name!r} that has ended; see: parley list")
    return _only(alone)


async def _only(row: ResultRow) -> AsyncIterator[ResultRow]:
    yield row


def _tell(name: str, written: Exported, output: Path | None, noun: str) -> None:
    where = "" if output is None else f" to {output}"
    notify(f"{written.rows} {noun if written.rows == 1 else f'{noun}s'} of {name}{where}")
    if written.missing:
        notify(f"{written.missing} of them are lost or still open: column standing")
    if written.rehearsals:
        notify(
            f"REHEARSAL: scripted models answered in {written.rehearsals} of them; "
            "they measure the machinery, not the models"
        )
