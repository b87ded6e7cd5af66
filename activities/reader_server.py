"""The process in which replies are read: requests on standard input, readings on standard output.

It holds no key, has no connection and ends with its standard input. Every request gets a budget of processor time of
its own, which the kernel keeps: a regular expression or a decoder that never comes back cannot be interrupted from
Python. When the budget is spent, the process dies of SIGVTALRM, which is how its parent recognises it.

A message is its length in four bytes and so much JSON.
"""

import json
import resource
import signal
import struct
import sys
from contextlib import suppress
from typing import Any, BinaryIO

from activities.reply_readers import UnreadableError, read
from protocols.model_call import ReaderRef
from protocols.reply_reader import reader_of

HEADER = struct.Struct(">I")

_MOST_MEMORY = 1_500_000_000
"""Bytes of address space; a reply that unpacks to more is unreadable, and the worker beside it continues."""


def pack(message: dict[str, Any]) -> bytes:
    """Return ``message`` as it is written to a pipe."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return HEADER.pack(len(body)) + body


def unpack(body: bytes) -> dict[str, Any]:
    """Return the message that a frame holds."""
    message: dict[str, Any] = json.loads(body.decode("utf-8", "surrogatepass"))
    return message


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the requested reading, or the fault that prevented it."""
    read_as = ReaderRef(reader=request["reader"], needs=request["needs"])
    try:
        return {"reading": read(request["text"], read_as)}
    except UnreadableError as error:
        return {"fault": str(error)}
    except MemoryError:
        return {"fault": f"reader {read_as.reader!r} ran out of memory"}


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer requests until they end."""
    while header := requests.read(HEADER.size):
        request = unpack(requests.read(*HEADER.unpack(header)))
        reader_of(request["reader"])  # loads its module, which is no part of the reading's budget
        signal.setitimer(signal.ITIMER_VIRTUAL, request["seconds"])
        reply = pack(answer(request))
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        replies.write(reply)
        replies.flush()


def main() -> None:
    """Run as a process."""
    for number in (signal.SIGINT, signal.SIGTERM):
        # They are sent to a whole group; the worker still has calls to read while it stops.
        signal.signal(number, signal.SIG_IGN)
    with suppress(ValueError, OSError):  # not every system can limit it
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
