"""Run the work of a command and end the command with its exit code.

A command is declared without importing what it works with, so that ``--help`` is answered at once: its work imports
that when it runs.
"""

import gc
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import click

from parley.errors import INTERRUPTED

if TYPE_CHECKING:  # importing a session imports Temporal's SDK, which the help of a command does not need
    from parley.session import Session
    from runtime.settings import Settings

Given = ParamSpec("Given")


def run(
    work: "Callable[[Settings], Coroutine[Any, Any, int | None]]", *, json: bool = False, interrupted: int = INTERRUPTED
) -> None:
    """Run ``work`` and end the command with its exit code; see ``command_exit.exit_code``."""
    if not gc.isenabled():  # as the program begins: there is little garbage among what it has imported
        gc.freeze()
        gc.enable()
    from starter.handlers.command_exit import exit_code

    click.get_current_context().exit(exit_code(work, json=json, interrupted=interrupted))


def with_settings(
    work: "Callable[Concatenate[Settings, Given], Coroutine[Any, Any, int | None]]",
) -> Callable[Given, None]:
    """Return a command that runs ``work`` with the settings; an option ``json`` makes errors JSON, too."""

    @wraps(work)
    def command(*args: Given.args, **given: Given.kwargs) -> None:
        run(lambda settings: work(settings, *args, **given), json=bool(given.get("json")))

    return command


def with_session(
    work: "Callable[Concatenate[Session, Given], Coroutine[Any, Any, int | None]]",
) -> Callable[Given, None]:
    """Return a command that runs ``work`` with a connection to Temporal; no worker is started for it."""

    async def connected(settings: "Settings", /, *args: Given.args, **given: Given.kwargs) -> int | None:
        from parley.notices import notify
        from parley.session import open_session

        async with open_session(settings, notify, worker="none") as session:
            return await work(session, *args, **given)

    return with_settings(wraps(work)(connected))


def with_worker(
    work: "Callable[Concatenate[Session, Given], Coroutine[Any, Any, int | None]]",
) -> Callable[Given, None]:
    """Return a command that runs ``work`` with a connection to Temporal, and refuses while no worker would apply it."""

    async def checked(session: "Session", /, *args: Given.args, **given: Given.kwargs) -> int | None:
        from starter.handlers.preparation import require_worker

        await require_worker(session)
        return await work(session, *args, **given)

    return with_session(wraps(work)(checked))
