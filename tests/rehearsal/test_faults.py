"""Every fault is played on a real connection, streamed and not, and compared with what must arrive."""

import asyncio

import pytest

from rehearsal.api.server import Rehearsal
from rehearsal.faults.script import Rule, Script
from rehearsal.faults.table import FAULTS
from rehearsal.models.behaviours import BEHAVIOURS
from tests.rehearsal.expectations import ARGS, REFUSED, SILENT, STREAMED, WHOLE
from tests.rehearsal.listening import ask, until

UNMARKED = {"hang", "close", "reset", "bill-then-drop", "garbage-bytes"}
"""Faults that send no HTTP header at all."""


def booked(stage: Rehearsal) -> tuple[str, bool, bool]:
    """The fault that was played on the one call, and whether it was counted as completed and as billed."""
    (call,), (arrival,) = stage.ledger.calls.values(), stage.ledger.arrivals
    return arrival.fault, call.completed == 1, call.billed == 1


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", FAULTS)
async def test_fault_is_received_on_the_wire(stage: Rehearsal, name: str, streamed: bool) -> None:
    """A fault does on the wire what its row promises, carries the mark, and is booked as its row states."""
    row = FAULTS[name]
    stage.perform(Script(faults=(Rule(fault=name, args=ARGS.get(name, {})),)))
    expected = (REFUSED | (STREAMED if streamed else WHOLE))[name]

    heard = await ask(stage.url, stream=streamed, patience=0.3 if name in SILENT else 5.0)

    assert expected(heard), heard
    assert name in UNMARKED or heard.headers["x-parley-rehearsal"] == "1"
    assert booked(stage) == (name, row.outcome == "answered", row.billed)


def test_every_fault_has_an_expectation() -> None:
    """A new row without an expectation, or an expectation without a row, is a failure."""
    assert set(REFUSED) | set(WHOLE) == set(FAULTS) == set(REFUSED) | set(STREAMED)
    assert not set(REFUSED) & (set(WHOLE) | set(STREAMED))


def test_no_fault_has_the_name_of_a_behaviour() -> None:
    """One name means one thing, because both are asked for in a model's name."""
    assert not set(FAULTS) & set(BEHAVIOURS)


@pytest.mark.parametrize("name", [n for n, f in FAULTS.items() if f.outcome == "answered"])
async def test_answered_fault_still_delivers_the_whole_text(stage: Rehearsal, name: str) -> None:
    """An odd but whole answer says the same words as the ordinary one."""
    plain = await ask(stage.url, stream=True)
    stage.perform(Script(faults=(Rule(fault=name, args=ARGS.get(name, {})),)))

    odd = await ask(stage.url, stream=True)

    assert [w for w in odd.text.split() if w != "é漢😀"] == plain.text.split()
    assert odd.whole


@pytest.mark.parametrize("dialect", ["cerebras", "generic"])
async def test_stream_breaks_in_the_words_of_its_dialect(stage: Rehearsal, dialect: str) -> None:
    """An error in the middle of a stream is written as the dialect writes it."""
    stage.perform(Script(faults=(Rule(fault="mid-stream-error"),)))

    heard = await ask(stage.url, dialect=dialect, stream=True)

    last = heard.events[-1]
    assert last["error"]["message"] == "Provider disconnected"
    assert (last.get("status_code") == 502) == (dialect == "cerebras") == (b"event: error\n" in heard.body)


@pytest.mark.parametrize("fault", ["401", "429-token-quota", "404-no-endpoints", "503"])
async def test_cerebras_errors_are_flat(stage: Rehearsal, fault: str) -> None:
    """A refusal in the Cerebras dialect has no wrapper."""
    heard = await ask(stage.url, f"gpt-oss-120b+{fault}", dialect="cerebras")

    assert set(heard.json) == {"message", "type", "param", "code"}
    assert "x-ratelimit-limit-tokens-minute" in heard.headers


@pytest.mark.parametrize(("name", "outcome"), [("503", "refused"), ("disconnect", "broken"), ("crlf", "answered")])
async def test_arrival_ends_with_the_outcome_of_its_fault(stage: Rehearsal, name: str, outcome: str) -> None:
    """The log says of every arrival how it ended."""
    await ask(stage.url, f"lab/model+{name}", stream=True)

    assert [(a.outcome, a.finished) for a in stage.ledger.arrivals] == [(outcome, True)]


async def test_silence_ends_when_the_project_closes() -> None:
    """Closing the server ends a call that is being kept in silence, and the client receives the end."""
    async with Rehearsal() as stage:
        listening = asyncio.create_task(ask(stage.url, "rehearsal/hang"))
        await until(lambda: stage.ledger.arrivals)

    assert (await listening).ended in {"eof", "reset"}
    assert stage.ledger.arrivals[0].outcome == "dropped"


async def test_silence_ends_when_the_client_leaves(stage: Rehearsal) -> None:
    """A call without a listener is finished as dropped, and is not billed."""
    await ask(stage.url, "rehearsal/hang", patience=0.05)
    (arrival,) = stage.ledger.arrivals
    await until(lambda: arrival.finished)

    assert arrival.outcome == "dropped"
    assert stage.ledger.summary()["billed"] == 0
