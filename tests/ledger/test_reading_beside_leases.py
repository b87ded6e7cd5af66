"""One hostile reply is read while other calls are being paid: no lease of theirs is lost."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from activities.reader_process import ReaderProcess
from activities.reply_readers import LONGEST_TEXT, UnreadableError
from bench.hostile_texts import SHAPES
from ledger.identity import CallIdentity
from ledger.journal import Journal
from ledger.leases import LeaseTerms
from ledger.store import Store
from protocols.model_call import Answered, ReaderRef
from tests.fakes.payments import Payments, answer, identity

pytestmark = pytest.mark.timeout(60)

BRISK = LeaseTerms(lease=0.4, beat=0.1, confirm=0.5, poll_first=0.01, poll_most=0.05)
CALLS = tuple(identity(f"opinion-p{n}") for n in range(1, 5))
ASSESSMENT = ReaderRef(reader="fire_circle.assessment")
HOSTILE = [SHAPES[name](LONGEST_TEXT) for name in ("objects left open", "fences", "lists left open", "versions") * 2]

Reading = Callable[[], Awaitable[None]]


async def read_apart() -> None:
    """Read hostile replies as the worker does."""
    readers = ReaderProcess()
    for text in HOSTILE:
        with suppress(UnreadableError):
            await readers.read(text, ASSESSMENT)
    await readers.aclose()


async def read_on_the_loop() -> None:
    """Do nothing else for as long as such a reply took to be read where everything else happens."""
    await asyncio.sleep(0.05)
    time.sleep(2.5)  # noqa: ASYNC251 - a loop that is blocked is what is shown


async def paid_again(url: str, reading: Reading) -> int:
    """How many calls another worker paid while this one paid for them and did ``reading``."""
    store, payments, rival = Store(url), Payments(), Payments(answer("again"), quick=True)
    mine = Journal(store, BRISK)

    async def ask(call: CallIdentity) -> Answered:
        reply = await mine.once(call, payments)
        assert isinstance(reply, Answered)
        return reply

    asked = [asyncio.create_task(ask(call)) for call in CALLS]
    while payments.begun < len(CALLS):
        await payments.running.wait()
        await asyncio.sleep(0.01)
    other = asyncio.create_task(asyncio.to_thread(asyncio.run, _rival(url, rival)))
    await reading()
    payments.finish()
    await asyncio.gather(*asked, other)
    await mine.drain(5)
    await store.close()
    return rival.begun


async def _rival(url: str, payments: Payments) -> None:
    """Another worker, with a loop and a store of its own, that wants the same calls."""
    store = Store(url)
    journal = Journal(store, BRISK)
    await asyncio.gather(*(journal.once(call, payments) for call in CALLS))
    await journal.drain(5)
    await store.close()


async def test_no_lease_is_lost_while_hostile_replies_are_read(sqlite_url: str) -> None:
    """The calls beside a hostile reply are paid once, by the worker that holds their leases."""
    assert 0 == await paid_again(sqlite_url, read_apart)


async def test_a_blocked_loop_would_lose_them(sqlite_url: str) -> None:
    """Read on the event loop, the same replies have another worker pay: the test above can fail."""
    assert 0 < await paid_again(sqlite_url, read_on_the_loop)
