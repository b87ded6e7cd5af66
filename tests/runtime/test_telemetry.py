"""Spans, when one wants them; metrics are tested with the client that has them."""

import asyncio
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.telemetry import silence_task_failures
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


WARNED = """
import asyncio, subprocess, sys
from pathlib import Path
from temporalio.client import Client
from runtime.connect import answers
from runtime.logs import configure_logs
from runtime.server_flags import command, environment
from runtime.shutdown import leave
from runtime.telemetry import temporal_runtime
from tests.fakes.server import free_port, settings_in, target_of

async def main(home):
    server = None
    while server is None or not await answers(target_of(settings)):
        if server is None or server.poll() is not None:
            # A port that was free may be taken by another process in the meantime.
            settings = settings_in(Path(home), server_port=free_port(), ui_port=free_port())
            configure_logs(settings)
            settings.home.mkdir(parents=True, exist_ok=True)
            run = command(settings, settings.home / "temporal.db", "default", ())
            server = subprocess.Popen(run, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        await asyncio.sleep(0.1)
    # With the SDK's own retries, which warn from the fifth of ten on.
    client = await Client.connect(target_of(settings).address, runtime=temporal_runtime(settings))
    server.kill()
    server.wait()
    try:
        await asyncio.wait_for(client.get_workflow_handle("nobody").describe(), 4)
    except TimeoutError:
        print("the document")

asyncio.run(main(*sys.argv[1:]))
leave(0)
"""


async def test_the_sdk_s_own_warnings_leave_standard_output_alone(tmp_path: Path) -> None:
    """What core has to say about a server that is gone is a line of the log, and standard output stays a document."""
    warned = await asyncio.to_thread(
        lambda: subprocess.run(
            [sys.executable, "-c", WARNED, str(tmp_path)],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=False,
        )
    )

    assert (warned.returncode, warned.stdout.strip()) == (0, "the document"), warned.stderr
    assert "describe_workflow_execution" in warned.stderr
    assert "BufferedLogEntry" not in warned.stderr


@pytest.mark.parametrize(("target", "said"), [("worker::workflow", []), ("worker", ["Failing"])])
def test_a_command_leaves_out_the_lines_of_core_about_failing_tasks(
    target: str, said: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Core hands its lines to one logger under longer names, so that no other logger's level concerns them."""
    silence_task_failures()
    core = logging.getLogger("temporal.core")
    name = f"temporal.core-sdk_core::temporalio_sdk_core::{target}"
    core.handle(core.makeRecord(name, logging.WARNING, "core", 0, "Failing", (), None))
    core.filters.clear()

    assert said == caplog.messages
