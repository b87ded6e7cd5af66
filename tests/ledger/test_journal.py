import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text, update
from structlog.testing import capture_logs

from ledger.call_rows import CallContext
from ledger.journal import Journal, UnwritableReplyError
from ledger.leases import Leases, LeaseTerms
from ledger.payments import Caller, Payment
from ledger.store import Store, packed, unpacked
from ledger.store_errors import StoreRefusedError
from ledger.tables import CALLS, JOURNAL, REQUESTS
from protocols.model_call import Answered, Cost, Failed, Usage
from protocols.spending import Reported
from tests.fakes.payments import Payments, answer, failing, failure, identity
from tests.fakes.programs import run_program

BRISK = LeaseTerms(lease=0.4, beat=0.1, confirm=0.5, poll_first=0.01, poll_most=0.05)
CALL = identity()


class Listener(Caller):
    """A caller that passes on the owner of a payment that it joins, and keeps what it takes over.

    A payment that fails cost half a dollar, and one that ended with its process may have cost something.
    """

    def __init__(self, join: Callable[[str], object] = pytest.fail) -> None:
        self._join = join
        self.took_over: list[tuple[float | None, int]] = []

    def join(self, owner: str) -> None:
        """Pass it on."""
        self._join(owner)

    def take_over(self, paid: Reported) -> None:
        """Keep the dollars and the requests without an answer."""
        self.took_over.append((paid.cost.usd, paid.unanswered_requests))

    def lost(self, error: BaseException | None) -> Failed:
        """Return a loss that cost something."""
        cost = Cost() if error is None else Cost(usd=0.5, source="provider")
        return failure(str(error)).model_copy(update={"cost": cost, "unanswered_requests": int(error is None)})


class RefusingCaller(Caller):
    """A caller that has no use for a stored answer."""

    async def find(self) -> None:
        """Refuse it."""
        raise PermissionError


@pytest.fixture
async def journal(store: Store) -> AsyncIterator[Journal]:
    """A journal as one process has it."""
    mine = Journal(store, BRISK)
    yield mine
    mine.abandon(CALL)
    await mine.drain(5)


async def ledger(store: Store) -> list[dict[str, Any]]:
    """All lines of the ledger's calls."""
    return [dict(row._mapping) for row in await store.rows(select(CALLS))]


async def leases(store: Store) -> int:
    """How many rows of the journal hold no answer."""
    return len(await store.rows(select(JOURNAL.c.key).where(JOURNAL.c.answer.is_(None))))


async def test_what_was_paid_in_vain_is_counted_whatever_ends_when(journal: Journal, store: Store) -> None:
    """What a payment took is written down with its end, and stays when the process that takes over is killed.

    It counts once: where a payer without a beat and the one that took over from it both have an answer, too.
    """
    told, leases = ("outcome", "cost_usd", "unanswered_requests"), Leases(store)
    with pytest.raises(ConnectionResetError):
        await journal.once(CALL, failing(ConnectionResetError()), caller=Listener())
    (line,) = await ledger(store)
    assert ["api_error", 0.5, 0] == [line[name] for name in told]
    await leases.take_over(CALL.key, "a process that was killed", await leases.look(CALL.key) or pytest.fail("none"))
    frozen, caller = Payments(), Listener()
    first = asyncio.create_task(journal.once(CALL, frozen, caller=caller))
    await frozen.running.wait()
    (line,) = await ledger(store)
    assert (["api_error", 0.5, 1], [(0.5, 1)]) == ([line[name] for name in told], caller.took_over)
    await leases.take_over(CALL.key, "another one", await leases.look(CALL.key) or pytest.fail("none"))
    second = await Journal(store, BRISK).once(CALL, Payments(quick=True), caller=Listener())
    frozen.finish()
    assert ((0.501, 2), (0.502, 1)) == tuple((one.cost.usd, one.unanswered_requests) for one in (second, await first))
    assert ["answered", 0.502, 1] == [(await ledger(store))[0][name] for name in told]


