"""A model provider whose own cost is small: an HTTP/1.1 server on a bare asyncio protocol, with bodies made in advance.

``python -m bench.peers.provider`` prints its port and answers every ``POST …/chat/completions`` with the same text, as
one JSON body or as a stream of server-sent events, after the chosen latency. ``PUT /`` with a ``Form`` as JSON changes
latency and chunks for the requests that follow. A reply ends with the form of a ranking that its request shows, filled
in, so that the ballot of a review is valid.
"""

import asyncio
import json
import random
import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

CHARACTERS = 1500
"""Characters of every reply without its ranking, about 250 tokens."""

_SYLLABLES = "ab al an and be com con der ed er ex for ic in ing lo ly ma ment no ous per pro re sion sta sub the ti un"
_RANKING = re.compile(rb"FINAL RANKING[^\\]*(?:\\n\d\. \w+ \?)+")
"""The form in a request, as JSON writes it."""
_MODEL = re.compile(rb'"model": ?"([^"]+)"')
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_STREAM = re.compile(rb'"stream": ?true')
_HEAD_END = b"\r\n\r\n"
_JSON_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
_STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
_USAGE = {"prompt_tokens": 400, "completion_tokens": 250, "total_tokens": 650}


class Form(NamedTuple):
    """The form of the replies."""

    latency_ms: float = 0
    """From the request to the last byte; the chunks of a stream are spread over it evenly."""
    chunks: int = 0
    """Events of a stream; 0 is one JSON body, also for a request that asks for a stream."""


class Piece(NamedTuple):
    """Bytes to write, and the part of the latency after which they are due."""

    due: float
    data: bytes


def reply(request: bytes, form: Form) -> Sequence[Piece]:
    """Return the whole HTTP response to the body of ``request``."""
    model = _MODEL.search(request)
    form_of_ranking = _RANKING.search(request)
    name = model[1] if model else b"unknown"
    ranking = _filled_in(form_of_ranking[0]) if form_of_ranking else b""
    if form.chunks and _STREAM.search(request):
        return _events(name, ranking, form.chunks)
    head, tail = _whole(name)
    body = b"".join((head, b"\\n\\n" if ranking else b"", ranking, tail))
    return [Piece(1.0, b"%s%d%s%s" % (_JSON_HEAD, len(body), _HEAD_END, body))]


def text(model: bytes) -> str:
    """Return the text of a model's replies, without a ranking: words made by chance, which compress as prose does."""
    chance = random.Random(model)
    syllables = _SYLLABLES.split()
    words = ("".join(chance.choices(syllables, k=chance.choice((1, 2, 2, 3)))) for _ in range(CHARACTERS))
    return " ".join(words)[:CHARACTERS]


def _filled_in(form: bytes) -> bytes:
    first, *others = form.split(b"?")
    return first + b"".join(b"%c%s" % (letter, part) for letter, part in zip(b"ABCDEFGH", others, strict=False))


@cache
def _whole(model: bytes) -> tuple[bytes, bytes]:
    """Return a JSON body up to the end of its text, and the rest."""
    message = {"role": "assistant", "content": f"{text(model)}\0"}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {**_stamp(model, "chat.completion"), "choices": [choice], "usage": _USAGE}
    head, _, tail = json.dumps(body, separators=(",", ":")).encode().partition(b"\\u0000")
    return head, tail


def _events(model: bytes, ranking: bytes, chunks: int) -> Sequence[Piece]:
    before, last, done = _prepared(model, chunks)
    said = b"".join((last[0], b"\\n\\n" if ranking else b"", ranking, last[1]))
    return [*before, Piece(1.0, _frame(said) + done)]


@cache
def _prepared(model: bytes, chunks: int) -> tuple[Sequence[Piece], tuple[bytes, bytes], bytes]:
    """Return all events but the last with text, that one cut at the end of its text, and the closing events."""
    whole = text(model)
    ends = [round(len(whole) * n / chunks) for n in range(chunks + 1)]
    events = [_event(model, whole[a:b]) for a, b in pairwise(ends)]
    pieces = [Piece((n + 1) / chunks, _frame(event)) for n, event in enumerate(events[:-1])]
    opened = Piece(pieces[0].due, _STREAM_HEAD + pieces[0].data) if pieces else Piece(0.0, _STREAM_HEAD)
    head, _, tail = _event(model, whole[ends[-2] :] + "\0").partition(b"\\u0000")
    closing = _event(model, "", finish="stop", usage=_USAGE)
    return [opened, *pieces[1:]], (head, tail), _frame(closing) + _frame(b"data: [DONE]\n\n") + b"0\r\n\r\n"


def _event(model: bytes, content: str, *, finish: str | None = None, **more: object) -> bytes:
    choice = {"index": 0, "delta": {"role": "assistant", "content": content}, "finish_reason": finish}
    event = {**_stamp(model, "chat.completion.chunk"), "choices": [choice], **more}
    return b"data: " + json.dumps(event, separators=(",", ":")).encode() + b"\n\n"


def _stamp(model: bytes, kind: str) -> dict[str, object]:
    return {"id": "gen-1", "object": kind, "created": 1_700_000_000, "model": model.decode(), "provider": "bench"}


def _frame(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


class Connection(asyncio.Protocol):
    """One connection; ``form`` returns how to answer, ``change`` sets it."""

    def __init__(self, form: Callable[[], Form], change: Callable[[Form], None]) -> None:
        self._form, self._change = form, change
        self._transport: asyncio.Transport | None = None
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport to write to."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what a TCP server makes
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every request that is complete."""
        self._received += data
        while (end := self._received.find(_HEAD_END)) >= 0:
            head, start = self._received[:end], end + len(_HEAD_END)
            length = _LENGTH.search(head)
            stop = start + (int(length[1]) if length else 0)
            if len(self._received) < stop:
                return
            body, self._received = self._received[start:stop], self._received[stop:]
            self._answer(head, body)

    def _answer(self, head: bytes, body: bytes) -> None:
        if head.startswith(b"POST"):
            form = self._form()
            self._play(reply(body, form), form.latency_ms / 1000)
        else:
            if head.startswith(b"PUT"):
                self._change(Form(**json.loads(body)))
            self._write(_JSON_HEAD + b"2" + _HEAD_END + b"{}")

    def _play(self, pieces: Sequence[Piece], seconds: float) -> None:
        if not seconds:
            self._write(b"".join(piece.data for piece in pieces))
            return
        loop = asyncio.get_running_loop()
        started = loop.time()

        def write_next(number: int) -> None:
            self._write(pieces[number].data)
            if number + 1 < len(pieces):
                loop.call_at(started + pieces[number + 1].due * seconds, write_next, number + 1)

        loop.call_at(started + pieces[0].due * seconds, write_next, 0)

    def _write(self, data: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)


async def serve() -> None:
    """Serve on a free port until this process is ended."""
    now = Form()

    def change(form: Form) -> None:
        nonlocal now
        now = form

    server = await asyncio.get_running_loop().create_server(
        lambda: Connection(lambda: now, change), "127.0.0.1", 0, backlog=1024
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
