"""The options that say how a dataset is written and what its columns are."""

from collections.abc import Callable
from typing import Any, get_args

import click

from studies.dataset.dataset import Format


def _delimiter(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    return "\t" if value in {"tab", "\\t"} else value


def _or_none(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...] | None:
    return value or None


_OPTIONS = (
    click.option("--question", help="The column that is asked, or a place in one: turns[0]."),
    click.option("--template", help="The question as a template over columns: {name}."),
    click.option("--label", help="The column with the expected answer."),
    click.option("--id", "id_", help="The column with the rows' ids."),
    click.option("--format", "format_", type=click.Choice(get_args(Format)), help="By default the file's end."),
    click.option("--encoding", help="Of a file of text; by default by its first bytes, or UTF-8."),
    click.option(
        "--delimiter", callback=_delimiter, help="Of a table in text, or tab; by default as the heading has it."
    ),
    click.option("--sheet", help="Of a workbook; by default the first."),
    click.option("--allow-blank", multiple=True, metavar="COLUMN", callback=_or_none, help="This column may be blank."),
    click.option("--allow-json", multiple=True, metavar="COLUMN", callback=_or_none, help="Ask its JSON as it is."),
)


def dataset_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to ``command``, in their order."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