async def test_a_call_is_paid_kept_and_written_into_the_ledger(journal: Journal, store: Store) -> None:
    """A payment's answer is returned, and its line is in the ledger with stage and round."""
    reply = await journal.once(CALL, Payments(quick=True), CallContext(stage="opinion", round=2))
    (line,) = await ledger(store)
    assert reply == answer()
    told = ("key", "stage", "round", "outcome", "completion_tokens", "cost_usd", "upstream")
    assert [line[name] for name in told] == [CALL.key, "opinion", 2, "answered", 7, 0.001, "Anthropic"]


async def test_an_answer_that_was_paid_is_found_by_another_process(journal: Journal, store: Store) -> None:
    """A process that asks later, anywhere, gets the kept answer, and nothing is paid again."""
    payments = Payments(quick=True)
    await journal.once(CALL, payments)
    with capture_logs() as logs:
        found = await Journal(store, BRISK).once(CALL, payments)
    assert (found, payments.begun) == (answer(), 1)
    assert [entry["event"] for entry in logs] == ["answer_found_in_journal"]


async def test_a_caller_may_refuse_a_stored_answer_before_it_is_read(journal: Journal, store: Store) -> None:
    """An error of the caller is its outcome: a stored answer is not even unpacked, and the next caller finds it."""
    payments = Payments(quick=True)
    await journal.once(CALL, payments)
    await store.change(update(JOURNAL).values(answer=b"damaged"))
    with pytest.raises(PermissionError):
        await journal.once(CALL, payments, caller=RefusingCaller())
    with pytest.raises(StoreRefusedError):
        await journal.once(CALL, payments)
    assert payments.begun == 1


async def test_attempts_of_one_process_share_one_payment(journal: Journal, store: Store) -> None:
    """Two attempts in one process join, and both get the one answer."""
    payments = Payments()
    both = [asyncio.create_task(journal.once(CALL, payments)) for _ in range(2)]
    await payments.running.wait()
    joined = list[str]()
    third = asyncio.create_task(journal.once(CALL, payments, caller=Listener(joined.append)))
    await asyncio.sleep(0)
    payments.finish()
    assert await asyncio.gather(*both, third) == 3 * [answer()]
    assert (payments.begun, len(joined)) == (1, 1)


async def test_a_second_process_waits_for_the_one_that_pays(journal: Journal, store: Store) -> None:
    """While an owner lives its lease is never taken, however long it pays."""
    payments = Payments()
    first = asyncio.create_task(journal.once(CALL, payments))
    await payments.running.wait()
    again, owners = Payments(answer("paid twice"), quick=True), asyncio.Queue[str]()
    second = asyncio.create_task(Journal(store, BRISK).once(CALL, again, caller=Listener(owners.put_nowait)))
    await asyncio.sleep(4 * BRISK.lease)
    assert await owners.get()
    payments.finish()
    assert [await first, await second] == [answer(), answer()]


async def test_a_dead_lease_is_taken_over(journal: Journal, store: Store) -> None:
    """A lease whose owner no longer beats goes to the next who asks."""
    await Leases(store).claim(CALL, "a process that was killed")
    caller = Listener()
    with capture_logs() as logs:
        reply = await journal.once(CALL, Payments(quick=True), caller=caller)
    assert answer().model_copy(update={"unanswered_requests": 1}) == reply
    assert ("dead_lease_taken_over" in [entry["event"] for entry in logs], caller.took_over) == (True, [(None, 1)])


async def test_a_dead_lease_from_the_future_is_taken_over(journal: Journal, store: Store) -> None:
    """A clock that was set back does not keep a dead lease alive: it is watched."""
    await Leases(store).claim(CALL, "a process that was killed")
    await store.change(update(JOURNAL).values(beat=store.now + 3600))
    assert await journal.once(CALL, Payments(quick=True)) == answer()


async def test_a_claim_that_was_made_without_being_confirmed_is_ours(store: Store) -> None:
    """When the connection broke after the lease was written, its owner does not wait for itself."""
    patient = Journal(store, BRISK.model_copy(update={"lease": 3600.0}))
    payments = Payments(quick=True)
    job = Payment(CALL, payments, CallContext(stage="opinion"), Caller())
    await Leases(store).claim(CALL, job.owner)
    job.start(patient._settled(job), patient._forget)
    assert await job.wait() == answer()


