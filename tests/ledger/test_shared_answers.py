"""A call that is shared with another deliberation: looked up, kept, and never paid for."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.call_model import ModelCalls
from activities.providers.catalogue import Catalogue
from ledger.call_rows import CallContext, call_rows
from ledger.identity import identity_of
from ledger.journal import Journal
from ledger.leases import LeaseTerms
from ledger.store import Store
from ledger.store_errors import StoreBusyError
from ledger.tables import CALLS, JOURNAL
from protocols.model_call import Answered, Failed, ModelCall, Usage
from tests.fakes.calls import model_call
from tests.fakes.payments import Payments, Waiting, answer, failure

OLD = identity_of("council-old", model_call())
NEW = identity_of("council-new", model_call())
BRISK = LeaseTerms(poll_first=0.01, poll_most=0.05)


async def calls(store: Store) -> list[str]:
    """Whose lines are in the ledger."""
    return [row.deliberation_id for row in await store.rows(select(CALLS))]


async def asked(store: Store, call: ModelCall) -> Answered | Failed:
    """Run the activity where no provider is known, so that no one can be asked."""
    environment = ActivityEnvironment()
    environment.info = dataclasses.replace(environment.info, workflow_id="council-new")
    desk = ModelCalls(Catalogue(providers={}), {}, Journal(store))
    try:
        return await environment.run(desk.call_model, call)
    finally:
        await desk.aclose()


async def test_an_answer_is_shared_and_not_paid(store: Store) -> None:
    """The branch gets the answer of its origin, and the ledger gets no second line."""
    await Journal(store).once(OLD, Payments(quick=True), CallContext(stage="opinion"))
    found = await Journal(store).shared(NEW, OLD)

    assert answer() == found
    assert ["council-old"] == await calls(store)


async def test_a_shared_answer_is_kept_by_the_branch_too(store: Store) -> None:
    """A branch is complete: its answers are found when those of its origin are gone, by a branch of it too."""
    await Journal(store).once(OLD, Payments(quick=True))
    await Journal(store).shared(NEW, OLD)
    await store.change(JOURNAL.delete().where(JOURNAL.c.key == OLD.key))
    third = identity_of("council-third", model_call())

    assert [answer()] * 2 == [await Journal(store).shared(NEW, OLD), await Journal(store).shared(third, NEW)]


async def test_a_refusal_that_was_kept_is_shared(store: Store) -> None:
    """What a provider answered finally is shared like an answer, word for word."""
    await Journal(store).once(OLD, Payments(failure(), quick=True))

    assert failure() == await Journal(store).shared(NEW, OLD)


async def test_a_loss_is_read_from_the_ledger(store: Store) -> None:
    """A call that no one answered has no answer in the journal; its line in the ledger states how it was lost."""
    lost = failure().model_copy(update={"usage": Usage(prompt_tokens=3)})
    for line in call_rows(OLD, lost, CallContext()):
        await store.change(store.insert(line.table).values(line.values))

    assert lost == await Journal(store).shared(NEW, OLD)


async def test_nothing_is_found_while_the_origin_still_pays(store: Store) -> None:
    """A lease is no answer."""
    row = {"key": OLD.key, "workflow_id": OLD.workflow_id, "call_id": OLD.call_id, "owner": "somebody"}
    await store.change(store.insert(JOURNAL).values(beat=store.now, **row))

    assert await Journal(store).shared(NEW, OLD) is None


class Locked(Store):
    """A store that is locked when it is first looked at."""

    is_locked = True

    async def transaction(self, work: Callable[[Any], Any], *, is_lone: bool = False) -> Any:
        """Refuse once."""
        if self.is_locked:
            self.is_locked = False
            raise StoreBusyError("locked")
        return await super().transaction(work, is_lone=is_lone)


async def test_a_busy_store_is_waited_for(url: str, store: Store) -> None:
    """A database that is locked for a moment loses no shared answer, and the attempt learns what it waits for."""
    await Journal(store).once(OLD, Payments(quick=True))
    locked, caller = Locked(url), Waiting()
    try:
        assert answer() == await Journal(locked, BRISK).shared(NEW, OLD, caller)
        assert [("locked", False)] == caller.reasons
    finally:
        await locked.close()


async def test_the_activity_needs_no_provider_for_a_shared_call(sqlite_store: Store) -> None:
    """A provider that was taken away since, or whose key is gone, hinders no branch in its shared rounds."""
    await Journal(sqlite_store).once(OLD, Payments(quick=True))

    assert answer() == await asked(sqlite_store, model_call(shared_with="council-old"))


@pytest.mark.parametrize(
    "changes",
    [
        {"shared_with": "council-other"},
        {"messages": [{"role": "user", "content": "Why not?"}]},
        {"model": "lab:large"},
        {"salt": "again"},
        {"call_id": "opinion-p2"},
    ],
    ids=str,
)
async def test_an_answer_to_something_else_is_no_answer(sqlite_store: Store, changes: dict[str, Any]) -> None:
    """Another deliberation, question, model, sample or name: the call fails for good, says which, and asks no one."""
    await Journal(sqlite_store).once(OLD, Payments(quick=True))
    call = model_call(**{"shared_with": "council-old", **changes})
    with pytest.raises(ApplicationError, match=f"never answered the call '{call.call_id}'.*share fewer") as missing:
        await asked(sqlite_store, call)

    assert ("journal.not_shared", True) == (missing.value.type, missing.value.non_retryable)
    assert str(call.shared_with) in missing.value.message


def test_sharing_is_no_part_of_what_is_asked() -> None:
    """The fingerprint is of the question; with whom its answer is shared changes nothing of it."""
    assert identity_of("w", model_call()) == identity_of("w", model_call(shared_with="council-old"))
