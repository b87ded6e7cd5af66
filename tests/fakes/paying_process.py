"""A process that wants one call to be paid: ``python -m tests.fakes.paying_process URL PAYMENTS SECONDS``.

It appends a line to the file ``PAYMENTS`` when it begins to pay, pays for ``SECONDS``, and prints the text it got.
"""

import asyncio
import os
import sys
from pathlib import Path

from ledger.journal import Journal
from ledger.store import Store
from protocols.model_call import Answered
from tests.fakes.payments import answer, identity


async def main(url: str, payments: Path, seconds: float) -> None:
    """Ask the journal once."""
    store = Store(url)

    async def pay() -> Answered:
        with payments.open("a") as file:
            file.write(f"{os.getpid()}\n")
        await asyncio.sleep(seconds)
        return answer(f"paid by {os.getpid()}")

    reply = await Journal(store).once(identity(), pay)
    sys.stdout.write(f"{reply.text}\n")
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])))