async def test_a_clock_that_jumps_does_not_kill_an_owner(journal: Journal, store: Store) -> None:
    """A beat that looks old is not enough: the owner gets its chance to beat again."""
    payments, again = Payments(), Payments(answer("paid twice"), quick=True)
    first = asyncio.create_task(journal.once(CALL, payments))
    await payments.running.wait()
    await store.change(update(JOURNAL).values(beat=store.now - 3600))
    second = asyncio.create_task(Journal(store, BRISK).once(CALL, again))
    await asyncio.sleep(2 * BRISK.confirm)
    payments.finish()
    assert [await first, await second] == [answer(), answer()]
    assert again.begun == 0


async def test_a_payment_that_fails_gives_the_lease_back(journal: Journal, store: Store) -> None:
    """What ``pay`` raises reaches the caller after the lease is gone, and the next attempt pays at once."""
    with pytest.raises(ConnectionResetError):
        await journal.once(CALL, failing(ConnectionResetError()))
    assert await leases(store) == 0
    assert await journal.once(CALL, Payments(quick=True)) == answer()


async def test_a_final_failure_is_kept_like_an_answer(journal: Journal, store: Store) -> None:
    """A ``Failed`` that ``pay`` returns is final: it is found again and is in the ledger."""
    payments = Payments(failure(), quick=True)
    assert await journal.once(CALL, payments) == await Journal(store).once(CALL, payments) == failure()
    (line,) = await ledger(store)
    assert (payments.begun, line["outcome"], line["error_type"]) == (1, "api_error", "provider.bad_request")


async def test_a_cancelled_caller_leaves_the_payment_running(journal: Journal, store: Store) -> None:
    """An attempt that is given up gets its cancellation at once; the answer is kept and found by the next."""
    payments = Payments()
    caller = asyncio.create_task(journal.once(CALL, payments))
    await payments.running.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    payments.finish()
    assert await journal.once(CALL, failing(AssertionError())) == answer()
    assert (payments.begun, payments.cancelled, len(await ledger(store))) == (1, 0, 1)


async def test_a_caller_that_only_waited_pays_nothing_after_it_left(journal: Journal, store: Store) -> None:
    """When no one waits any more, a job that has not started to pay never begins."""
    await Leases(store).claim(CALL, "a process that was killed")
    payments = Payments(quick=True)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(journal.once(CALL, payments), BRISK.poll_most)
    await asyncio.sleep(BRISK.lease + 2 * BRISK.confirm)
    assert (payments.begun, await ledger(store)) == (0, [])


async def test_an_attempt_that_comes_back_while_another_leaves_is_served(journal: Journal, store: Store) -> None:
    """A new attempt is never cancelled because an earlier one was."""
    await Leases(store).claim(CALL, "a process that was killed")
    leaving = asyncio.create_task(journal.once(CALL, Payments(quick=True)))
    await asyncio.sleep(0.02)
    leaving.cancel()
    for _ in range(20):
        await asyncio.sleep(BRISK.poll_first / 4)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(journal.once(CALL, Payments(quick=True)), BRISK.poll_first / 2)
    assert await journal.once(CALL, Payments(quick=True)) == answer()


async def test_a_call_that_a_person_cancels_is_no_longer_paid(journal: Journal, store: Store) -> None:
    """``abandon`` cancels the payment, gives the lease back, and everyone who waits is cancelled."""
    payments = Payments()
    caller = asyncio.create_task(journal.once(CALL, payments))
    await payments.running.wait()
    journal.abandon(CALL)
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert (payments.cancelled, await leases(store), await ledger(store)) == (1, 0, [])


async def test_a_call_abandoned_while_waiting_is_never_paid(journal: Journal, store: Store) -> None:
    """``abandon`` also stops who waits for another process, and leaves that process's lease alone."""
    await Leases(store).claim(CALL, "another process")
    payments = Payments(quick=True)
    caller = asyncio.create_task(journal.once(CALL, payments))
    await asyncio.sleep(0.05)
    journal.abandon(CALL)
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert (payments.begun, await leases(store)) == (0, 1)


async def test_abandoning_nothing_does_nothing(journal: Journal, store: Store) -> None:
    """An answer that is kept stays, and a call that no one makes cannot be stopped."""
    await journal.once(CALL, Payments(quick=True))
    journal.abandon(CALL)
    assert await journal.once(CALL, failing(AssertionError())) == answer()


