"""A client that hides nothing: it sends one request and keeps every byte and the way the connection ended."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

PREFIXES = {
    "openrouter": "/openrouter/api/v1",
    "cerebras": "/cerebras/v1",
    "generic": "/generic/v1",
    "recorded": "/recorded/openrouter/api/v1",
}

QUESTION = "How should a small library decide which journals to keep when budgets shrink?"


@dataclass(frozen=True)
class Heard:
    """Everything that returned on one connection."""

    raw: bytes
    ended: Literal["eof", "reset", "silent"]
    """``silent``: the connection was still open when the listener gave up."""

    @property
    def head(self) -> bytes:
        """Status line and headers."""
        return self.raw.partition(b"\r\n\r\n")[0]

    @property
    def status(self) -> int:
        """The HTTP status."""
        return int(self.head.split()[1])

    @property
    def headers(self) -> dict[str, str]:
        """The headers, with names in lower case."""
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        return {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}

    @property
    def body(self) -> bytes:
        """The body, put together from its chunks when it came in chunks."""
        rest = self.raw.partition(b"\r\n\r\n")[2]
        return b"".join(_chunks(rest)) if self.headers.get("transfer-encoding") == "chunked" else rest

    @property
    def chunks(self) -> list[bytes]:
        """The chunks of the transfer coding, the empty last one not counted."""
        return [c for c in _chunks(self.raw.partition(b"\r\n\r\n")[2]) if c]

    @property
    def whole(self) -> bool:
        """Whether the body reached the end that its headers promise."""
        if self.headers.get("transfer-encoding") == "chunked":
            return self.raw.endswith(b"0\r\n\r\n")
        return len(self.body) == int(self.headers["content-length"])

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def data(self) -> list[str]:
        """The data of all events, in order."""
        lines = self.body.replace(b"\r\n", b"\n").split(b"\n")
        return [line.removeprefix(b"data: ").decode() for line in lines if line.startswith(b"data: ")]

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events that are JSON."""
        return [json.loads(d) for d in self.data if d != "[DONE]"]

    @property
    def text(self) -> str:
        """What the model said, from a stream or a body."""
        if self.headers["content-type"].startswith("text/event-stream"):
            deltas = [c["delta"] for e in self.events for c in e.get("choices") or ()]
            return "".join(d.get("content") or "" for d in deltas)
        return str(self.json["choices"][0]["message"]["content"])


def _chunks(rest: bytes) -> list[bytes]:
    found = []
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        length = int(size or b"0", 16)
        found.append(rest[:length])
        rest = rest[length + 2 :]
    return found


async def ask(
    url: str,
    model: str = "maker/model",
    *,
    dialect: str = "openrouter",
    prompt: str = QUESTION,
    key: str | None = "canary-key",
    patience: float = 5.0,
    headers: dict[str, str] | None = None,
    **more: Any,
) -> Heard:
    """Ask ``model`` once; ``more`` goes into the request's body."""
    body = {"model": model, "messages": [{"role": "user", "content": prompt}], **more}
    sent = {"Authorization": f"Bearer {key}"} if key else {}
    return await send(
        url,
        "POST",
        f"{PREFIXES[dialect]}/chat/completions",
        json.dumps(body).encode(),
        {**sent, **(headers or {})},
        patience,
    )


async def until(condition: Callable[[], object]) -> None:
    """Wait until ``condition`` holds; the test's own timeout bounds it."""
    while not condition():  # noqa: ASYNC110 - what is waited for is a plain value in the ledger
        await asyncio.sleep(0.01)


async def send(  # noqa: PLR0917 - the parts of a request
    url: str, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None, patience: float = 5.0
) -> Heard:
    """Send one request on a connection of its own and listen until it ends or patience does."""
    host, _, port = url.removeprefix("http://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = {"Host": host, "Content-Length": str(len(body)), "Connection": "close", **(headers or {})}
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items()) + "\r\n"
    raw, ended = bytearray(), "eof"
    try:
        writer.write(head.encode() + body)
        async with asyncio.timeout(patience):
            while part := await reader.read(65536):
                raw += part
    except TimeoutError:
        ended = "silent"
    except ConnectionResetError:
        ended = "reset"
    finally:
        writer.transport.abort()
    return Heard(bytes(raw), ended)  # type: ignore[arg-type] # the three words above
