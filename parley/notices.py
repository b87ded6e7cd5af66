"""Messages on standard error, beside what a command prints."""

import click

from protocols.visible_text import printable


def notify(message: str) -> None:
    """Print ``message`` on standard error."""
    click.echo(printable(message), err=True)