def with_both_costs(first: Answered, tokens: int) -> Answered:
    """The first answer, with what another one of so many tokens took."""
    used = Usage(prompt_tokens=20, completion_tokens=tokens)
    return first.model_copy(update={"usage": used, "cost": Cost(usd=0.002, source="provider")})


async def test_the_first_answer_is_everybodys_answer(journal: Journal, store: Store) -> None:
    """An owner that slept through a take-over returns the answer stored before its own, at the cost of both."""
    mute = Journal(store, BRISK.model_copy(update={"beat": 3600.0}))
    slow, quick = Payments(answer("late", tokens=99)), Payments(answer("first"), quick=True)
    late = asyncio.create_task(mute.once(CALL, slow))
    await slow.running.wait()
    assert await journal.once(CALL, quick) == answer("first")
    slow.finish()
    with capture_logs() as logs:
        assert await late == with_both_costs(answer("first"), 106)
    (line,) = await ledger(store)
    assert ([entry["event"] for entry in logs], line["completion_tokens"], line["cost_usd"]) == (
        ["call_paid_twice"],
        106,
        0.002,
    )
    assert await journal.once(CALL, quick) == with_both_costs(answer("first"), 106)


async def test_a_request_that_was_answered_late_is_no_longer_without_an_answer(journal: Journal, store: Store) -> None:
    """Who took over counted the sleeper's request as one that may be billed; with its cost it is counted no more."""
    mute = Journal(store, BRISK.model_copy(update={"beat": 3600.0}))
    slow = Payments(answer("late", tokens=99))
    quick = Payments(answer("first").model_copy(update={"unanswered_requests": 1}), quick=True)
    late = asyncio.create_task(mute.once(CALL, slow))
    await slow.running.wait()
    await journal.once(CALL, quick)
    (before,) = await ledger(store)
    slow.finish()
    assert await late == with_both_costs(answer("first"), 106)
    (after,) = await ledger(store)
    assert (before["unanswered_requests"], after["unanswered_requests"]) == (1, 0)


async def test_an_owner_that_wakes_first_is_received_by_who_took_over(journal: Journal, store: Store) -> None:
    """The other way round: who took over returns what the woken owner stored, and the cost of both."""
    mute = Journal(store, BRISK.model_copy(update={"beat": 3600.0}))
    woken, took_over = Payments(answer("woken")), Payments(answer("second"))
    first = asyncio.create_task(mute.once(CALL, woken))
    await woken.running.wait()
    second = asyncio.create_task(journal.once(CALL, took_over))
    await took_over.running.wait()
    woken.finish()
    assert await first == answer("woken")
    took_over.finish()
    assert (await second, len(await ledger(store))) == (with_both_costs(answer("woken"), 14), 1)


async def test_a_salt_buys_a_fresh_sample(journal: Journal, store: Store) -> None:
    """Another salt is another call."""
    payments = Payments(quick=True)
    await journal.once(CALL, payments)
    await journal.once(identity(salt="again"), payments)
    assert (payments.begun, len(await ledger(store))) == (2, 2)


async def requests(store: Store) -> list[tuple[str, bytes]]:
    """What was asked, by fingerprint."""
    return [(row.key, unpacked(row.request)) for row in await store.rows(select(REQUESTS))]


async def test_what_several_calls_ask_is_written_once(journal: Journal, store: Store) -> None:
    """A request is in the ledger with the first answer to it, under the fingerprint of every call that asks it."""
    asked = CallContext(request=packed(b'{"model":"m"}'))
    await journal.once(CALL, Payments(quick=True), asked)
    await journal.once(identity("opinion-p2"), Payments(quick=True), asked)
    assert await requests(store) == [(CALL.fingerprint, b'{"model":"m"}')]
    assert {row["fingerprint"] for row in await ledger(store)} == {CALL.fingerprint}


