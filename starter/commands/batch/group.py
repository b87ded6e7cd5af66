"""``parley batch``: hold many deliberations, as one study that may run for days."""

import click

from starter.commands.batch.retry import extend, retry
from starter.commands.batch.run import init, run_
from starter.commands.batch.status import list_, status
from starter.commands.batch.steering import budget, cancel, pause, resume, window


@click.group("batch")
def command() -> None:
    """Hold every question of a dataset in every way that a study file names.

    A study survives crashes of anything; the same command again goes on where it was.
    """


for part in (init, run_, status, list_, pause, resume, budget, window, retry, extend, cancel):
    command.add_command(part)
