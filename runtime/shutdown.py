"""The end of a process: pending writes finished, then an exit without interpreter teardown.

The SDK can crash while the interpreter shuts down, after all work is done and printed, and turn success into exit code
134. So a process leaves by ``leave``: it writes out what is buffered and is gone.
"""

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:  # a command that answers its help needs no event loop
    import asyncio

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_last_words: list[Callable[[], None]] = []


def stop_on_signals() -> "asyncio.Event":
    """Return an event that is set when the process is asked to stop.

    A second signal, or the end of the terminal, ends the process with the shell's code: nothing can be shown there.
    """
    import asyncio  # noqa: PLC0415 - see above

    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, _ask, asked, number)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # nohup has it ignored
        loop.add_signal_handler(signal.SIGHUP, leave, 128 + signal.SIGHUP)
    return asked


@contextmanager
def interruptible() -> Iterator[None]:
    """Cancel a block that waits for a user's input when a signal comes: the event loop does not run meanwhile."""
    before = [signal.signal(number, _cancel) for number in _SIGNALS]
    try:
        yield
    finally:
        for number, handler in zip(_SIGNALS, before, strict=True):
            signal.signal(number, handler)


def before_leaving(words: Callable[[], None]) -> None:
    """Register ``words`` to be called by ``leave``, latest first; it must return without waiting for others."""
    _last_words.append(words)


@contextmanager
def called_on_leaving(words: Callable[[], None]) -> Iterator[None]:
    """Register ``words`` to be called by ``leave`` while the block runs."""
    before_leaving(words)
    try:
        yield
    finally:
        _last_words.remove(words)


def leave(code: int) -> NoReturn:
    """Write out logs, spans and standard streams and end the process with ``code``."""
    while _last_words:
        with suppress(Exception):  # at the edge: nothing may keep the process from leaving with its code
            _last_words.pop()()
    logging.shutdown()
    for stream in filter(None, (sys.stdout, sys.stderr)):  # none where it was closed before the start
        with suppress(OSError, ValueError):  # a closed pipe is no reason to fail now
            stream.flush()
    os._exit(code)


def _cancel(*_: object) -> NoReturn:
    import asyncio  # noqa: PLC0415 - see above

    raise asyncio.CancelledError


def _ask(asked: "asyncio.Event", number: signal.Signals) -> None:
    if asked.is_set():
        leave(128 + number)
    asked.set()
