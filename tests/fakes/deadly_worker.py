"""A worker for model calls whose process ends when it reads a stored answer: ``deadly_worker ADDRESS LEDGER QUEUE``."""

import asyncio
import os
import sys
from datetime import timedelta

from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Worker

from activities.call_model import ModelCalls
from activities.providers.catalogue import Catalogue
from ledger.journal import Journal
from ledger.store import Store
from runtime import compression
from tests.fakes.calls import provider

_THROTTLE = timedelta(seconds=1)
EXIT_CODE = 9


def _end(content: bytes) -> bytes | None:
    os._exit(EXIT_CODE)


async def main(address: str, url: str, queue: str) -> None:
    """Work until the process ends."""
    compression.unpacked = _end
    calls = ModelCalls(Catalogue(providers={"lab": provider()}), {}, Journal(Store(url)))
    worker = Worker(
        await Client.connect(address, data_converter=pydantic_data_converter),
        task_queue=queue,
        activities=[calls.call_model],
        max_heartbeat_throttle_interval=_THROTTLE,
        default_heartbeat_throttle_interval=_THROTTLE,
    )
    await worker.run()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
