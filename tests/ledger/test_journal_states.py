"""The journal as a state machine: whatever happens in whatever order, one answer, one line, nothing paid at once."""

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from hypothesis.strategies import integers
from sqlalchemy import select

from ledger.journal import Journal
from ledger.leases import LeaseTerms
from ledger.store import Store, unpacked
from ledger.tables import CALLS, JOURNAL
from protocols.model_call import Answered
from tests.fakes.payments import answer, identity
from tests.fakes.upgraded import UpgradedLedgers

# No one dies here, so no lease is ever taken over: two payments at once would be a mistake.
TERMS = LeaseTerms(lease=3600.0, beat=3600.0, poll_first=0.001, poll_most=0.001)
CALL = identity()
PROCESSES = 2


class Journals(RuleBasedStateMachine):
    """Two processes on one database, a copy of ``upgraded``, ask for one call, again and again."""

    upgraded: UpgradedLedgers

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.Runner()
        self.home = tempfile.TemporaryDirectory()
        url = self.loop.run(self.upgraded.file(Path(self.home.name) / "books.db"))
        self.stores = [Store(url) for _ in range(PROCESSES)]
        self.journals = [Journal(store, TERMS) for store in self.stores]
        self.callers: list[asyncio.Task[Any]] = []
        self.running: list[asyncio.Future[Answered]] = []
        self.count = 0
        self.first: str | None = None

    async def pay(self) -> Answered:
        """Pay until a rule says how it ends."""
        self.running.append(asyncio.get_running_loop().create_future())
        mine = self.running[-1]
        try:
            return await mine
        finally:
            self.running.remove(mine)

    def let_pass(self) -> None:
        """Let everything happen that happens by itself."""
        self.loop.run(asyncio.sleep(0.02))

    def let_settle(self, end: Callable[[], None]) -> None:
        """End the payment that runs, and let it be kept or given back, however long that takes.

        Another process may begin to pay as soon as it is given back; that one is not waited for.
        """
        paying = [job.task for journal in self.journals for job in journal._paying if job.task is not None]
        end()
        self.loop.run(asyncio.wait(paying, timeout=30))
        self.let_pass()

    @rule(process=integers(0, PROCESSES - 1))
    def ask(self, process: int) -> None:
        """A process asks for the call."""

        async def begin() -> None:
            self.callers.append(asyncio.create_task(self.journals[process].once(CALL, self.pay)))

        self.loop.run(begin())
        self.let_pass()

    # What runs depends on time, which must not decide which rules there are: nothing happens where nothing runs.

    @rule()
    def answer(self) -> None:
        """The model answers."""
        if not self.running:
            return
        self.count += 1
        self.first = self.first or f"answer {self.count}"
        self.let_settle(lambda: self.running[0].set_result(answer(f"answer {self.count}")))

    @rule()
    def fail(self) -> None:
        """The payment fails."""
        if self.running:
            self.let_settle(lambda: self.running[0].set_exception(ConnectionResetError()))

    @precondition(lambda self: self.callers)
    @rule(which=integers(0, 20))
    def cancel(self, which: int) -> None:
        """Temporal gives up on an attempt."""
        self.callers[which % len(self.callers)].cancel()
        self.let_pass()

    @rule(process=integers(0, PROCESSES - 1))
    def abandon(self, process: int) -> None:
        """A user cancels."""
        self.journals[process].abandon(CALL)
        self.let_pass()

    @invariant()
    def one_payment_at_a_time(self) -> None:
        """While no one dies, at most one process pays, and no one after there is an answer."""
        assert len(self.running) <= (0 if self.first else 1)

    @invariant()
    def one_answer_and_one_line(self) -> None:
        """The first answer stays, with one line; before that there is none."""
        kept = self.loop.run(self.stores[0].rows(select(JOURNAL.c.answer).where(JOURNAL.c.answer.is_not(None))))
        lines = self.loop.run(self.stores[0].rows(select(CALLS.c.key)))
        texts = [Answered.model_validate_json(unpacked(row.answer)).text for row in kept]
        assert (texts, len(lines)) == (([self.first], 1) if self.first else ([], 0))

    @invariant()
    def everybody_gets_the_same(self) -> None:
        """Every process that got an answer got the first one."""
        ended = [c for c in self.callers if c.done() and not c.cancelled() and c.exception() is None]
        assert {caller.result().text for caller in ended} <= {self.first}

    def teardown(self) -> None:
        """Stop everything; no one is left waiting."""
        for journal in self.journals:
            journal.abandon(CALL)
        for caller in self.callers:
            caller.cancel()
        self.let_pass()
        for store in self.stores:
            self.loop.run(store.close())
        self.loop.close()
        self.home.cleanup()


def test_whatever_happens_one_answer_is_kept(upgraded: UpgradedLedgers) -> None:
    """In any order of asking, answering, failing, cancelling and abandoning, the invariants hold."""
    machine = type("Copies", (Journals,), {"upgraded": upgraded})
    run_state_machine_as_test(machine, settings=settings(max_examples=20, stateful_step_count=16))
