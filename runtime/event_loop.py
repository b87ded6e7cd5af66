"""The event loop of a worker: uvloop's, which wakes and switches for less than Python's own.

It has no wheel for Windows, and an interpreter newer than its last release may be without one too. Everything here
works on Python's own loop as well.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import structlog

T = TypeVar("T")

_log = structlog.get_logger(__name__)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run ``work`` to its end on a new event loop and return its result, as ``asyncio.run`` does."""
    with asyncio.Runner(loop_factory=_new_loop()) as runner:
        return runner.run(work)


def _new_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return the maker of uvloop's loops; ``None`` where it is not installed."""
    try:
        import uvloop  # noqa: PLC0415 - a command that reads the settings of a worker has no use for it
    except ImportError as error:
        _log.info("uvloop_not_found", reason=str(error), consequence="Python's own event loop is used")
        return None
    return uvloop.new_event_loop
