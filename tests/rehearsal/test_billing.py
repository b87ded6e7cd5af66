"""The ledger: what is a call, what is an arrival, what is kept of a key, and what is billed."""

import asyncio
from hashlib import sha256

import pytest

from rehearsal.api.server import Rehearsal
from tests.rehearsal.listening import ask, send, until

KEY = "sk-or-v1-canary-0123456789"


async def test_same_question_is_one_call_that_arrived_twice(stage: Rehearsal) -> None:
    """Without a name from the client, model and messages are the call's name."""
    await ask(stage.url)
    await ask(stage.url)
    await ask(stage.url, prompt="Something else?")

    counts = [(c["arrivals"], c["completed"], c["stage"]) for c in stage.ledger.summary()["calls"]]
    assert counts == [(2, 2, "opinion"), (1, 1, "opinion")]


async def test_client_names_its_call(stage: Rehearsal) -> None:
    """A name in X-Parley-Call is the call's name: the same words under two names are two calls."""
    for name in ("deliberation-1/opinion-p1", "deliberation-2/opinion-p1", "deliberation-1/opinion-p1"):
        await ask(stage.url, headers={"X-Parley-Call": name})

    assert {k: c.arrivals for k, c in stage.ledger.calls.items()} == {
        "deliberation-1/opinion-p1": 2,
        "deliberation-2/opinion-p1": 1,
    }


async def test_key_is_kept_as_a_digest_only(stage: Rehearsal) -> None:
    """Nothing that the server shows holds the key; the ledger holds eight digits of its digest."""
    heard = await ask(stage.url, key=KEY)
    pages = [
        await send(stage.url, "GET", f"/rehearsal/{p}", headers={"Authorization": f"Bearer {KEY}"})
        for p in ("ledger", "arrivals", "faults", "health")
    ]

    (call,) = pages[0].json["calls"]
    assert (call["key_sent"], call["key_print"]) == (True, sha256(KEY.encode()).hexdigest()[:8])
    assert not any(KEY.encode() in h.raw for h in [heard, *pages])


async def test_answer_that_was_billed_and_lost_is_billed_again(stage: Rehearsal) -> None:
    """A lost response costs as much as a received one, and asking again costs again."""
    await ask(stage.url, "lab/model+bill-then-drop@1")
    once = stage.ledger.usd
    await ask(stage.url, "lab/model+bill-then-drop@1")

    (call,) = stage.ledger.calls.values()
    assert (call.arrivals, call.completed, call.billed) == (2, 1, 2)
    assert 0 < stage.ledger.usd == pytest.approx(2 * once)


async def test_generic_endpoint_costs_nothing(stage: Rehearsal) -> None:
    """A plain endpoint is another user's own machine: its calls complete and cost nothing."""
    await ask(stage.url, dialect="generic")

    assert stage.ledger.summary()["billed_usd"] == 0
    assert stage.ledger.summary()["completed"] == 1


async def test_arrivals_are_logged_in_order_with_what_became_of_them(stage: Rehearsal) -> None:
    """The log of arrivals shows for each when it came, when it ended and how."""
    await ask(stage.url, "lab/model+500-masked@1")
    await ask(stage.url, "lab/model+500-masked@1")
    heard = await send(stage.url, "GET", "/rehearsal/arrivals")

    first, second = heard.json["arrivals"]
    assert [(a["number"], a["nth"], a["fault"], a["outcome"]) for a in (first, second)] == [
        (1, 1, "500-masked", "refused"),
        (2, 2, "normal", "answered"),
    ]
    assert first["at"] <= first["finished_at"] <= second["at"] <= second["finished_at"]


async def test_log_can_be_read_from_a_number_on(stage: Rehearsal) -> None:
    """``since`` leaves out what was already read, and nonsense in its place is refused."""
    await ask(stage.url)
    await ask(stage.url)
    rest = await send(stage.url, "GET", "/rehearsal/arrivals?since=1")
    wrong = await send(stage.url, "GET", "/rehearsal/arrivals?since=x")

    assert [a["number"] for a in rest.json["arrivals"]] == [2]
    assert (wrong.status, "'x'" in wrong.json["error"]) == (400, True)


async def test_call_in_flight_is_not_finished(stage: Rehearsal) -> None:
    """While a call is being answered its arrival is in flight."""
    listening = asyncio.create_task(ask(stage.url, "lab/model+hang"))
    await until(lambda: stage.ledger.arrivals)
    (arrival,) = stage.ledger.arrivals
    seen = (arrival.finished, arrival.outcome)
    listening.cancel()

    assert seen == (False, "in flight")


async def test_client_that_leaves_a_whole_answer_pays_for_it(stage: Rehearsal) -> None:
    """A dropped call that was not streamed is billed, because the provider finishes it."""
    await send(stage.url, "POST", "/rehearsal/script", b'{"latency_ms": 300}')
    await ask(stage.url, patience=0.05)
    await until(lambda: stage.ledger.arrivals[0].finished)

    (call,) = stage.ledger.calls.values()
    assert (call.completed, call.billed, stage.ledger.arrivals[0].outcome) == (0, 1, "dropped")


async def test_reset_forgets_everything(stage: Rehearsal) -> None:
    """After a reset the ledger is as new, and arrivals count from one again."""
    await ask(stage.url, "lab/model+500-masked@1")
    await send(stage.url, "DELETE", "/rehearsal/ledger")
    heard = await ask(stage.url, "lab/model+500-masked@1")

    assert heard.status == 500
    assert [a.number for a in stage.ledger.arrivals] == [1]


async def test_followed_redirect_is_counted(stage: Rehearsal) -> None:
    """Coming to where the redirect points is counted, so that a client that follows it is found out."""
    where = (await ask(stage.url, "rehearsal/redirect")).headers["location"]
    await send(stage.url, "POST", where.removeprefix(stage.url))

    assert stage.ledger.summary()["redirects_followed"] == 1
