"""The activity that asks one model once."""

import asyncio
import dataclasses
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import BaseModel, JsonValue, TypeAdapter
from structlog.testing import capture_logs
from temporalio import activity
from temporalio.activity import ActivityCancellationDetails
from temporalio.api.failure.v1 import Failure
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.attempts import CallAttempts
from activities.call_model import ModelCalls
from activities.providers.agreements import with_agreement
from activities.providers.catalogue import Catalogue
from activities.providers.replies import make_reply
from activities.sibling_calls import SiblingCalls
from ledger.call_rows import CallContext
from ledger.identity import identity_of, request_of
from ledger.store import packed
from protocols.council.readers import READERS
from protocols.model_call import Answered, Failed, Heartbeat, ModelCall, ReaderRef, Reply, Usage
from protocols.reply_reader import ReplyReader
from tests.fakes.calls import model_call, provider
from tests.fakes.journal import FakeJournal
from tests.fakes.last_attempt import KILLED, REPORTED, environment_after
from tests.fakes.readers import InlineReaders
from tests.fakes.wire import Piece, Wire, answering, chunk, json_answer, spoken

Answer = Callable[[httpx.Request], httpx.Response]
LAB = Catalogue(providers={"lab": provider(key_variable="LAB_KEY")})
ENVIRON = {"LAB_KEY": "sk-canary-123456"}
SILENCE = answering(chunk("x"), 30.0)
STARTED = datetime(2026, 5, 1, 14, 3, tzinfo=UTC)
"""When attempts begin, as the server states."""


class Desk:
    """One activity worker: the activity, its journal, its wire, and what it sent to Temporal."""

    def __init__(self, answer: Answer, environ: Mapping[str, str] = ENVIRON, *, ended: Failure = KILLED) -> None:
        self.wire = Wire(answer)
        self.journal = FakeJournal()
        self.heartbeats: list[dict[str, Any]] = []
        self.calls = ModelCalls(LAB, environ, self.journal, self.wire.pool(), InlineReaders())
        self.environment = environment_after(ended)
        self.environment.on_heartbeat = self.heartbeats.append

    async def ask(self, call: ModelCall, attempt: int = 1, told: Any = None) -> Answered | Failed:
        """Run the activity once, after an attempt that ``told`` this last."""
        self.environment.info = dataclasses.replace(
            self.environment.info,
            attempt=attempt,
            started_time=STARTED,
            workflow_id="council-1",
            heartbeat_details=[] if told is None else [told],
        )
        return await self.environment.run(self.calls.call_model, call)

    async def cancelled(self, call: ModelCall, why: ActivityCancellationDetails) -> None:
        """Run the activity and cancel it when the model has started to write."""
        running = asyncio.ensure_future(self.ask(call))
        await self.wire.asked.wait()
        await asyncio.sleep(0.05)
        self.environment.cancel(why)
        with pytest.raises(asyncio.CancelledError):
            await running


async def test_an_answer_is_read_and_accounted_for() -> None:
    """An answer comes back with its reading, its usage, its cost and the attempt that brought it."""
    reply = await Desk(answering(*spoken("Blue."))).ask(model_call(), attempt=3)
    assert isinstance(reply, Answered)
    assert (reply.text, reply.usage, reply.cost.usd) == ("Blue.", Usage(prompt_tokens=7, completion_tokens=3), 0.25)
    plain = {"has_header": False, "has_ranking_object": False}
    assert (reply.reading, reply.attempts) == ({"shown": "Blue.", "names_hidden": [], **plain}, 3)


async def test_a_paid_call_is_not_paid_again() -> None:
    """A second attempt at the same call is answered from the journal."""
    desk = Desk(answering(*spoken("Blue.")))
    first = await desk.ask(model_call())
    assert await desk.ask(model_call(), attempt=2) == first
    assert len(desk.wire.requests) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"salt": "again"},
        {"model": "lab:large"},
        {"sampling": {"temperature": 1}},
        {"messages": [{"role": "user", "content": "Why not?"}]},
        {"read_as": {"reader": "council.synthesis"}},
        {"call_id": "opinion-p2"},
    ],
)
def test_what_is_asked_is_part_of_the_identity(change: dict[str, Any]) -> None:
    """A different request under the same workflow is another call."""
    assert identity_of("w", model_call(**change)).key != identity_of("w", model_call()).key


