"""Options for the format and the columns of a dataset."""

import click

from starter.commands.parameters import combined

FORMATS = ("jsonl", "json", "csv", "parquet", "xlsx")
"""The values of ``studies.dataset.dataset.Format``, which is not imported because its readers are large."""


def _delimiter(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    return "\t" if value in {"tab", "\\t"} else value


def _or_none(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...] | None:
    return value or None


dataset_options = combined(
    click.option("--question", help="The column with the question, or a part of one: turns[0]; by default recognised."),
    click.option("--template", help="The question as a template over columns: {name}; by default none."),
    click.option("--label", help="The column with the expected answer; by default recognised."),
    click.option("--id", "id_", help="The column with the rows' ids; by default recognised, else their numbers."),
    click.option("--format", "format_", type=click.Choice(FORMATS), help="By default that of the file's name."),
    click.option("--encoding", help="Of a text file; by default by its first bytes, or UTF-8."),
    click.option(
        "--delimiter", callback=_delimiter, help="Of a table in text, or tab; by default that of the heading."
    ),
    click.option("--sheet", help="Of a workbook; by default the first."),
    click.option(
        "--allow-blank",
        multiple=True,
        metavar="COLUMN",
        callback=_or_none,
        help="A column that may be blank; by default none.",
    ),
    click.option(
        "--allow-json",
        multiple=True,
        metavar="COLUMN",
        callback=_or_none,
        help="A column asked as JSON; by default none.",
    ),
)
"""Options for the format and the columns of a dataset."""
