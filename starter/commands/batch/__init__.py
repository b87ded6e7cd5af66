"""The commands ``parley batch``."""

from typing import ClassVar

import click

from starter.commands.groups import LazyGroup, Sections, imported

_PACKAGE = "starter.commands.batch"


class _BatchCommands(LazyGroup):
    sections: ClassVar[Sections] = {
        "Commands": {
            "init": imported(f"{_PACKAGE}.begin:init", "Write a commented study file."),
            "run": imported(f"{_PACKAGE}.begin:run_", "Run a study, or continue it."),
            "status": imported(f"{_PACKAGE}.control:status", "Show the progress and the cost of a study."),
            "list": imported(f"{_PACKAGE}.control:list_", "List the studies of the ledger, the newest first."),
            "pause": imported(f"{_PACKAGE}.control:pause", "Start nothing more; what is in flight is finished."),
            "resume": imported(f"{_PACKAGE}.control:resume", "Resume after a pause."),
            "budget": imported(f"{_PACKAGE}.control:budget", "Set the budget of a study."),
            "window": imported(f"{_PACKAGE}.control:window", "Set how many deliberations run at once."),
            "retry": imported(f"{_PACKAGE}.control:retry", "Run again what failed or is missing."),
            "extend": imported(f"{_PACKAGE}.control:extend", "Add rows, arms and repeats that its file has got since."),
            "cancel": imported(f"{_PACKAGE}.control:cancel", "Cancel the batch of a study; it can be continued later."),
        }
    }


@click.group("batch", cls=_BatchCommands)
def batch_command() -> None:
    """Run every row of a dataset through every protocol that a study file names.

    A study survives the crash of any process; the same command again continues it.
    """