@pytest.mark.parametrize("change", [{"patience": {"total": 9}}, {"stage": "other"}, {"participant": "p9"}])
def test_how_it_is_asked_is_no_part_of_the_identity(change: dict[str, Any]) -> None:
    """Patience and bookkeeping may change without paying again."""
    assert identity_of("w", model_call(**change)).key == identity_of("w", model_call()).key


async def test_the_ledgers_lines_state_when_and_where_it_was_asked() -> None:
    """The journal is given the protocol, the run, the stage and the round of the call, and all that it asks."""
    desk, call = Desk(answering(*spoken("Blue."))), model_call(stage="review", round=3)
    await desk.ask(call)
    run_id, asked = desk.environment.info.workflow_run_id or "", packed(request_of(call))
    expected = CallContext(protocol="council", run_id=run_id, stage="review", round=3, request=asked)
    assert [expected] == desk.journal.occasions
    told = ModelCall.model_validate({**call.model_dump(), **json.loads(request_of(call))})
    assert (told, b"Bearer" in request_of(call)) == (call, False)


async def test_replies_of_a_run_are_reported_together_and_kept_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reply waits for one that its run gets a moment later, and is in the journal before it waits."""
    monkeypatch.setattr("activities.call_model.SiblingCalls", lambda: SiblingCalls(60.0))
    desk, later = Desk(answering(*spoken("Blue."))), Desk(answering(0.1, *spoken("Green.")))
    later.calls._siblings = desk.calls._siblings  # one worker with two providers
    replies = [asyncio.create_task(one.ask(model_call())) for one in (later, desk)]
    while not desk.journal.answers:  # noqa: ASYNC110 - a journal has no event
        await asyncio.sleep(0.001)
    assert not any(reply.done() for reply in replies)
    assert [reply.text for reply in await asyncio.gather(*replies)] == ["Green.", "Blue."]


async def test_a_refusal_is_data_and_is_kept() -> None:
    """A refusal comes back as a value, and the journal has it."""
    desk = Desk(json_answer({"choices": [{"message": {"refusal": "No."}, "finish_reason": "stop"}]}))
    reply = await desk.ask(model_call())
    assert (reply.kind, reply.text) == ("refused", "No.")
    assert list(desk.journal.answers.values()) == [reply]


async def test_an_error_is_raised_for_temporal_to_decide() -> None:
    """A provider's error is not journalled, and carries its type, delay and safe details."""
    desk = Desk(json_answer({"error": {"message": "slow down"}}, 429, **{"retry-after": "7"}))
    with pytest.raises(ApplicationError) as failed:
        await desk.ask(model_call(), attempt=2)
    assert (failed.value.type, failed.value.non_retryable) == ("provider.rate_limited", False)
    assert failed.value.details == ({"provider": "lab", "status": 429, "attempt": 2, "request_id": None},)
    assert desk.journal.answers == {}


@pytest.mark.parametrize(
    ("change", "environ", "error_type"),
    [
        ({"model": "nowhere:x"}, ENVIRON, "config.unknown_provider"),
        ({"model": "rehearsal:x"}, ENVIRON, "config.unknown_provider"),
        ({"read_as": {"reader": "council.oracle"}}, ENVIRON, "config.unknown_reader"),
        ({}, {}, "config.missing_key"),
        ({}, {"LAB_KEY": "sk canary"}, "config.bad_key"),
    ],
)
async def test_wrong_settings_are_found_before_anything_is_paid(
    change: dict[str, Any], environ: dict[str, str], error_type: str
) -> None:
    """A fault in the settings is final, and the provider is not asked."""
    desk = Desk(answering(*spoken("x")), environ)
    with pytest.raises(ApplicationError) as failed:
        await desk.ask(model_call(**change))
    assert (failed.value.type, failed.value.non_retryable) == (error_type, True)
    assert (desk.wire.requests, desk.journal.answers) == ([], {})
    assert 0.0 == failed.value.details[0]["paid"]["cost"]["usd"]


