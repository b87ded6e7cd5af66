"""``parley batch init`` and ``parley batch run``, with the options for a dataset."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starter.commands.parameters import combined, panel_option, split, submit_options
from starter.handlers.command_runner import with_settings

if TYPE_CHECKING:
    from runtime.settings import Settings

_FROM_FILE = "by default as in the study file"
FORMATS = ("jsonl", "json", "csv", "parquet", "xlsx")
"""The values of ``studies.dataset.dataset.Format``, which is not imported because its readers are large."""
skip_bad_option = click.option(
    "--skip-bad/--no-skip-bad", default=None, help=f"Record rows that cannot be used and continue; {_FROM_FILE}."
)


dataset_options = combined(
    click.option(
        "--question", help="The column with the question, or a part: turns[0]; by default question or prompt."
    ),
    click.option("--template", help="The question as a template over columns: {name}; by default none."),
    click.option("--label", help=f"The column with the expected answer; {_FROM_FILE}, else none."),
    click.option("--id", help=f"The column with the rows' ids; {_FROM_FILE}, else their lines."),
    click.option("--format", type=click.Choice(FORMATS), help="By default that of the file's name."),
    click.option("--encoding", help="Of a text file; by default by its first bytes, or UTF-8."),
    click.option(
        "--delimiter",
        callback=lambda _, __, value: "\t" if value in {"tab", "\\t"} else value,
        help="Of a table in text, or tab; by default that of the heading.",
    ),
    click.option("--sheet", help="Of a workbook; by default the first."),
    click.option("--allow-blank", multiple=True, metavar="COLUMN", help="It may be blank; by default none may."),
    click.option("--allow-json", multiple=True, metavar="COLUMN", help="It is asked as JSON; by default none is."),
)
"""Options for the format and the columns of a dataset."""


@click.command("init")
@click.argument("path", default="study.toml", type=click.Path(path_type=Path, dir_okay=False))
@with_settings
async def init(_settings: "Settings", /, *, path: Path) -> None:
    """Write a study file with a comment for every key, and a small dataset beside it when there is none."""
    from starter.commands.batch.run import write_example

    write_example(path)


@click.command("run")
@click.argument("path", metavar="STUDY.toml|DATASET|NAME")
@click.option("--config", help="The study file, when the argument is another dataset for it; by default none.")
@click.option("--protocol", "protocols", multiple=True, callback=split, help=f"The protocols: a,b; {_FROM_FILE}.")
@click.option("--models", multiple=True, callback=split, help=f"The models: a,b; {_FROM_FILE}, else the panel's.")
@click.option("--chair", help=f"The model that concludes; {_FROM_FILE}, else the panel's.")
@panel_option
@dataset_options
@click.option("--name", help="The study's name; by default that of the file. A known name continues that study.")
@click.option("--limit", "rows", metavar="A-B", help="These records alone, counted from 1; by default all.")
@click.option("--repeat", "repeats", type=int, help=f"Repetitions of every row in every arm; {_FROM_FILE}, else 1.")
@click.option("--seed", type=int, help=f"Each call is sent a seed derived from it; {_FROM_FILE}.")
@click.option("--window", type=int, help=f"Deliberations at once; {_FROM_FILE}.")
@click.option("--budget-usd", type=float, help=f"Most dollars, at which it pauses; {_FROM_FILE}, else no limit.")
@click.option("--budget-tokens", type=int, help=f"Most tokens, at which it pauses; {_FROM_FILE}, else no limit.")
@click.option("--priority", type=int, help=f"1 to 5, 1 is served first; {_FROM_FILE}.")
@click.option(
    "--failure-mode",
    type=click.Choice(["strict", "resilient"]),
    help=f"Whether a deliberation fails with a lost model or continues without it; {_FROM_FILE}.",
)
@skip_bad_option
@click.option("--rehearse/--no-rehearse", default=None, help=f"Ask scripted models; {_FROM_FILE}.")
@click.option("--dry-run", is_flag=True, help="Check everything and estimate the cost; nothing is started.")
@click.option("--show-prompts", is_flag=True, help="Print the first prompt of every arm, side by side (--dry-run).")
@submit_options
@with_settings
async def run_(settings: "Settings", /, **given: Any) -> int:
    """Run a study, or continue it.

    STUDY.toml is a study file (parley batch init writes one). A dataset (CSV, TSV, JSON, JSONL, Parquet, XLSX)
    is run through --protocol. A NAME continues the study of that name in the ledger.

    Everything is checked before anything starts: every row, every model's name, every option. Ctrl-C ends the
    watching, not the study.
    """
    from starter.commands.batch.run import run_study

    names = ("dry_run", "show_prompts", "detach", "key_check", "allow_provider", "json")
    return await run_study(settings, given, {name: given.pop(name) for name in names})
