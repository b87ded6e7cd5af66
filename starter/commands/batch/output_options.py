"""What all commands of ``parley batch`` have in common: how they behave, and how the ledger's refusals are told."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ledger.studies.reading import StoreError
from parley.errors import RequestError
from runtime.settings import Settings
from starter.command_runner import Work, run

Command = TypeVar("Command", bound=Callable[..., Any])

_REMEDY = "parley batch run STUDY.toml makes it with the first study; parley up brings an older one up to date"


def manner_options(command: Command) -> Command:
    """How a command that holds something behaves."""
    command = click.option("--json", "json_", is_flag=True, help="Print one JSON document and nothing else.")(command)
    detach = "Begin it and do not wait. Somebody else must run a worker."
    return click.option("--detach", is_flag=True, help=detach)(command)


def run_on_ledger(work: Work, *, json: bool = False) -> None:
    """Run ``work`` and end the command with its exit code; a ledger that cannot be used is told with what to do."""

    async def told(settings: Settings) -> int:
        try:
            return await work(settings)
        except StoreError as error:
            raise RequestError(f"{error}\n{_REMEDY}") from None

    run(told, json=json)
