"""``parley screen``: judge all prompts of a file, many at once, and say which are flagged."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click

from parley.catalogue import Providers
from parley.errors import FLAGGED
from parley.model_warnings import model_warnings_printed
from parley.notices import notify
from parley.session import open_session
from protocols.fire_circle.model import LAYERS, Mode
from runtime.settings import Settings
from starter.command_runner import run
from starter.commands.ask_options import check_providers, protocol_options, settled, split
from starter.terminal import as_json_line, console
from starter.verdict_file import check_output
from starter.views.screening import Rows, progress_line, screening
from studies.dataset.prompt_rows import READERS
from studies.exports import whole_file
from studies.screening.files import PromptFile, read_prompts
from studies.screening.judging import CONCURRENCY, Screening, new_run, screen


@dataclass(frozen=True)
class _Manner:
    """How the command behaves, beside how the prompts are judged."""

    json: bool
    flags: bool
    output: Path | None
    force: bool
    key_check: bool
    allowed: tuple[str, ...]


@click.command("screen")
@click.argument("file", metavar="FILE|-")
@click.option("--mode", type=click.Choice(get_args(Mode)), help="Who judges: one model, several, or a fire circle.")
@click.option("--models", multiple=True, callback=split, help="Who judges: a,b,c; may be repeated.")
@click.option("--layer", type=click.Choice(LAYERS), help="Which layer is judged; by default the user's.")
@click.option("--threshold", type=float, help="Flag from this falsehood on, 0 to 1; 0.5 by default.")
@click.option("--exit-code", is_flag=True, help=f"End with {FLAGGED} when a prompt is flagged.")
@click.option("--format", "kind", type=click.Choice(list(READERS)), help="Of the file; by default that of its name.")
@click.option("--text-column", help="The column with the prompt, where a row does not say it; vars.NAME, too.")
@click.option("--skip-bad", is_flag=True, help="Leave rows out that cannot be used, and say which.")
@click.option("--run", "run_", metavar="NAME", help="Reuse what was judged under this name; by default a fresh one.")
@click.option("--retry-failed", is_flag=True, help="Hold again what has no finding under this name, and pay again.")
@click.option("--window", type=click.IntRange(1, 200), default=CONCURRENCY, show_default=True, help="Prompts at once.")
@click.option("--config", help="Read options from this TOML file; options given here win.")
@protocol_options
@click.option("--json", "json_", is_flag=True, help="Print one JSON object per prompt, each on a line.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write these lines to a file, too."
)
@click.option("--force", is_flag=True, help="Let --output replace a file that is there.")
@click.option("--key-check/--no-key-check", default=True, help="Look for the providers' keys before starting.")
@click.option("--allow-provider", multiple=True, metavar="NAME", help="Agree to the address of this provider.")
def command(file: str, **given: Any) -> None:
    """Judge all prompts of a file, and say which are flagged.

    Files of garak, HarmBench and promptfoo are read as they are: JSON lines, JSON, CSV, YAML, or one prompt per line.
    Ends with 0 when all prompts were judged, and with 1 when one was not.
    """
    manner = _Manner(
        json=given.pop("json_"),
        flags=given.pop("exit_code"),
        output=given.pop("output"),
        force=given.pop("force"),
        key_check=given.pop("key_check"),
        allowed=given.pop("allow_provider"),
    )
    reading = {"kind": given.pop("kind"), "column": given.pop("text_column"), "skip_bad": given.pop("skip_bad")}
    name = given.pop("run_") or new_run()
    holding = {"run": name, "concurrency": given.pop("window"), "retry_failed": given.pop("retry_failed")}

    async def work(settings: Settings) -> int:
        check_output(manner.output, force=manner.force, detach=False)
        prompts = read_prompts(file, **reading)
        line, keys = settled(given)
        options = {**keys, **line}
        how = Screening.of(options, options.pop("mode", "single"), Providers.of(settings, os.environ).panels, **holding)
        return await _screen(settings, prompts, how, manner)

    run(work, json=manner.json)


async def _screen(settings: Settings, prompts: PromptFile, how: Screening, manner: _Manner) -> int:
    providers = Providers.of(settings, os.environ)
    await check_providers(providers, how.options, manner.allowed, keys=manner.key_check, may_ask=not manner.json)
    for row in prompts.skipped:
        notify(f"left out: {row}")
    table = Rows(wanted=len(prompts.prompts))
    with _lines(manner) as write, model_warnings_printed():
        async with open_session(settings, notify, rehearse=how.options.rehearse) as session:
            notify(f"{how.run}: {table.wanted:,} prompts, {how.concurrency} at once")
            async for found in screen(session.parley, prompts.prompts, how):
                table.add(found)
                notify(progress_line(found, table.wanted))
                write(as_json_line(found.model_dump(mode="json")))
    if manner.json:
        notify(table.counts.told)
    else:
        console().print(screening(table, run=how.run, rehearsal=how.options.rehearse))
    return table.counts.exit_code(flags=manner.flags)


@contextmanager
def _lines(manner: _Manner) -> Iterator[Callable[[str], None]]:
    """Yield what takes a line for standard output and the file, as far as they are wanted."""
    with ExitStack() as stack:
        file = stack.enter_context(whole_file(manner.output, force=manner.force)) if manner.output is not None else None

        def write(line: str) -> None:
            if manner.json:
                click.echo(line)
            if file is not None:
                file.write(f"{line}\n".encode())

        yield write
