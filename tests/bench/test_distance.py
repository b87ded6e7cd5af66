"""The distance between processes of a benchmark: everything arrives, later and in order."""

import asyncio

from bench.distance import HERE, distant


async def test_everything_arrives_in_order_in_both_directions() -> None:
    """What is sent before the far end is connected, and after it, arrives as it was sent; so does the end."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while received := await reader.read(100):
            writer.write(received.upper())
        writer.close()

    async with await asyncio.start_server(echo, HERE, 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with distant(port, 5.0) as way:
            assert way != port
            reader, writer = await asyncio.open_connection(HERE, way)
            for sent in (b"first ", b"second ", b"third"):
                writer.write(sent)
                await asyncio.sleep(0.002)
            assert await reader.readexactly(18) == b"FIRST SECOND THIRD"
            writer.write_eof()
            assert await reader.read() == b""
            writer.close()
            await writer.wait_closed()


async def test_no_distance_is_no_process() -> None:
    """Without milliseconds the port is the one that was asked for."""
    async with distant(7, 0.0) as way:
        assert way == 7
