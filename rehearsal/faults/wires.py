"""Faults below the answer: silence, broken HTTP, broken compression, reset connections.

Bytes are written past the HTTP server where it would not write them itself; see ``HttpExchange.write_raw``.
"""

import zlib
from functools import lru_cache

from aiohttp import web

from rehearsal.dialects.exchange import Gone, HttpExchange, Piece
from rehearsal.faults.fault import Fault

_MEGABYTE = 1_000_000

_TIME_TO_ARRIVE = 0.05
"""Seconds between the last bytes and a reset: a reset that comes too soon takes them with it."""


def _head(scene: HttpExchange, length: int, **headers: str) -> bytes:
    """Return a status line and headers as a server writes them."""
    kind = "text/event-stream" if scene.streaming else "application/json"
    lines = {"Content-Type": kind, "Content-Length": str(length), "Connection": "close", **scene.headers, **headers}
    return b"".join([b"HTTP/1.1 200 OK\r\n", *(f"{k}: {v}\r\n".encode() for k, v in lines.items()), b"\r\n"])


async def _hang(scene: HttpExchange) -> web.StreamResponse:
    await scene.pause(float(scene.args["seconds"]))
    return Gone()


async def _slow_headers(scene: HttpExchange) -> web.StreamResponse:
    body = b"".join(scene.chunks())
    head = _head(scene, len(body))
    step = max(1, len(head) // 20)
    for i in range(0, len(head), step):
        scene.write_raw(head[i : i + step])
        await scene.pause(float(scene.args["seconds"]) / 20)
    scene.write_raw(body)
    return Gone()


async def _close(_scene: HttpExchange) -> web.StreamResponse:
    return Gone()


async def _reset(scene: HttpExchange) -> web.StreamResponse:
    return scene.reset()


async def _reset_mid_stream(scene: HttpExchange) -> web.StreamResponse:
    chunks = scene.chunks()
    await scene.stream([Piece(b"".join(chunks[: max(1, len(chunks) // 2)]))], cut=True)
    await scene.pause(_TIME_TO_ARRIVE)
    return scene.reset()


async def _bill_then_drop(scene: HttpExchange) -> web.StreamResponse:
    await scene.pause(scene.seconds)
    return scene.reset()


async def _garbage(scene: HttpExchange) -> web.StreamResponse:
    scene.write_raw(b"\x16\x03\x01\x02\x00\x01\x00garbage, not HTTP\r\n\r\n")
    return Gone()


async def _short(scene: HttpExchange) -> web.StreamResponse:
    body = b"".join(scene.chunks())
    scene.write_raw(_head(scene, len(body) + 1000) + body[: len(body) // 2])
    return Gone()


async def _bad_gzip(scene: HttpExchange) -> web.StreamResponse:
    body = b"\x1f\x8b\x08\x00 this was never compressed"
    return await scene.send(200, body, headers={**scene.headers, "Content-Encoding": "gzip"})


@lru_cache(maxsize=4)
def _bomb(megabytes: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    blank = b" " * _MEGABYTE
    return b"".join([*(packer.compress(blank) for _ in range(megabytes)), packer.compress(b"{}"), packer.flush()])


async def _gzip_bomb(scene: HttpExchange) -> web.StreamResponse:
    body = _bomb(int(scene.args["megabytes"]))
    return await scene.send(200, body, headers={**scene.headers, "Content-Encoding": "gzip"})


async def _redirect(scene: HttpExchange) -> web.StreamResponse:
    return await scene.send(302, b"", headers={**scene.headers, "Location": f"{scene.url}/rehearsal/elsewhere"})


async def _portal(scene: HttpExchange) -> web.StreamResponse:
    return await scene.send(307, b"", headers={**scene.headers, "Location": "http://portal.example/login?back=1"})


async def _oversized(scene: HttpExchange) -> web.StreamResponse:
    body = b"".join(scene.chunks())
    scene.write_raw(_head(scene, len(body), **{"X-Padding": "x" * int(scene.args["kilobytes"]) * 1000}) + body)
    return Gone()


WIRES = (
    Fault("hang", "silence before any header", _hang, "broken", billed=False, args={"seconds": 3600.0}),
    Fault("slow-headers", "headers a few bytes at a time", _slow_headers, "answered", billed=True,
          args={"seconds": 2.0}),
    Fault("close", "the connection ends before any byte", _close, "broken", billed=False),
    Fault("reset", "the connection is reset before any byte", _reset, "broken", billed=False),
    Fault("reset-mid-stream", "the connection is reset in the middle", _reset_mid_stream, "broken", billed=True),
    Fault("bill-then-drop", "the answer is made and billed, then lost by a reset", _bill_then_drop, "broken",
          billed=True),
    Fault("garbage-bytes", "bytes that are not HTTP", _garbage, "broken", billed=False),
    Fault("short-content-length", "fewer bytes than the length promises", _short, "broken", billed=True),
    Fault("bad-gzip", "a body that claims to be compressed", _bad_gzip, "broken", billed=True),
    Fault("gzip-bomb", "a small body that unpacks to a large one", _gzip_bomb, "broken", billed=True,
          args={"megabytes": 64}),
    Fault("redirect", "sends the client elsewhere", _redirect, "refused", billed=False),
    Fault("portal", "a network's login page catches the request with a redirect", _portal, "refused", billed=False),
    Fault("oversized-header", "one header of many kilobytes", _oversized, "broken", billed=True,
          args={"kilobytes": 128}),
)  # fmt: skip
"""All faults below HTTP, or of HTTP itself."""
