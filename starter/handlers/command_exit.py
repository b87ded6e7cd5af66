"""The exit code of a command: its work runs in one event loop, and what goes wrong is one message on standard error.

Ctrl-C and SIGTERM cancel the work, so that what was started is stopped in order; a second one leaves at once. With
``--json`` standard output gets one JSON document in every case.
"""

import asyncio
import errno
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import structlog
from temporalio.service import RPCError, RPCStatusCode

from ledger.store_errors import StoreAddressError, StoreBusyError, StoreError, StoreFullError
from parley.errors import BUG, UNREACHABLE, USAGE, VERDICT, ParleyError
from parley.notices import notify
from protocols.constraints import quoted
from protocols.visible_text import printable
from runtime.distribution import missing_package
from runtime.errors import PayloadError, SettingsError, SetupError, refusal
from runtime.logs import configure_logs
from runtime.settings import Settings, load_settings
from runtime.shutdown import stop_on_signals
from runtime.telemetry import silence_task_failures
from starter.terminal import as_json

log = structlog.get_logger(__name__)

_UNWRITABLE = {
    errno.ENOSPC: "the disk is full; free some space",
    errno.EDQUOT: "the disk quota is used up; free some space",
    errno.EROFS: "the file system is read-only; make it writable",
    errno.EACCES: "it may not be written; change its permissions",
    errno.EPERM: "it may not be written; change its permissions",
    errno.ENOTDIR: "a folder on the way there is a file; remove it",
    errno.ENAMETOOLONG: "the name is too long; use a shorter one",
}
"""What the operating system refuses, with the remedy."""


def exit_code(work: Callable[[Settings], Coroutine[Any, Any, int | None]], *, json: bool, interrupted: int) -> int:
    """Run ``work`` and return the exit code of its command, ``interrupted`` after Ctrl-C or SIGTERM; ``None`` is 0."""
    try:
        settings = load_settings()
        is_quiet = "log_level" not in settings.model_fields_set
        configure_logs(settings.model_copy(update={"log_level": "WARNING"}) if is_quiet else settings)
        silence_task_failures()  # a command says itself what it replayed in vain
        return asyncio.run(_until_signal(work(settings), interrupted, json=json))
    except (ParleyError, StoreError, SetupError, RPCError, ModuleNotFoundError) as error:
        message, code = _explained(error)
        return _report(message, code, json=json)
    except BrokenPipeError:  # click ends the command when the reader of its output is gone
        raise
    except Exception as error:  # the edge of the process: a defect has a code of its own
        if isinstance(error, OSError) and error.errno in _UNWRITABLE:
            return _report(_unwritable(error), USAGE, json=json)
        if isinstance(error, UnicodeEncodeError) and "\udc80" <= error.object[error.start] <= "\udcff":  # an argument
            return _report(f"{quoted(error.object)} holds bytes that are no text; write it in UTF-8", USAGE, json=json)
        log.exception("command_crashed")
        return _report(str(error) or type(error).__name__, BUG, json=json)


def _explained(error: Exception) -> tuple[str, int]:
    match error:
        case ParleyError():
            return str(error), error.exit_code
        case SettingsError() | StoreAddressError() | StoreBusyError() | StoreFullError() | PayloadError():
            return str(error), USAGE
        case StoreError():
            return f"{error}\nA worker makes it, or brings an older one up to date, when it starts: parley up", USAGE
        case ModuleNotFoundError():
            return missing_package(error), USAGE
        case _:
            return _unreachable(error) if isinstance(error, RPCError) else str(error), UNREACHABLE


async def _until_signal(work: Coroutine[Any, Any, int | None], interrupted: int, *, json: bool) -> int:
    asked = stop_on_signals()
    task = asyncio.create_task(work)
    signal = asyncio.create_task(asked.wait())
    await asyncio.wait({task, signal}, return_when=asyncio.FIRST_COMPLETED)
    signal.cancel()
    task.cancel()  # which does nothing to one that has ended
    try:
        return await task or VERDICT
    except asyncio.CancelledError:
        return _report("interrupted", interrupted, json=True) if json else interrupted


def _unreachable(error: RPCError) -> str:
    if error.status in {RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED}:
        return f"Temporal does not answer any more: {error.message}"
    return f"Temporal refused: {refusal(error)}"


def _unwritable(error: OSError) -> str:
    place = f"{quoted(error.filename)}: " if error.filename else ""
    other = "" if error.errno == errno.ENAMETOOLONG else ", or name another home with PARLEY_HOME"
    return f"{place}{_UNWRITABLE[error.errno or 0]}{other}"


def _report(message: str, code: int, *, json: bool) -> int:
    notify(f"parley: {message}")
    if json:
        sys.stdout.write(as_json({"error": printable(message)}) + "\n")
    return code
