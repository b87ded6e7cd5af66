"""Start a council with Temporal's SDK alone; Parley is not imported.

Needs a worker: run `parley up --rehearse` in another terminal.
"""

import asyncio
import os

from temporalio.client import Client


async def main() -> None:
    """Print the verdict."""
    client = await Client.connect(os.environ.get("TEMPORAL_ADDRESS", "127.0.0.1:7233"))
    result = await client.execute_workflow(
        "Council",
        {"question": "Why is the sky blue?", "rehearse": True},
        id="sky-from-python",
        task_queue="parley",
    )
    print(result["verdict"], flush=True)


asyncio.run(main())
os._exit(0)
