"""Faults of one of two machines, and the losses and costs of a study on both."""

import asyncio
import math
import time
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, func, select

from bench.chaos.accounts import ledger_rows, repeated
from bench.chaos.faults import Played
from bench.machines.installation import Installation
from bench.machines.network import Machine
from bench.program import COUNCIL, write_study
from ledger.studies.reading import StudyReader
from ledger.tables import CALLS, JOURNAL
from protocols.study.model import BatchResult
from studies.definition.files import Overrides
from studies.definition.load import load_study
from studies.runs.start import StudyRuns

_LOOK_SECONDS = 0.5
_ON_ITS_WAY = 1.0
"""Seconds in which the database carries out what a lost machine has sent; no lease is taken over so early."""


class Fault(NamedTuple):
    """A fault of a machine; its functions are given the machine and the address of the servers."""

    name: str
    begin: Callable[[Machine, str], None]
    end: Callable[[Machine, str], None]
    report_seconds: float
    """Within this time after the study the machine reports what it was paying for when the fault came."""


def _is_off(machine: Machine, _: str) -> None:
    """Leave the machine as it is: its power comes back before the next study."""


FAULTS = (
    Fault("the power", lambda machine, _: machine.power_off(), _is_off, 0),
    Fault("the network", lambda machine, _: machine.cut(), lambda machine, _: machine.mend(), 10),
    Fault("the servers, not the models", Machine.lose, Machine.find, 90),
)
"""What a machine loses. What it had sent to a lost server, TCP sends again up to a minute later."""


class Outcome(NamedTuple):
    """The outcome of a study."""

    fault: str
    seconds: float
    """From its start to its result."""
    result: BatchResult
    lines: int
    """Different deliberations in the ledger."""
    calls: int
    arrivals: int
    """Requests at the models."""
    in_flight_again: int
    """Calls whose answer was on its way when the fault came, and which were asked again."""
    answered_again: int
    """Calls whose answer was written down, and which were asked again: each is a defect."""
    billed_usd: float
    """By the models' own books."""
    recorded_usd: float
    """By the ledger."""
    unanswered: int
    """Requests that the models may bill without a report, by the ledger."""
    unreported: int
    """Calls that one worker was paying for when the fault came, and whose answer is another one's, by the journal."""


async def run_study(on: Installation, fault: Fault, *, rows: int, window: int, seconds: float) -> Outcome:
    """Run a study of ``rows`` councils, in which one machine has ``fault`` for ``seconds`` after a quarter."""
    name = f"study-{FAULTS.index(fault)}"
    await on.models("DELETE", "ledger")
    path = write_study(
        on.settings.home, name, "Why is the sky blue?", rows=rows, window=window, arms=COUNCIL.format("false")
    )
    began = time.monotonic()
    await StudyRuns(on.client, on.settings).begin(load_study(str(path), Overrides(), on.settings))
    async with StudyReader(on.settings.database_url) as reader:
        while (await reader.progress(name)).completed < rows / 4:  # noqa: ASYNC110 - another process's work
            await asyncio.sleep(_LOOK_SECONDS)
        lost = Played(fault.name, "worker", time.monotonic())
        fault.begin(on.first, on.servers)
        await asyncio.sleep(_ON_ITS_WAY)
        paying = await _owners(on, JOURNAL.c.answer.is_(None))
        await asyncio.sleep(seconds - _ON_ITS_WAY)
        fault.end(on.first, on.servers)
        lost.ended = time.monotonic()
        result = await on.client.get_workflow_handle(name, result_type=BatchResult).result()
        ended = time.monotonic()
        lines = {row.deliberation_id async for row in reader.results(name)}
    recorded, unanswered = await _recorded(on, lines, fault.report_seconds)
    owners = await _owners(on, JOURNAL.c.key.in_(paying))
    arrivals = (await on.models("GET", "arrivals"))["arrivals"]
    in_flight, answered = repeated(arrivals, [lost])
    return Outcome(
        fault=fault.name,
        seconds=ended - began,
        result=result,
        lines=len(lines),
        calls=len({one["key"] for one in arrivals}),
        arrivals=len(arrivals),
        in_flight_again=in_flight,
        answered_again=answered,
        billed_usd=(await on.models("GET", "ledger"))["billed_usd"],
        recorded_usd=recorded,
        unanswered=unanswered,
        unreported=sum(owners[key] != owner for key, owner in paying.items()),
    )


async def _recorded(on: Installation, deliberations: Collection[str], within: float) -> tuple[float, int]:
    """Return cost and unanswered requests by the ledger; a machine that is back adds to it ``within`` seconds."""
    sums = (func.sum(CALLS.c.cost_usd), func.sum(CALLS.c.unanswered_requests))
    wanted = select(*sums).where(CALLS.c.deliberation_id.in_(deliberations))
    until = time.monotonic() + within
    while True:
        row: Any = (await ledger_rows(on.settings, wanted))[0]
        found, unanswered = float(row[0]), int(row[1])
        billed = (await on.models("GET", "ledger"))["billed_usd"]
        if math.isclose(found, billed, abs_tol=1e-9) or time.monotonic() > until:
            return found, unanswered
        await asyncio.sleep(_LOOK_SECONDS)


async def _owners(on: Installation, which: ColumnElement[bool]) -> dict[str, str]:
    """Return the owner of each payment of the journal, by its call's key."""
    wanted = select(JOURNAL.c.key, JOURNAL.c.owner).where(which)
    return {row.key: row.owner for row in await ledger_rows(on.settings, wanted)}