async def test_a_reader_that_breaks_does_not_lose_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text that was paid for comes back as unparseable, with what it cost."""

    def broken(_text: str, _needs: Mapping[str, JsonValue]) -> BaseModel | None:
        raise KeyError("no")

    monkeypatch.setitem(READERS, "opinion", ReplyReader(broken))
    reply = await Desk(answering(*spoken("Blue."))).ask(model_call())
    assert (reply.kind, reply.text, reply.cost.usd) == ("unparseable", "Blue.", 0.25)


async def test_a_reply_that_cannot_be_written_down_fails_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reading with a lone surrogate is a clear and final failure before Temporal sees it."""

    class _Broken(BaseModel):
        text: str = "\ud800"

    monkeypatch.setitem(READERS, "opinion", ReplyReader(lambda _text, _needs: _Broken()))
    with pytest.raises(ApplicationError) as failed:
        await Desk(answering(*spoken("Blue."))).ask(model_call())
    assert (failed.value.type, failed.value.non_retryable) == ("reply.not_encodable", True)
    assert failed.value.details[0]["paid"]["cost"]["usd"] == 0.25


async def test_heartbeats_state_how_far_it_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a model writes, Temporal learns who writes, how much, and how it ends."""
    monkeypatch.setattr("activities.heartbeats.HEARTBEAT_SECONDS", 0.4)
    desk = Desk(answering(chunk("one "), chunk("two"), 0.9, *spoken("three")))
    await desk.ask(model_call())
    assert desk.heartbeats[-1] == {
        "participant": "p1",
        "model": "lab:small",
        "provider": "lab",
        "tokens": 2,
        "tail": "one two",
        "request_id": "gen-1",
        "phase": "writing",
        "tries": {},
        "away": None,
    }


async def test_heartbeats_of_the_verdict_carry_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what the model thinks; the text of any other reply does not travel."""
    monkeypatch.setitem(READERS, "opinion", READERS["opinion"]._replace(verdict=""))
    monkeypatch.setattr("activities.heartbeats.HEARTBEAT_SECONDS", 0.4)
    desk = Desk(answering(chunk("<think>hm</think>"), chunk("one "), chunk("two"), 0.9, *spoken("three")))
    await desk.ask(model_call())
    assert ("one two", 7) == (desk.heartbeats[-1]["text"], desk.heartbeats[-1]["characters"])
    assert {Heartbeat} == set(map(type, desk.heartbeats))


@pytest.mark.parametrize(
    ("attempt", "told", "is_final", "tries"),
    [
        (1, None, False, {"provider.empty": 1}),
        (2, {"tries": {"provider.stalled": 1}}, False, {"provider.stalled": 1, "provider.empty": 1}),
        (1999, {"tries": {"provider.tls": 1998}}, False, {"provider.tls": 1998, "provider.empty": 1}),
        (2, {"tries": {"provider.empty": 1}}, True, {"provider.empty": 2}),
        (2, {"tokens": 3, "phase": "writing"}, False, {"provider.empty": 1}),
        (2, {"tries": {"provider.empty": "often"}}, False, {"provider.empty": 1}),
        (2, {"tries": None}, False, {"provider.empty": 1}),
        (2, "half a line", False, {"provider.empty": 1}),
    ],
)
async def test_few_tries_are_counted_by_type_of_error(
    attempt: int, told: Any, *, is_final: bool, tries: dict[str, int]
) -> None:
    """An empty answer is final after another one and after nothing else, however many attempts there were."""
    desk = Desk(answering(*spoken()))
    with pytest.raises(ApplicationError) as failed:
        await desk.ask(model_call(), attempt, told=told)
    assert (failed.value.type, failed.value.non_retryable) == ("provider.empty", is_final)
    assert [beat["tries"] for beat in desk.heartbeats] == [tries]


