"""The commands ``parley batch``."""

from typing import ClassVar

import click

from starter.commands.groups import CommandLine, LazyGroup, Sections

_PACKAGE = "starter.commands.batch"


class _BatchCommands(LazyGroup):
    sections: ClassVar[Sections] = {
        "Commands": {
            "init": CommandLine(f"{_PACKAGE}.begin:init", "Write a commented study file."),
            "run": CommandLine(f"{_PACKAGE}.begin:run_", "Run a study, or go on with it where it was."),
            "status": CommandLine(f"{_PACKAGE}.status:status", "Show the progress and the cost of a study."),
            "list": CommandLine(f"{_PACKAGE}.status:list_", "List the studies of the ledger, the newest first."),
            "pause": CommandLine(f"{_PACKAGE}.steering:pause", "Start nothing more; what is in flight is finished."),
            "resume": CommandLine(f"{_PACKAGE}.steering:resume", "Go on after a pause."),
            "budget": CommandLine(f"{_PACKAGE}.steering:budget", "Set the budget of a study."),
            "window": CommandLine(f"{_PACKAGE}.steering:window", "Set how many deliberations run at once."),
            "retry": CommandLine(f"{_PACKAGE}.retry:retry", "Run again what failed or is missing."),
            "extend": CommandLine(f"{_PACKAGE}.retry:extend", "Add the rows that a dataset has got since."),
            "cancel": CommandLine(f"{_PACKAGE}.steering:cancel", "End the batch of a study; it can go on later."),
        }
    }


@click.group("batch", cls=_BatchCommands)
def command() -> None:
    """Run every row of a dataset through every protocol that a study file names.

    A study survives the crash of any process; the same command again goes on where it was.
    """
