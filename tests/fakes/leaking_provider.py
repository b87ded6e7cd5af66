"""Providers that give back the key they were sent, each in a way of its own."""

import asyncio
import base64
import html
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from urllib.parse import quote

from aiohttp import web

Shape = Callable[[web.Request, str], web.StreamResponse]

_EVENTS = {"content-type": "text/event-stream"}


def _complaint(status: int, write: Callable[[str], str]) -> Shape:
    return lambda _request, key: web.json_response({"error": {"message": f"no: {write(key)}"}}, status=status)


def _with_header(name: str, status: int = 400) -> Shape:
    return lambda _request, key: web.json_response({"error": {"message": "no"}}, status=status, headers={name: key})


def _stream(*chunks: Callable[[str], dict[str, object]]) -> Shape:
    def answer(_request: web.Request, key: str) -> web.StreamResponse:
        ends = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
        events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in (*(make(key) for make in chunks), ends))
        return web.Response(text=f"{events}data: [DONE]\n\n", headers=_EVENTS)

    return answer


def _delta(field: str, write: Callable[[str], str] = str) -> Callable[[str], dict[str, object]]:
    return lambda key: {"choices": [{"delta": {"content": "So. ", field: write(key)}}]}


def _page(status: int) -> Shape:
    def answer(_request: web.Request, key: str) -> web.StreamResponse:
        text = f"<html><title>{html.escape(key)}</title><a href='/?k={quote(key)}'>{key}</a></html>"
        return web.Response(text=text, status=status, content_type="text/html")

    return answer


def _basic(key: str) -> str:
    return f"Basic {base64.b64encode(f'me:{key}'.encode()).decode()}"


SHAPES: Mapping[str, Shape] = {
    "error body": _complaint(401, str),
    "error body, upper case": _complaint(401, str.upper),
    "error body, cut at 300 characters": _complaint(400, lambda key: "." * 280 + key),
    "error body, Basic in base64": _complaint(403, _basic),
    "error body, hexadecimal": _complaint(400, lambda key: key.encode().hex()),
    "error body, in an address": _complaint(400, lambda key: f"https://me:{key}@host.example/?api_key={quote(key)}"),
    "error body, entities": _complaint(400, lambda key: "".join(f"&#{ord(char)};" for char in key)),
    "error body, upstream's raw words": lambda _request, key: web.json_response(
        {"error": {"message": "no", "code": 400, "metadata": {"raw": json.dumps({"auth": f"Bearer {key}"})}}},
        status=400,
    ),
    "error body, flat": lambda _request, key: web.json_response({"message": key, "code": "wrong_api_key"}, status=401),
    "error inside 200": lambda _request, key: web.json_response({"error": {"message": key, "code": 400}}),
    "error inside a stream": _stream(_delta("role"), lambda key: {"error": {"message": key, "code": 400}}),
    "request id": _with_header("x-request-id"),
    "generation id": _with_header("x-generation-id", 401),
    "content type": lambda _request, key: web.Response(body=b"x", headers={"content-type": f"text/{key}"}),
    "redirect": lambda _request, key: web.Response(
        status=302, headers={"location": f"https://{key}.example/{key}?k={key}"}
    ),
    "web page": _page(200),
    "web page of an error": _page(403),
    "broken event": lambda _request, key: web.Response(text=f"data: {{{key}\n\n", headers=_EVENTS),
    "reply": _stream(_delta("content", lambda key: f"Your key is {key}.")),
    "reply, base64": _stream(_delta("content", _basic)),
    "reply, over two chunks": _stream(
        _delta("content", lambda key: key[: len(key) // 2]),
        lambda key: {"choices": [{"delta": {"content": key[len(key) // 2 :]}}]},
    ),
    "reasoning": _stream(_delta("reasoning", lambda key: f"They sent {key}.")),
    "names": _stream(
        lambda key: {"id": key, "model": key, "provider": key, "choices": [{"delta": {"content": "So."}}]}
    ),
    "reasons it ended": lambda _request, key: web.json_response(
        {"choices": [{"message": {"content": "So."}, "finish_reason": key, "native_finish_reason": key}]}
    ),
}
"""Name to what a provider answers."""


@asynccontextmanager
async def leaking_providers(keys: Mapping[str, str]) -> AsyncIterator[tuple[str, dict[str, int]]]:
    """Serve ``/NAME/v1`` for every name of ``keys``; yield the address, and how many requests came with each's key."""
    came = dict.fromkeys(keys, 0)
    shapes = dict(zip(keys, SHAPES.values(), strict=False))

    async def answer(request: web.Request) -> web.StreamResponse:
        await request.read()
        name = request.match_info["name"]
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        came[name] += key == keys[name]
        return shapes[name](request, key)

    app = web.Application()
    app.router.add_post("/{name}/v1/chat/completions", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}", came
    finally:
        await asyncio.wait_for(runner.cleanup(), 10)