async def test_an_attempt_without_a_word_is_paid_for_like_any_other() -> None:
    """What an empty answer took counts for the call, with that of the answer that follows on any worker."""
    empty = Desk(answering(*spoken()))
    with pytest.raises(ApplicationError):
        await empty.ask(model_call())
    reply = await Desk(answering(*spoken("Blue."))).ask(model_call(), 2, empty.heartbeats[-1])
    assert (reply.text, reply.usage, reply.cost.usd) == ("Blue.", Usage(prompt_tokens=14, completion_tokens=6), 0.5)


async def test_a_call_that_stays_without_a_word_is_lost_with_what_it_took() -> None:
    """The error that gives the call up carries the tokens and the cost of all its attempts."""
    desk, said = Desk(answering(*spoken())), list[dict[str, Any]]()
    for attempt, told in ((1, None), (2, 0)):
        with pytest.raises(ApplicationError) as failed:
            await desk.ask(model_call(), attempt, told if told is None else desk.heartbeats[told])
        said.append(failed.value.details[0]["paid"])
    tokens = [(one["usage"]["prompt_tokens"], one["usage"]["completion_tokens"]) for one in said]
    assert ([(7, 3), (14, 6)], [0.25, 0.5]) == (tokens, [one["cost"]["usd"] for one in said])


async def test_a_failure_of_which_nothing_was_reported_carries_no_tokens() -> None:
    """Where the provider names no tokens, neither the heartbeat nor the error does."""
    desk = Desk(answering(b"", status=503))
    with pytest.raises(ApplicationError) as failed:
        await desk.ask(model_call())
    assert (False, False) == ("paid" in desk.heartbeats[-1], "paid" in failed.value.details[0])


@pytest.mark.parametrize(
    ("status", "body", "usd"),
    [
        (401, {"error": {"message": "User not found."}}, 0.0),
        (402, {"error": {"message": "Insufficient credits."}}, 0.0),
        (403, {"error": {"metadata": {"flagged_input": "x"}}}, 0.0),
        (404, {"error": {"message": "No endpoints found."}}, 0.0),
        (400, {"error": {"message": "content filter"}}, None),
        (200, {"error": {"message": "Provider returned error", "code": 404}}, None),
    ],
)
async def test_a_request_that_no_model_saw_costs_nothing(status: int, body: JsonValue, usd: float | None) -> None:
    """A refusal for key, credit, content or name is known to be free; one that a model may have read is not."""
    with pytest.raises(ApplicationError) as failed:
        await Desk(json_answer(body, status)).ask(model_call())
    paid = failed.value.details[0].get("paid", {"cost": {"usd": None}, "usage": {"prompt_tokens": None}})
    assert (usd, None if usd is None else 0) == (paid["cost"]["usd"], paid["usage"]["prompt_tokens"])


@pytest.mark.parametrize(
    ("wire", "expected"),
    [
        (answering(chunk("Bl")), 1),
        (answering(b"data: {not json}\n\n"), 1),
        (answering(b"", status=503), 0),
        (answering(b"", status=429), 0),
        (answering(*spoken()), 0),
    ],
    ids=["broken off", "no reply", "away", "rate limited", "without a word, and reported"],
)
async def test_a_request_without_an_answer_may_be_billed(wire: Answer, expected: int) -> None:
    """A reply counts the earlier requests that may be billed without a report; those that were refused are none.

    The ledger's line of the loss, which is written before its attempt ends, counts them too.
    """
    first = Desk(wire)
    with pytest.raises(ApplicationError):
        await first.ask(model_call())
    reply = await Desk(answering(*spoken("Blue."))).ask(model_call(), 2, first.heartbeats[-1])

    assert [expected] * 2 == [one.unanswered_requests for one in (reply, *first.journal.losses) if one]


async def test_an_outage_begins_with_its_first_failure() -> None:
    """The first failure of an absent provider notes the server's time, the next ones keep it and count."""
    desk = Desk(answering(b"", status=503))
    for attempt, told in ((1, None), (2, 0)):
        with pytest.raises(ApplicationError, match="away since 14:03 UTC"):
            await desk.ask(model_call(), attempt, told if told is None else desk.heartbeats[told])
    first, second = (beat["away"] for beat in desk.heartbeats)
    assert (first["failures"], second["failures"]) == (1, 2)
    assert first["since"] == second["since"]
    assert first["since"].startswith("2026-05-01T14:03:00")


