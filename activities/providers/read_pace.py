"""The pace at which streams are read: the more streams a worker has, the more words it takes with each read.

To wake a reader costs ten times what a word costs that has arrived with others. Up to a few dozen streams every word
is read as it comes; beyond that, a stream waits between two reads, and the operating system collects what comes
meanwhile. The first word is never late, and what is last is late by less than a tenth of a second.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp.connector import Connection

READS_A_SECOND = 4_000
"""Of all streams of a worker together."""
SHORTEST_PAUSE = 0.005
LONGEST_PAUSE = 0.1


class ReadPace:
    """The number of a worker's streams, and the time between two reads of each."""

    def __init__(self) -> None:
        self.streams = 0
        """Streams that are read now."""

    @property
    def pause(self) -> float:
        """Seconds between two reads of one stream; 0 while there are few."""
        seconds = self.streams / READS_A_SECOND
        return min(seconds, LONGEST_PAUSE) if seconds >= SHORTEST_PAUSE else 0.0

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """Count a stream while it is read."""
        self.streams += 1
        try:
            yield
        finally:
            self.streams -= 1

    async def wait(self, connection: Connection | None) -> None:
        """Leave what arrives for ``connection`` with the operating system for a while."""
        pause, protocol = self.pause, None if connection is None else connection.protocol
        if protocol is None or not pause:  # without a connection it has all arrived
            return
        protocol.pause_reading()
        try:
            await asyncio.sleep(pause)
        finally:
            protocol.resume_reading()  # the connection has it no more where the provider closed it meanwhile