async def test_what_a_lost_call_asked_is_written_too(journal: Journal, store: Store) -> None:
    """A payment that fails leaves its request and no lease; one whose request is unknown leaves nothing."""
    with pytest.raises(ConnectionResetError):
        await journal.once(CALL, failing(ConnectionResetError()), CallContext(request=packed(b"{}")))
    with pytest.raises(ConnectionResetError):
        await journal.once(identity("opinion-p2"), failing(ConnectionResetError()))
    assert (await requests(store), await leases(store)) == ([(CALL.fingerprint, b"{}")], 0)


@pytest.mark.parametrize(
    "text", ["a\x00b", "words " * 2_000_000, "", "🜚 «naïve»"], ids=["nul", "12 MB", "empty", "unicode"]
)
async def test_answers_come_back_as_they_went(journal: Journal, store: Store, text: str) -> None:
    """Any text that is valid Unicode survives, NUL and millions of characters included."""
    await journal.once(CALL, Payments(answer(text), quick=True))
    assert await Journal(store).once(CALL, failing(AssertionError())) == answer(text)


async def test_an_answer_that_is_no_unicode_is_refused_for_good(journal: Journal, store: Store) -> None:
    """A lone surrogate cannot be kept: a final error, and the lease is gone."""
    with pytest.raises(StoreRefusedError, match="valid Unicode"):
        await journal.once(CALL, Payments(answer("\ud800"), quick=True))
    assert await leases(store) == 0


async def test_an_answer_that_is_too_long_is_refused_for_good(
    journal: Journal, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that Temporal would not take is not kept either: a final error with what was paid for."""
    monkeypatch.setattr("ledger.journal.LARGEST_REPLY", 1000)
    with pytest.raises(UnwritableReplyError, match="bytes as JSON; 1000 is the most") as refused:
        await journal.once(CALL, Payments(answer("long " * 1000), quick=True))
    assert answer("long " * 1000) == refused.value.reply
    assert await leases(store) == 0


async def test_an_answer_of_another_version_is_refused_by_name(journal: Journal, store: Store) -> None:
    """An answer that this version cannot read is reported to be that, without its text."""
    await Leases(store).claim(CALL, "a newer version")
    await store.change(update(JOURNAL).values(answer=packed(b'{"kind":"canary"}')))
    with pytest.raises(StoreRefusedError, match="another version") as refused:
        await journal.once(CALL, failing(AssertionError()))
    assert "canary" not in str(refused.value)


async def test_draining_waits_for_what_is_being_paid(journal: Journal, store: Store) -> None:
    """A shutdown waits for payments, and only for payments, so long as it was given."""
    await Leases(store).claim(identity("waiting"), "another process")
    waiting = asyncio.create_task(journal.once(identity("waiting"), Payments()))
    payments = Payments()
    paying = asyncio.create_task(journal.once(CALL, payments))
    await payments.running.wait()
    left = await journal.drain(0.05)
    payments.finish()
    assert (left, await journal.drain(30)) == (1, 0)
    assert (await paying, len(await ledger(store))) == (answer(), 1)
    waiting.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await waiting


def test_what_one_process_has_paid_is_found_by_another_one_of_the_same_origin(sqlite_url: str, tmp_path: Path) -> None:
    """Two processes that were forked from one, with all its modules, are two owners: the second one pays nothing."""
    payments = tmp_path / "payments"
    arguments = ["tests.fakes.paying_process", sqlite_url, str(payments), "0"]
    said = {run_program(arguments, os.environ).stdout.splitlines()[-1] for _ in "12"}
    assert said == {f"paid by {process}" for process in payments.read_text().splitlines()}
    assert len(said) == 1


async def test_an_answer_that_is_refused_by_the_store_is_lost_there_with_its_own_cost(sqlite_store: Store) -> None:
    """The caller gets it; the ledger's line of the loss has what its provider billed."""
    for change in ("insert", "update"):
        refusal = f"create trigger no_{change} before {change} on journal when new.answer is not null"
        await sqlite_store.change(text(f"{refusal} begin select raise(abort, 'no'); end"))
    paid = answer().model_copy(update={"cost": Cost(usd=0.25, source="provider")})
    assert await Journal(sqlite_store, BRISK).once(CALL, Payments(paid, quick=True), caller=Listener()) == paid
    assert [(line["cost_usd"], line["outcome"] == "answered") for line in await ledger(sqlite_store)] == [(0.25, False)]