@pytest.mark.parametrize(("seconds", "is_final"), [(0, False), (895, False), (900, True), (86_000, True)])
async def test_the_servers_clock_states_how_long_a_provider_is_away(seconds: float, *, is_final: bool) -> None:
    """The patience runs from the first failure by the server's clock; this machine's own date plays no part."""
    desk = Desk(answering(b"", status=503))
    away = {"since": (STARTED - timedelta(seconds=seconds)).isoformat(), "failures": 3}
    with pytest.raises(ApplicationError) as failed:
        await desk.ask(model_call(), 4, {"tries": {"provider.unavailable": 3}, "away": away})
    assert failed.value.non_retryable is is_final


@pytest.mark.parametrize(
    ("seconds", "pause", "is_final"), [(400, 86_000, False), (600, 86_000, True), (850, 40, False), (850, 60, True)]
)
async def test_time_in_which_nothing_was_tried_uses_up_no_patience(seconds: int, pause: int, *, is_final: bool) -> None:
    """Of a pause only five minutes count, the longest between two attempts: in the rest the machine slept."""
    desk, latest = Desk(answering(b"", status=503)), STARTED - timedelta(seconds=pause)
    away = {"since": (latest - timedelta(seconds=seconds)).isoformat(), "failures": 3, "latest": latest.isoformat()}
    for attempt in (4, 5):
        told = {"tries": {"provider.unavailable": attempt - 1}, "away": away}
        with pytest.raises(ApplicationError) as failed:
            await desk.ask(model_call(), attempt, told)
        away = desk.heartbeats[-1]["away"]
        assert failed.value.non_retryable is is_final


async def test_another_failure_ends_an_outage() -> None:
    """A provider that answers, if wrongly, is not away; the next outage has its own beginning."""
    desk = Desk(answering(*spoken()))
    away = {"since": (STARTED - timedelta(seconds=9999)).isoformat(), "failures": 3}
    with pytest.raises(ApplicationError):
        await desk.ask(model_call(), 4, {"tries": {"provider.unavailable": 3}, "away": away})
    assert [beat["away"] for beat in desk.heartbeats] == [None]


async def test_a_call_over_which_workers_die_is_given_up() -> None:
    """After as many silent attempts as the patience allows nothing is asked: it could end this worker too."""
    desk, patience = Desk(answering(*spoken("Blue."))), {"attempts": 3}
    told = {"tries": {"provider.unavailable": 2}}
    assert (await desk.ask(model_call(patience=patience), 5, told)).kind == "answered"
    with pytest.raises(ApplicationError, match="3 attempts ended without a word") as failed:
        await Desk(SILENCE).ask(model_call(patience=patience), 6, told)
    assert (failed.value.type, failed.value.non_retryable) == ("worker.timeout", True)


async def test_attempts_that_failed_outside_of_the_activity_are_no_lost_workers() -> None:
    """An argument that cannot be fetched, or a result that cannot be stored, leaves no word: the server is asked."""
    desk, call = Desk(answering(*spoken("Blue.")), ended=REPORTED), model_call(patience={"attempts": 3})
    paid = await desk.ask(call, 40)
    assert await desk.ask(call, 44) == paid
    assert (len(desk.wire.requests), desk.heartbeats) == (1, [])


async def test_a_call_whose_answer_the_worker_fails_to_take_in_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of the worker's own, such as no thread to read a reply, is paid for as often as the patience allows."""

    async def without_thread(*_: object) -> JsonValue:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(InlineReaders, "read", without_thread)
    desk, call, told = Desk(answering(*spoken("Blue.")), ended=REPORTED), model_call(patience={"attempts": 2}), None
    for attempt in (1, 2):
        with pytest.raises(RuntimeError):
            await desk.ask(call, attempt, told)
        told = desk.heartbeats[-1]
    with pytest.raises(ApplicationError, match="2 attempts failed in the worker over its answer") as failed:
        await desk.ask(call, 3, told)
    assert (True, 2) == (failed.value.non_retryable, len(desk.wire.requests))


