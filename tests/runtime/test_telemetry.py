"""Spans, when somebody wants them; metrics are tested with the client that has them."""

import asyncio
import subprocess
import sys
from pathlib import Path

from tests.fakes.server import RunningServer

TRACED = """
import asyncio, sys
from pathlib import Path
from aiohttp import web
from temporalio.worker import Worker
from runtime.connect import connect
from runtime.shutdown import leave
from tests.fakes.parrot import Heard, Parrot, repeat
from tests.fakes.server import free_port, settings_in

received = []

async def traces(request):
    received.append(await request.read())
    return web.Response()

async def main(home, server):
    collector = web.Application()
    collector.router.add_post("/v1/traces", traces)
    runner = web.AppRunner(collector)
    await runner.setup()
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    endpoint = f"http://127.0.0.1:{port}/v1/traces"
    client = await connect(settings_in(Path(home), server_port=int(server), otlp_endpoint=endpoint))
    async with Worker(client, task_queue="traced", workflows=[Parrot], activities=[repeat]):
        await client.execute_workflow(Parrot.run, Heard(text="x"), id="traced", task_queue="traced")
    from opentelemetry import trace
    await asyncio.to_thread(trace.get_tracer_provider().force_flush)
    spans = b"".join(received)
    expected = ("StartWorkflow:Parrot", "RunWorkflow:Parrot", "RunActivity:repeat")
    print([name for name in expected if name.encode() in spans])

asyncio.run(main(*sys.argv[1:]))
leave(0)
"""


async def test_spans_reach_the_endpoint(server: RunningServer) -> None:
    """With an endpoint set, a workflow and its activity leave spans there; the sandbox stays on."""
    program = [sys.executable, "-W", "error", "-c", TRACED]
    arguments = [str(server.settings.home), str(server.settings.server_port)]
    traced = await asyncio.to_thread(
        lambda: subprocess.run(
            [*program, *arguments], cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False
        )
    )

    assert traced.stdout.strip() == "['StartWorkflow:Parrot', 'RunWorkflow:Parrot', 'RunActivity:repeat']", (
        traced.stderr
    )
