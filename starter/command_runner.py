"""How a command runs and ends: settings, logs, one event loop, signals, and one exit code for everything.

Ctrl-C and SIGTERM cancel the work, so that what was started is stopped in order; a second one leaves at once. What goes
wrong is told in one message on standard error. With ``--json`` standard output gets one JSON document in every case.
"""

import asyncio
import logging
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import click
import structlog
from temporalio.service import RPCError, RPCStatusCode

from parley.errors import BUG, INTERRUPTED, UNREACHABLE, USAGE, ParleyError
from parley.notices import notify
from protocols.visible_text import printable
from runtime.distribution import missing_package
from runtime.errors import SettingsError, SetupError
from runtime.logs import configure_logs
from runtime.settings import Settings, load_settings
from runtime.shutdown import stop_on_signals
from runtime.telemetry import TASK_LOGGERS
from starter.terminal import as_json

log = structlog.get_logger(__name__)

Work = Callable[[Settings], Coroutine[Any, Any, int]]
"""What a command does with the settings; returns its exit code."""


def run(work: Work, *, json: bool = False, interrupted: int = INTERRUPTED) -> None:
    """Run ``work`` and end the command with its exit code.

    Args:
        work: What the command does.
        json: Errors are a JSON document on standard output too.
        interrupted: The exit code after Ctrl-C or SIGTERM.
    """
    click.get_current_context().exit(_code(work, json=json, interrupted=interrupted))


def _code(work: Work, *, json: bool, interrupted: int) -> int:
    try:
        settings = load_settings()
        configure_logs(_quiet(settings))
        for name in TASK_LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL)  # a command says itself what it replayed in vain
        return asyncio.run(_until_signal(work(settings), interrupted))
    except ParleyError as error:
        return _told(error, error.exit_code, json=json)
    except SetupError as error:
        return _told(error, USAGE if isinstance(error, SettingsError) else UNREACHABLE, json=json)
    except RPCError as error:
        return _told(_unreachable(error), UNREACHABLE, json=json)
    except ModuleNotFoundError as error:
        return _told(ModuleNotFoundError(missing_package(error)), USAGE, json=json)
    except BrokenPipeError:  # whoever read us has gone, which click knows how to end
        raise
    except Exception as error:  # the edge of the process: a defect has a code of its own
        log.exception("command_crashed")
        return _told(error, BUG, json=json)


async def _until_signal(work: Coroutine[Any, Any, int], interrupted: int) -> int:
    asked = stop_on_signals()
    task = asyncio.create_task(work)
    signal = asyncio.create_task(asked.wait())
    await asyncio.wait({task, signal}, return_when=asyncio.FIRST_COMPLETED)
    signal.cancel()
    if task.done():
        return task.result()
    task.cancel()
    try:
        return await task
    except asyncio.CancelledError:
        return interrupted


def _quiet(settings: Settings) -> Settings:
    """A command's own lines are for a person; the logs speak up only when something is odd, unless asked to."""
    asked = "log_level" in settings.model_fields_set
    return settings if asked else settings.model_copy(update={"log_level": "WARNING"})


def _unreachable(error: RPCError) -> Exception:
    if error.status in {RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED}:
        return Exception(f"Temporal does not answer any more: {error.message}")
    return Exception(f"Temporal refused: {error.message}")


def _told(error: Exception, code: int, *, json: bool) -> int:
    message = str(error) or type(error).__name__
    notify(f"parley: {message}")
    if json:
        sys.stdout.write(as_json({"error": printable(message)}) + "\n")
    return code