async def test_an_answer_that_was_paid_is_returned_however_many_attempts_were_silent() -> None:
    """Heartbeats that came too late lose no answer that the journal has, and nothing is asked again."""
    desk, call = Desk(answering(*spoken("Blue."))), model_call(patience={"attempts": 2})
    paid = await desk.ask(call)
    assert await desk.ask(call, attempt=40) == paid
    assert len(desk.wire.requests) == 1


async def test_an_attempt_that_joins_a_payment_forgives_the_silent_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a payment continues, its worker lives: late heartbeats use up none of the deaths that a call may cause."""
    monkeypatch.setattr("activities.heartbeats.HEARTBEAT_SECONDS", 0.4)
    desk, call = Desk(answering(chunk("Bl"), 1.3, chunk("ue.", "stop"), b"data: [DONE]\n\n")), model_call()
    first = asyncio.ensure_future(desk.ask(call))
    await desk.wire.asked.wait()
    late = Desk(SILENCE)
    late.calls = desk.calls
    assert await late.ask(call, 20, {"tries": {"provider.unavailable": 2}}) == await first
    assert late.heartbeats[-1]["tries"] == {"provider.unavailable": 2, "worker.late": 17}


def test_forgiven_attempts_are_not_silent() -> None:
    """What is forgiven once stays so in the record; only attempts after that are silent again."""
    info = dataclasses.replace(ActivityEnvironment.default_info(), attempt=9)
    late = CallAttempts(info)
    late.join("worker-1")
    late.join("worker-1")
    later = CallAttempts(dataclasses.replace(info, attempt=11, heartbeat_details=[late.details]))
    assert (late.silent, later.silent, later.details["tries"]) == (0, 2, {"worker.late": 8})


async def test_a_stored_answer_that_ends_worker_after_worker_is_given_up() -> None:
    """After too many silent attempts one that reads the answer reports it first; after as many of those it is lost."""
    desk, call = Desk(answering(*spoken("Blue."))), model_call(patience={"attempts": 2})
    paid = await desk.ask(call)
    reads = list[int]()
    for attempt in (3, 4):
        assert await desk.ask(call, attempt, desk.heartbeats[-1] if reads else None) == paid
        reads.append(desk.heartbeats[-1]["tries"]["worker.reads"])
    with pytest.raises(ApplicationError, match="2 attempts ended without a word while they read") as failed:
        await desk.ask(call, 5, desk.heartbeats[-1])
    assert (reads, failed.value.type, failed.value.non_retryable) == ([1, 2], "worker.timeout", True)
    assert len(desk.wire.requests) == 1


async def test_a_shared_answer_that_ends_worker_after_worker_is_given_up() -> None:
    """An answer of another deliberation is read no more often than one of the call's own."""
    desk, call = Desk(SILENCE), model_call(shared_with="council-0", patience={"attempts": 1})
    with pytest.raises(ApplicationError, match="1 attempts ended without a word while they read"):
        await desk.ask(call, 3, {"tries": {"worker.reads": 1}})
    assert desk.wire.requests == []


def test_payments_whose_end_no_attempt_reports_are_counted() -> None:
    """Each payment that was joined counts until an attempt that joined it reports its failure, however often joined."""
    record: Mapping[str, Any] = {}
    counts = list[int]()
    for attempt, owner in ((2, "a"), (3, "a"), (4, "b"), (5, "c")):
        info = dataclasses.replace(ActivityEnvironment.default_info(), attempt=attempt, heartbeat_details=[record])
        attempts = CallAttempts(info)
        attempts.join(owner)
        if owner == "c":
            attempts.add("provider.broken_off")
        record = attempts.details
        counts.append(attempts.unseen)
    assert counts == [1, 1, 2, 2]
    assert record["tries"] == {"worker.late": 4, "provider.broken_off": 1}


