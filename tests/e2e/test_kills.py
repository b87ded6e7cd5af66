"""Real processes, killed for real: nothing is lost, and no answer that was given is asked for again."""

import asyncio
import signal
import time
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from temporalio.client import WorkflowHandle

from bench.chaos.accounts import ledger_rows
from ledger import tables
from parley.attached import files_of, stored
from parley.specs import PROTOCOLS
from protocols.deliberation import DeliberationResult
from protocols.model_call import CallTimeouts
from runtime.attachment_store import AttachmentStore
from tests.fakes.accounts import JUST_BEFORE, kill, needless, per_call
from tests.fakes.files import pdf, png, written
from tests.fakes.installation import Installation, installation
from tests.fakes.specified import specified

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(120)]

CALLS = 7

Handle = WorkflowHandle[Any, DeliberationResult]


@pytest.fixture(scope="module")
async def installed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """One installation for all kills, its models taking most of a second."""
    async with installation(tmp_path_factory.mktemp("kills"), latency_ms=800) as everything:
        yield everything


async def start(installed: Installation, name: str = "council", **more: object) -> Handle:
    """A deliberation of three rehearsal models, with ``more`` fields of its input."""
    client, tag = await installed.client(), uuid.uuid4().hex[:8]
    own = {"patience": CallTimeouts(heartbeat=2), "salt": tag}
    inp = specified(name).model_copy(update=own | more)
    run = PROTOCOLS[name].workflow.run
    handle: Handle = await client.start_workflow(run, inp, id=f"{name}-{tag}", task_queue="parley")
    return handle


async def in_flight(installed: Installation, stage: str | None, since: int) -> list[dict[str, Any]]:
    """Wait until calls of ``stage``, by default of any, are in flight; those calls."""
    while True:
        running = [a for a in (await installed.arrivals())[since:] if not a["finished"]]
        if stage is not None:
            running = [a for a in running if a["stage"] == stage]
        if running:
            return running
        await asyncio.sleep(0.05)


async def in_flight_at(installed: Installation, moment: float, since: int) -> list[dict[str, Any]]:
    """The calls that had arrived and were not written down yet at that moment of the monotonic clock."""
    arrived = [a for a in (await installed.arrivals())[since:] if a["at"] <= moment]
    return [a for a in arrived if not a["finished"] or a["finished_at"] > moment - JUST_BEFORE]


