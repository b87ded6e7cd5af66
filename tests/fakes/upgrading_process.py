"""A process that upgrades a ledger, as a worker does at its start: ``python -m tests.fakes.upgrading_process URL``."""

import asyncio
import sys

from ledger.migrations.upgrade import upgrade
from ledger.store import Store


async def main(url: str) -> None:
    """Upgrade the ledger at ``url``."""
    store = Store(url)
    await upgrade(store)
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