async def test_a_call_whose_payments_all_fail_unseen_is_given_up() -> None:
    """Joined payments that failed without an attempt to report it use up the patience like killed workers."""
    told = {"tries": {"worker.late": 4}, "joined": "worker-1", "unreported": 2}
    call = model_call(patience={"attempts": 3})
    assert (await Desk(answering(*spoken("Blue."))).ask(call, 5, told)).kind == "answered"
    with pytest.raises(ApplicationError, match="3 attempts ended without a word") as failed:
        await Desk(SILENCE).ask(call, 6, told)
    assert (failed.value.type, failed.value.non_retryable) == ("worker.timeout", True)


async def test_a_persons_cancellation_stops_the_spending() -> None:
    """When a user cancels, the stream is closed and nothing is kept."""
    desk = Desk(SILENCE)
    await desk.cancelled(model_call(), ActivityCancellationDetails(cancel_requested=True))
    await desk.journal.settle()
    assert len(desk.journal.abandoned) == 1
    assert desk.journal.answers == {}


async def test_a_cancellation_while_an_answer_is_read_loses_none() -> None:
    """What is here was paid for: when a user cancels in this moment, it is read and kept."""
    desk, reading, is_read = Desk(answering(*spoken("Blue."))), asyncio.Event(), asyncio.Event()

    class Slow(InlineReaders):
        async def read(self, text: str, read_as: ReaderRef) -> JsonValue:
            """Read when the test says so."""
            reading.set()
            await is_read.wait()
            return await super().read(text, read_as)

    desk.calls = ModelCalls(LAB, ENVIRON, desk.journal, desk.wire.pool(), Slow())
    asked = asyncio.ensure_future(desk.ask(model_call()))
    await reading.wait()
    desk.environment.cancel(ActivityCancellationDetails(cancel_requested=True))
    with pytest.raises(asyncio.CancelledError):
        await asked
    is_read.set()
    await desk.journal.settle()
    assert len(desk.journal.abandoned) == 1
    assert [reply.text for reply in desk.journal.answers.values()] == ["Blue."]


@pytest.mark.parametrize(
    ("pieces", "usd"),
    [((chunk(None, "stop"), 30.0), None), ((*spoken(), 30.0), 0.25)],
    ids=["before its accounts", "before the end of the stream"],
)
async def test_a_cancellation_behind_the_last_word_loses_none(pieces: tuple[Piece, ...], usd: float | None) -> None:
    """A complete answer is kept when a user cancels, as when a clock runs out, though more of the stream is awaited."""
    desk = Desk(answering(chunk("Blue."), *pieces))
    await desk.cancelled(model_call(), ActivityCancellationDetails(cancel_requested=True))
    await desk.journal.settle()
    assert [("Blue.", usd)] == [(reply.text, reply.cost.usd) for reply in desk.journal.answers.values()]


