"""The events of a stream, from its bytes in any pieces.

Events that are whole, and of the form of those before them, are read together and never divided into lines. All others
are read line by line, and both ways give the same.
"""

from collections.abc import Iterator

from activities.providers.chunk_pattern import ChunkPattern, Words
from activities.providers.errors import TooLargeError

LARGEST_EVENT = 8_000_000
"""Bytes of one event of a stream, which is buffered until its end."""
MOST_EVENTS = 500_000
"""Events of a stream that hold data: more than any model writes tokens."""

_END = b"\n\n"


class EventReader:
    """A reader of one stream of ``provider``; other fields than ``data`` and ``error`` mean nothing here."""

    def __init__(self, provider: str, pattern: ChunkPattern) -> None:
        self.size = 0
        """Bytes of the event that has not ended."""
        self._provider, self._pattern = provider, pattern
        self._unended: list[bytes] = []
        """Pieces of a line that has not ended."""
        self._data: list[str] = []
        self._is_first_line = True
        self._is_after_return = False
        self._number = 0

    def read(self, piece: bytes) -> Iterator[str | Words]:
        """Yield the data of every event that ``piece`` completes, or the words of events of the learned form.

        What is yielded is taken before the next is asked for: the form may be learned from it.

        Raises:
            UnicodeDecodeError: the text is not UTF-8.
            TooLargeError: an event is too large, or there are too many.
        """
        for event in self._events(piece):
            self._number += len(event.words) if isinstance(event, Words) else 1
            yield event
        if self.size > LARGEST_EVENT:
            raise self._too_large(f"more than {LARGEST_EVENT} bytes")
        if self._number > MOST_EVENTS:
            raise self._too_large(f"more than {MOST_EVENTS} events")

    def _events(self, piece: bytes) -> Iterator[str | Words]:
        if b"\r" in piece or self._is_after_return:
            yield from self._by_line(piece)
            return
        begin = 0
        if self._is_first_line or self._unended or self._data:
            first = piece.find(_END)
            begin = first + len(_END) if first >= 0 else len(piece)
            yield from self._by_line(piece[:begin])
        last = piece.rfind(_END, begin)
        if last >= 0:
            yield from self._whole(piece[begin : last + len(_END)].decode())
            begin = last + len(_END)
        if begin < len(piece):
            yield from self._by_line(piece[begin:])

    def _whole(self, text: str) -> Iterator[str | Words]:
        """Yield the events of ``text``, which begins and ends between two events."""
        at = 0
        while at < len(text):
            run, at = self._pattern.run(text, at)
            if run.words:
                yield run
                continue
            end = text.find("\n\n", at)
            if end < 0:
                return  # one more empty line, which ends nothing
            for line in text[at:end].split("\n"):
                if event := self._event(line):
                    yield event
            if event := self._event(""):
                yield event
            at = end + len(_END)

    def _by_line(self, piece: bytes) -> list[str]:
        if self._is_after_return and piece:
            piece = piece.removeprefix(b"\n")  # the second half of a line's end
            self._is_after_return = False
        self.size += len(piece)
        if b"\n" not in piece and b"\r" not in piece:
            self._unended.append(piece)
            return []
        lines = b"".join((*self._unended, piece)).splitlines(keepends=True)
        self._is_after_return = piece.endswith(b"\r")
        self._unended = [] if piece.endswith((b"\n", b"\r")) else [lines.pop()]
        return [event for line in lines if (event := self._event(line.rstrip(b"\r\n").decode()))]

    def _event(self, line: str) -> str:
        """Return the data of the event that ``line`` ends; empty if it ends none."""
        if self._is_first_line:
            line, self._is_first_line = line.removeprefix("\ufeff"), False
        if line:
            field, _, value = line.partition(":")
            if field == "data":
                self._data.append(value.removeprefix(" "))
            elif field == "error":  # llama.cpp's until the end of 2025
                self._data.append(f'{{"error":{value}}}')
            return ""
        self.size = sum(map(len, self._unended))
        event, self._data = "\n".join(self._data), []
        return event

    def _too_large(self, said: str) -> TooLargeError:
        return TooLargeError(f"sent {said} and was cut off", provider=self._provider)
