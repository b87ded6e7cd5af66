"""``python -m bench.machines.forward PORT HOST``: hand connections to this machine's PORT on to the same port of HOST.

Scripted models are asked in plain text on a worker's own machine only, and these are on another one.
"""

import asyncio
import sys
from contextlib import suppress

_CHUNK = 65_536


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await source.read(_CHUNK):
            target.write(chunk)
            await target.drain()
    target.close()


async def _serve(port: int, host: str) -> None:
    async def hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection(host, port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(_copy(reader, back), _copy(there, writer))

    async with await asyncio.start_server(hand_on, "127.0.0.1", port) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), sys.argv[2]))