async def test_a_cancellation_while_an_answer_is_cleaned_loses_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long answer is cleaned in a thread; when a user cancels in this moment, it is kept."""
    desk, cleaning, is_clean = Desk(answering(*spoken("Blue. " * 2000))), asyncio.Event(), asyncio.Event()

    async def slow(*given: Any) -> Answered | Failed:
        cleaning.set()
        await is_clean.wait()
        return await make_reply(*given)

    monkeypatch.setattr("activities.call_model.make_reply", slow)
    asked = asyncio.ensure_future(desk.ask(model_call()))
    await cleaning.wait()
    desk.environment.cancel(ActivityCancellationDetails(cancel_requested=True))
    with pytest.raises(asyncio.CancelledError):
        await asked
    is_clean.set()
    await desk.journal.settle()
    assert [12_000] == [len(reply.text) for reply in desk.journal.answers.values()]


@pytest.mark.parametrize("why", ["not_found", "timed_out", "worker_shutdown", "paused", "reset"])
async def test_an_attempt_that_is_given_up_leaves_its_answer(why: str) -> None:
    """When Temporal gives up on an attempt, the request continues and its answer is kept for the next one."""
    desk = Desk(answering(chunk("Bl"), 0.3, chunk("ue.", "stop"), b"data: [DONE]\n\n"))
    await desk.cancelled(model_call(), ActivityCancellationDetails(**{why: True}))
    await desk.journal.settle()
    assert [reply.text for reply in desk.journal.answers.values()] == ["Blue."]


async def test_one_line_is_logged_for_a_call() -> None:
    """Every call leaves one canonical line with its tokens, cost and seconds."""
    with capture_logs() as lines:
        await Desk(answering(*spoken("Blue."))).ask(model_call())
    (line,) = lines
    assert (line["event"], line["completion_tokens"], line["cost_usd"]) == ("model_answered", 3, 0.25)
    assert line["seconds"] >= 0


async def test_a_failed_call_leaves_its_line_too() -> None:
    """A call that failed says so with its type and status."""
    with capture_logs() as lines, pytest.raises(ApplicationError):
        await Desk(json_answer({}, 503)).ask(model_call())
    assert [(line["event"], line["error_type"], line["status"]) for line in lines] == [
        ("model_call_failed", "provider.unavailable", 503)
    ]


def test_the_activity_has_its_wire_name() -> None:
    """Workflows find the activity under the name that is pinned."""
    definition = activity._Definition.must_from_callable(ModelCalls.call_model)
    assert definition.name == "call_model"


@pytest.mark.parametrize(
    "reply",
    [
        Answered(call_id="c", participant="p1", model="lab:x", text="yes", provider="lab", reading={"a": [1]}),  # type: ignore[arg-type]  # plain strings in place of ids
        *(
            Failed(kind=kind, call_id="c", participant="p1", model="lab:x", error_type="t", message="m")  # type: ignore[arg-type]  # the same
            for kind in ("timeout", "api_error", "rate_limited", "unparseable", "refused", "truncated", "budget")
        ),
    ],
    ids=lambda reply: str(reply.kind),
)
async def test_a_reply_comes_out_of_temporal_as_what_it_went_in(reply: Answered | Failed) -> None:
    """Both sides of the union survive Temporal's converter by the activity's own return annotation."""
    definition = activity._Definition.must_from_callable(ModelCalls.call_model)
    payloads = await pydantic_data_converter.encode([reply])
    assert definition.ret_type is not None
    assert await pydantic_data_converter.decode(payloads, [definition.ret_type]) == [reply]
    assert TypeAdapter(Reply).validate_json(reply.model_dump_json()) == reply


async def test_nothing_is_sent_to_an_address_that_nobody_agreed_to(tmp_path: Path) -> None:
    """A worker that was started in a directory of a stranger asks no provider of its file, and says what to do."""
    desk = Desk(answering(chunk("x", "stop")))
    strange = provider(key_variable="LAB_KEY", base_url="https://lab.example", agreements_file=tmp_path / "agreed.json")
    calls = ModelCalls(Catalogue(providers={"lab": strange}), ENVIRON, desk.journal, desk.wire.pool(), InlineReaders())
    with pytest.raises(ApplicationError, match="parley allow lab") as refused:
        await desk.environment.run(calls.call_model, model_call())
    assert ("config.unconfirmed_provider", True) == (refused.value.type, refused.value.non_retryable)
    assert [] == desk.wire.requests


async def test_an_agreement_counts_while_the_worker_runs(tmp_path: Path) -> None:
    """What a user agrees to meanwhile is used at the next call."""
    desk = Desk(answering(chunk("x", "stop")))
    strange = provider(key_variable="LAB_KEY", base_url="https://lab.example", agreements_file=tmp_path / "agreed.json")
    calls = ModelCalls(Catalogue(providers={"lab": strange}), ENVIRON, desk.journal, desk.wire.pool(), InlineReaders())
    agreed = tmp_path / "agreed.json"
    agreed.write_text(with_agreement(agreed, strange.agreement))
    assert "answered" == (await desk.environment.run(calls.call_model, model_call())).kind
    assert "Bearer sk-canary-123456" == desk.wire.requests[0].headers["authorization"]
