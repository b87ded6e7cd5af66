"""Short replies are read in the worker itself, within a few milliseconds of its processor time.

The kernel counts the time and Python's regular expressions look for its signal, so neither a loop nor a search can
exceed it. What took too long is read again by the process of ``reader_process``, under a larger budget.
"""

import gc
import signal
import threading
from types import FrameType

from pydantic import JsonValue

from activities.reply_readers import read
from protocols.lazy_patterns import Compilations
from protocols.model_call import ReaderRef
from protocols.reply_reader import reader_of

LONGEST_BRIEF = 8_000
"""Characters of a reply, with the text that it is compared with, that are read in the worker."""
BRIEF_SECONDS = 0.02
"""Processor time of the worker, all its threads together."""

_MOST_BRACKETS = 100
"""A decoder of more levels may reach the end of the stack, which is nearer here than in the process."""
_AGAIN_SECONDS = 0.005
"""A signal that arrives in a finalizer ends only that: another one has to come."""


class TooLongToReadError(Exception):
    """The processor time was used up before the reply was read."""


class _SpentError(BaseException):
    """The interruption; no reader catches it."""


class _Reading:
    """The state of the main thread."""

    is_on = False
    """Its change is a single store, which no signal divides."""
    has_handler = False
    seconds = BRIEF_SECONDS
    compilations = 0
    """Those that had ended when its time began."""


def is_brief(text: str, read_as: ReaderRef) -> bool:
    """Return whether this thread may read ``text``: signals reach only the main one."""
    if threading.current_thread() is not threading.main_thread():
        return False
    compared = sum(len(value) for value in read_as.needs.values() if isinstance(value, str))
    return len(text) + compared <= LONGEST_BRIEF and text.count("{") + text.count("[") <= _MOST_BRACKETS


def read_briefly(text: str, read_as: ReaderRef, seconds: float = BRIEF_SECONDS) -> JsonValue:
    """Return the reading of a text that ``is_brief``.

    Raises:
        TooLongToReadError: it took more than ``seconds`` of processor time.
        UnreadableError: the reader broke on this text.
    """
    reader_of(read_as.reader)  # loads its module, which is no part of the reading's time
    if not _Reading.has_handler:
        # It stays: a signal that is under way when the reading has ended would end the process.
        signal.signal(signal.SIGVTALRM, _interrupt)
        _Reading.has_handler = True
    is_collecting = gc.isenabled()
    gc.disable()  # a look at all objects of the worker would use up the time, or the signal end a finalizer
    try:
        _Reading.is_on, _Reading.seconds = True, seconds
        _begin()
        return read(text, read_as)
    except _SpentError:
        pass  # the error is raised below, where no second signal interrupts it
    finally:
        _Reading.is_on = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if is_collecting:
            gc.enable()
    raise TooLongToReadError


def _begin() -> None:
    _Reading.compilations = Compilations.ended
    signal.setitimer(signal.ITIMER_VIRTUAL, _Reading.seconds, _AGAIN_SECONDS)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    if not _Reading.is_on:
        return
    if not Compilations.is_on and Compilations.ended == _Reading.compilations:
        raise _SpentError
    _begin()  # a first reading compiles what it searches for, which may take longer than a reading may
