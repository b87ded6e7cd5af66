"""The work of ``parley screen``."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import click

from parley.catalogue import Providers
from parley.model_warnings import model_warnings_printed
from parley.notices import notify
from parley.session import open_session
from protocols.plurals import counted
from runtime.settings import Settings
from runtime.shutdown import interruptible
from starter.handlers.ask import OutputOptions
from starter.handlers.preparation import check_providers, with_config
from starter.terminal import as_json_line, console
from starter.views.screening import Rows, progress_line, screening
from studies.exports.files import whole_file
from studies.screening.files import read_prompts
from studies.screening.judging import Screening, screen


async def screen_file(settings: Settings, file: str, given: dict[str, Any]) -> int:
    """Judge all prompts of ``file``, print what was found, and return the exit code."""
    output = OutputOptions.taken_from(given)
    reading = {"kind": given.pop("kind"), "column": given.pop("text_column"), "skip_bad": given.pop("skip_bad")}
    run = {"run": given.pop("run_"), "concurrency": given.pop("window"), "retry_failed": given.pop("retry_failed")}
    with interruptible():
        prompts = read_prompts(file, **reading)
    line, keys = with_config(given)
    options = {**keys, **line}
    providers = Providers.of(settings)
    how = Screening.of(options, options.pop("mode", "single"), providers.panels, **run)
    await check_providers(providers, how.options, output.allow_provider, keys=output.key_check, may_ask=not output.json)
    for row in prompts.skipped:
        notify(f"left out: {row}")
    table = Rows(wanted=len(prompts.prompts))
    with _lines(output) as write, model_warnings_printed():
        async with open_session(settings, notify, rehearse=how.options.rehearse) as session:
            notify(f"{how.run}: {counted(table.wanted, 'prompt')}, {how.concurrency} at once")
            async for found in screen(session.parley, prompts.prompts, how):
                table.add(found)
                notify(progress_line(found, table.wanted))
                write(as_json_line(found))
    if output.json:
        notify(table.counts.as_text)
    else:
        console().print(screening(table, run=how.run, rehearsal=how.options.rehearse))
    return table.counts.exit_code(flags=output.exit_code)


@contextmanager
def _lines(output: OutputOptions) -> Iterator[Callable[[str], None]]:
    """Yield what takes a line for standard output and the file, as far as they are wanted."""
    with whole_file(output.output, force=output.force) if output.output is not None else nullcontext() as file:

        def write(line: str) -> None:
            if output.json:
                click.echo(line)
            if file is not None:
                file.write(f"{line}\n".encode())

        yield write