async def unanswered(installed: Installation, deliberation_id: str) -> set[str]:
    """The keys of a deliberation's calls that are being paid for: in the journal without an answer."""
    mine = (tables.JOURNAL.c.workflow_id == deliberation_id, tables.JOURNAL.c.answer.is_(None))
    return {row.key for row in await ledger_rows(installed.settings, select(tables.JOURNAL.c.key).where(*mine))}


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        *(("council", stage) for stage in ("opinion", "review", "synthesis")),
        *((name, None) for name in PROTOCOLS if name != "council"),
    ],
)
async def test_a_killed_worker_repeats_only_what_was_in_flight(
    installed: Installation, name: str, stage: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """A worker killed with -9 in each stage: the verdict arrives and only calls in flight arrive a second time.

    Each payment that it had paying may be billed, also where its request did not leave before the kill.
    """
    since = len(await installed.arrivals())
    handle = await start(installed, name)
    await in_flight(installed, stage, since)
    killed = await kill(installed, "worker")
    flying = await in_flight_at(installed, time.monotonic(), since)
    paying = await unanswered(installed, handle.id)
    await installed.start_worker()
    result = await handle.result()
    arrivals = (await installed.arrivals())[since:]
    counts = per_call(arrivals)
    twice = {key for key, times in counts.items() if times > 1}
    with capsys.disabled():
        print(
            f"\n  worker killed in {stage or name}: {len(counts)} calls, {len(arrivals)} arrivals, "
            f"{len(flying)} in flight at the kill, {len(twice)} repeated, "
            f"{len(needless(arrivals, [killed]))} answered calls repeated"
        )

    assert (False, len(counts)) == (result.partial, result.spent.calls)
    assert twice <= {flight["key"] for flight in flying}
    assert max(counts.values()) <= 2
    assert twice <= paying
    assert [] == needless(arrivals, [killed])
    assert len(paying) == result.spent.unanswered_requests


async def test_a_kill_with_attached_files_repeats_only_what_was_in_flight(
    installed: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every request has the text and the image, those after the kill too, and no answer is paid twice."""
    files = files_of([written(tmp_path, "paper.pdf", pdf(["It is tall."])), written(tmp_path, "chart.png", png())])
    refs = stored([file.ref for file in files], files, AttachmentStore.of(installed.settings).put)
    since = len(await installed.arrivals())
    handle = await start(installed, attachments=refs, web=True)
    await in_flight(installed, "review", since)
    killed = await kill(installed, "worker")
    flying = await in_flight_at(installed, time.monotonic(), since)
    await installed.start_worker()
    result = await handle.result()
    arrivals = (await installed.arrivals())[since:]
    with capsys.disabled():
        print(f"\n  killed with files: {CALLS} calls, {len(arrivals)} arrivals, {len(flying)} in flight at the kill")

    assert {("paper.pdf", "image/png")} == {
        tuple(part.get("name") or part["media_type"] for part in arrival["parts"]) for arrival in arrivals
    }
    assert {key for key, times in per_call(arrivals).items() if times > 1} <= {flight["key"] for flight in flying}
    assert [] == needless(arrivals, [killed])
    assert (refs, {"opinion"}) == (result.attachments, {one.stage for one in result.cited})


async def rows(installed: Installation, deliberation_id: str) -> list[int]:
    """How many rows the ledger has of a deliberation, and of its calls."""
    columns = (tables.DELIBERATIONS.c.id, tables.CALLS.c.deliberation_id)
    wanted = (select(column).where(column == deliberation_id) for column in columns)
    return [len(await ledger_rows(installed.settings, one)) for one in wanted]


@pytest.mark.parametrize(("moment", "written"), [("before", 0), ("after", 1)])
async def test_a_kill_around_the_record_leaves_one_row(installed: Installation, moment: str, written: int) -> None:
    """A worker killed within the last step, before the row is written or after: one row, and no call is repeated."""
    await installed.end("worker")
    await installed.start_worker(program=("tests.fakes.dying_worker", moment))
    since = len(await installed.arrivals())
    handle = await start(installed)
    assert await installed.killed("worker") == -signal.SIGKILL
    assert await rows(installed, handle.id) == [written, CALLS]

    await installed.start_worker()
    result = await handle.result()
    assert await rows(installed, handle.id) == [1, result.spent.calls]
    assert result.spent.calls == CALLS == len((await installed.arrivals())[since:])


async def test_a_worker_that_is_asked_to_end_repeats_nothing(
    installed: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    """On SIGTERM the calls in flight are answered and written down; another worker continues and asks none again."""
    since = len(await installed.arrivals())
    handle = await start(installed)
    flying = await in_flight(installed, "opinion", since)
    code = await installed.end("worker")
    await installed.start_worker()
    result = await handle.result()
    arrivals = (await installed.arrivals())[since:]
    with capsys.disabled():
        print(f"\n  worker asked to end with {len(flying)} calls in flight: {CALLS} calls, {len(arrivals)} arrivals")

    assert (0, "verdict") == (code, result.stop_reason)
    assert {1} == set(per_call(arrivals).values())


async def test_requests_that_a_worker_breaks_off_at_its_end_are_counted(installed: Installation) -> None:
    """What has no answer when the worker has waited for its whole time is asked again, and may be billed before."""
    since = len(await installed.arrivals())
    await installed.play({"latency_ms": 60_000})
    handle = await start(installed)
    await in_flight(installed, "opinion", since)
    assert 0 == await installed.end("worker")
    await installed.play({"latency_ms": 800})
    await installed.start_worker()
    result = await handle.result()
    twice = [key for key, times in per_call((await installed.arrivals())[since:]).items() if times > 1]

    assert len(twice) == result.spent.unanswered_requests > 0
    assert (False, CALLS) == (result.partial, result.spent.calls)


async def attempts(handle: Handle) -> list[int]:
    """The attempts at which the calls of a deliberation are."""
    told = (await handle.describe()).raw_description
    return [one.attempt for one in told.pending_activities]


async def test_a_worker_that_stood_still_loses_nothing_and_repeats_nothing(installed: Installation) -> None:
    """Attempts whose heartbeats are missing cost a call nothing, not even its last one, while its payment lives."""
    since = len(await installed.arrivals())
    handle = await start(installed, patience=CallTimeouts(heartbeat=1, attempts=1))
    await in_flight(installed, "opinion", since)
    installed.send("worker", signal.SIGSTOP)
    while min(await attempts(handle), default=0) < 2:  # noqa: ASYNC110 - the server's own timers
        await asyncio.sleep(0.1)
    installed.send("worker", signal.SIGCONT)
    result = await handle.result()
    assert ("verdict", False, CALLS) == (result.stop_reason, result.partial, result.spent.calls)
    assert {1} == set(per_call((await installed.arrivals())[since:]).values())


async def test_a_killed_server_repeats_nothing(installed: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    """A server killed with -9 half-way and restarted on its file: the verdict arrives, and no call is repeated."""
    since = len(await installed.arrivals())
    handle = await start(installed)
    await in_flight(installed, "review", since)
    installed.kill("server")
    await asyncio.sleep(3)
    await installed.start_server()
    result = await handle.result()
    arrivals = (await installed.arrivals())[since:]
    with capsys.disabled():
        print(f"\n  server killed for 3 s: {len(per_call(arrivals))} calls, {len(arrivals)} arrivals")

    assert "verdict" == result.stop_reason
    assert {1} == set(per_call(arrivals).values())
