"""A distance between processes of one computer: what is sent arrives later, in both directions.

``python -m bench.distance PORT MILLISECONDS`` hands connections on to this computer's PORT, and writes the port on
which it takes them.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

HERE = "127.0.0.1"


@asynccontextmanager
async def distant(port: int, milliseconds: float) -> AsyncIterator[int]:
    """Yield a port that leads to ``port`` with a delay of ``milliseconds`` each way; without one ``port`` itself."""
    if not milliseconds:
        yield port
        return
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", __name__, str(port), str(milliseconds)), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None  # noqa: S101 - it was asked for
        yield int(await process.stdout.readline())
    finally:
        process.kill()
        await process.wait()


class _End(asyncio.Protocol):
    """One end of a connection: what arrives here is sent by the other end after a while."""

    def __init__(self, later: Callable[..., object], open_other: "Callable[[_End], None] | None" = None) -> None:
        self._later = later
        self._open_other = open_other
        self._transport: asyncio.Transport | None = None
        self._early = bytearray()
        self.other: _End

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send what has come before the connection."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - TCP
        self._transport = transport
        transport.write(self._early)
        if self._open_other is not None:
            self._open_other(self)

    def data_received(self, data: bytes) -> None:
        """Send ``data`` from the other end later."""
        self._later(self.other.send, data)

    def connection_lost(self, _: Exception | None) -> None:
        """Close the other end later."""
        self._later(self.other.close)

    def send(self, data: bytes) -> None:
        """Send ``data``."""
        if self._transport is None:
            self._early += data
        else:
            self._transport.write(data)

    def close(self) -> None:
        """Close this end."""
        if self._transport is not None:
            self._transport.close()


async def _serve(port: int, milliseconds: float) -> None:
    loop = asyncio.get_running_loop()
    later = partial(loop.call_later, milliseconds / 1000)
    opening = set[asyncio.Future[object]]()

    def open_other(near: _End) -> None:
        far = _End(later)
        near.other, far.other = far, near
        task: asyncio.Future[object] = asyncio.ensure_future(loop.create_connection(lambda: far, HERE, port))
        opening.add(task)
        task.add_done_callback(opening.discard)

    async with await loop.create_server(lambda: _End(later, open_other), HERE, 0) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), float(sys.argv[2])))
