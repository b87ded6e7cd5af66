"""Processor time and sizes of histories: ``python -m bench.steady [idle] [rounds] [histories] [memory] [streams]``.

``idle`` is the processor time of an idle server and worker, ``rounds`` the price of a consensus' rounds from the second
to the fiftieth, ``histories`` the bytes of a council's history, in all and by type of event, ``memory`` a worker's
memory over 5,000 calls, ``streams`` 400 streams of 100 tokens a second in one worker, and the same calls with JSON
replies. All of them by default.
"""

import asyncio
import bisect
import re
import statistics
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path

from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent

from bench.installation import BenchInstallation, Plan, open_installation
from bench.peers.council import CALLS, MODELS, QUESTION, STAGES
from bench.peers.process import many
from bench.peers.provider import Form
from bench.peers.running import FakeProvider, fake_provider
from bench.process_figures import memory, processor_seconds
from bench.program import options, run_in_directory
from protocols.consensus import prompts
from protocols.consensus.model import CURATOR, SPEAKERS, ConsensusInput
from protocols.panel import Panel
from workflows.consensus import ConsensusWorkflow

IDLE_SECONDS = 30
ROUNDS = 50
_NEAR = 10
"""Rounds that are compared at either end: from the second on, and the last."""
_CONSENSUSES = 9
"""The speed of a machine changes by a fifth within the six to twelve seconds of one."""
_TICK = 0.02
_CALL_OF_ROUND = re.compile(r"r(\d+)-")
_COUNCILS = 20
_WARMING = 50
_PER_STEP = 85
"""Councils between two looks at the memory."""
_STEPS = 6
_AT_ONCE = 16
_STREAMING = 100
"""Councils of four models at once: 400 streams in their first two stages."""
_TOKENS_A_SECOND = 100
_SECONDS = 5

Started = tuple[BenchInstallation, FakeProvider]


async def idle(installation: BenchInstallation, _: FakeProvider) -> list[str]:
    """Measure the processor time of server and worker without any work."""
    await installation.run_council()
    await asyncio.sleep(2)
    before = _processor(installation.processes)
    await asyncio.sleep(IDLE_SECONDS)
    used = _processor(installation.processes)
    return [
        f"| idle {role}, share of a core | ≤ 2% | {(used[role] - before[role]) / IDLE_SECONDS:.1%} |" for role in before
    ]


async def rounds(installation: BenchInstallation, _: FakeProvider) -> list[str]:
    """Measure the time and the processor time of the rounds of consensuses that never agree, one after the other."""
    began = memory(installation.processes["worker"])[1]
    held = [await _rounds_of_one(installation) for _number in range(_CONSENSUSES)]
    ended = memory(installation.processes["worker"])[1]
    times, used, sizes = zip(*held, strict=True)
    compared = f"rounds {ROUNDS - _NEAR}–{ROUNDS - 1} ÷ rounds 2–{_NEAR + 1}"
    return [
        f"| time of a round, {compared} | ≤ 1.1 | {growths(times)} |",
        f"| processor time of a round, the same | ≤ 1.1 | {growths(used)} |",
        f"| history of a consensus, bytes a call | ≤ 2048 | {statistics.median(sizes):.0f} |",
        f"| memory of the worker before and after {_CONSENSUSES}, MB | flat | {began:.0f} and {ended:.0f} |",
    ]


async def _rounds_of_one(installation: BenchInstallation) -> tuple[Sequence[float], Sequence[float], float]:
    """Return the time and the processor time of each round of a consensus, and the bytes of its history a call."""
    name, samples = f"consensus-bench-{uuid.uuid4().hex[:12]}", list[tuple[float, float]]()
    watch = asyncio.create_task(_watch(installation, samples))
    result = await installation.client.execute_workflow(
        ConsensusWorkflow.run, _consensus(), id=name, task_queue="parley"
    )
    watch.cancel()
    starts = [start for _, start in sorted((await _round_starts(installation, name)).items())]
    seconds = [after - before for before, after in pairwise(starts)]
    used = [_at(samples, after) - _at(samples, before) for before, after in pairwise(starts)]
    return seconds, used, await _history_bytes(installation, name) / result.spent.calls


async def histories(installation: BenchInstallation, _: FakeProvider) -> list[str]:
    """Measure the bytes that a call adds to the history of a council, and to the files beside it."""
    blobs = installation.settings.blobs
    before, sizes, name = _bytes_of(blobs), list[int](), ""
    for _number in range(_COUNCILS):
        name = await installation.run_council()
        sizes.append(await _history_bytes(installation, name))
    beside = (_bytes_of(blobs) - before) / _COUNCILS / CALLS
    return [
        f"| history of a council, bytes a call | ≤ 2048 | {statistics.median(sizes) / CALLS:.0f} |",
        f"| files beside it, bytes a call | | {beside:.0f} |",
        *(
            f"| of a history: {kind}, {count} events, bytes a call | | {size / CALLS:.0f} |"
            for kind, (count, size) in by_type(await _events(installation, name)).items()
        ),
    ]


async def memories(installation: BenchInstallation, _: FakeProvider) -> list[str]:
    """Measure the memory of the worker and its child at ever more calls."""
    worker = installation.processes["worker"]
    await many(installation.run_council, _WARMING, _AT_ONCE)
    lines = list[str]()
    for number in range(1, _STEPS + 1):
        await many(installation.run_council, _PER_STEP, _AT_ONCE)
        calls = (_WARMING + number * _PER_STEP) * CALLS
        lines.append(f"| memory of the worker after {calls:,} calls, MB | flat | {memory(worker)[1]:.0f} |")
    return lines


def by_type(events: Sequence[HistoryEvent]) -> Mapping[str, tuple[int, int]]:
    """Return the number of events of each type and their bytes, the largest first."""
    sizes: dict[str, list[int]] = {}
    for event in events:
        kind = EventType.Name(event.event_type).removeprefix("EVENT_TYPE_").replace("_", " ").lower()
        sizes.setdefault(kind, []).append(event.ByteSize())
    return {kind: (len(found), sum(found)) for kind, found in sorted(sizes.items(), key=lambda one: -sum(one[1]))}


async def streams(installation: BenchInstallation, provider: FakeProvider) -> list[str]:
    """Measure councils whose first stages are 400 streams of 100 tokens a second in one worker.

    The same replies follow as JSON, in one piece after the same time: what they take is not the price of streams.
    """
    name = f"{4 * _STREAMING} streams of {_TOKENS_A_SECOND} tokens a second"
    lines = await _at_once(installation, provider, name, _TOKENS_A_SECOND * _SECONDS)
    peak, _ = memory(installation.processes["worker"])
    lines += [f"| {name}: memory of the worker, MB | | {peak:.0f} |"]
    return lines + await _at_once(installation, provider, "the same calls with JSON replies", 0)


async def _at_once(installation: BenchInstallation, provider: FakeProvider, name: str, chunks: int) -> list[str]:
    """Measure councils that begin at once, with replies of so many chunks; 0 is JSON."""
    await provider.answer_in(Form(1000 * _SECONDS, chunks))
    processes = {**installation.processes, "provider": provider.process}
    before, began = _processor(processes), time.perf_counter()
    seconds = await many(installation.run_council, _STREAMING, _STREAMING)
    wall, used = time.perf_counter() - began, _processor(processes)
    late = statistics.median(seconds) / (STAGES * _SECONDS)
    spent = {role: used[role] - before[role] for role in processes}
    cores = ", ".join(f"{role} {each / wall:.2f}" for role, each in spent.items())
    each = ", ".join(f"{role} {each * 1000 / (_STREAMING * CALLS):.1f}" for role, each in spent.items())
    return [
        f"| {name}: time ÷ critical path | | {late:.2f} |",
        f"| {name}: cores | | {cores} |",
        f"| {name}: ms a call | | {each} |",
    ]


MEASURES: Mapping[str, Callable[[BenchInstallation, FakeProvider], Awaitable[list[str]]]] = {
    "idle": idle,
    "histories": histories,
    "rounds": rounds,
    "memory": memories,
    "streams": streams,
}


async def measure(chosen: Sequence[str], home: Path) -> None:
    """Run the chosen measures, each in a separate installation, and print a table."""
    print("| | goal | measured |\n|---|---:|---:|", flush=True)
    for name in chosen:
        async with _installation(home / name) as (installation, provider):
            print(*await MEASURES[name](installation, provider), sep="\n", flush=True)


@asynccontextmanager
async def _installation(home: Path) -> AsyncIterator[Started]:
    more = {"PARLEY_MAX_CONCURRENT_CALLS": str(8 * _STREAMING)}
    async with (
        fake_provider() as provider,
        open_installation(home, Plan(provider_url=provider.url, more=more, is_quiet=True)) as installation,
    ):
        yield installation, provider


def _consensus() -> ConsensusInput:
    models = tuple(f"rehearsal:{name}" for name in MODELS)
    return ConsensusInput(
        question=QUESTION,
        title="bench",
        panel=Panel.of(models[:-1], models[-1], seats=SPEAKERS, chair_seat=CURATOR),
        prompts=prompts.PACK,
        max_rounds=ROUNDS,
        deadlock_after=None,
    )


def _processor(processes: Mapping[str, int]) -> dict[str, float]:
    return {role: processor_seconds(pid) for role, pid in processes.items()}


async def _watch(installation: BenchInstallation, samples: list[tuple[float, float]]) -> None:
    """Note the time of day and the processor seconds of server and worker, until cancelled."""
    while True:
        samples.append((time.time(), sum(_processor(installation.processes).values())))
        await asyncio.sleep(_TICK)


def _at(samples: Sequence[tuple[float, float]], moment: float) -> float:
    """Return the processor seconds at a moment."""
    found = bisect.bisect_left(samples, (moment, 0.0))
    return samples[min(found, len(samples) - 1)][1]


async def _events(installation: BenchInstallation, workflow_id: str) -> Sequence[HistoryEvent]:
    history = installation.client.get_workflow_handle(workflow_id).fetch_history_events()
    return [event async for event in history]


async def _round_starts(installation: BenchInstallation, workflow_id: str) -> dict[int, float]:
    """Return when the first call of each round was scheduled."""
    starts: dict[int, float] = {}
    async for run in installation.client.list_workflows(f"WorkflowId = '{workflow_id}'"):
        history = installation.client.get_workflow_handle(run.id, run_id=run.run_id).fetch_history_events()
        async for event in history:
            found = _CALL_OF_ROUND.match(event.activity_task_scheduled_event_attributes.activity_id)
            if found is not None:
                at = event.event_time.seconds + event.event_time.nanos / 1e9
                starts[int(found[1])] = min(at, starts.get(int(found[1]), at))
    return starts


async def _history_bytes(installation: BenchInstallation, workflow_id: str) -> int:
    size = 0
    async for run in installation.client.list_workflows(f"WorkflowId = '{workflow_id}'"):
        description = await installation.client.get_workflow_handle(run.id, run_id=run.run_id).describe()
        size += description.raw_description.workflow_execution_info.history_size_bytes
    return size


def _growth(figures: Sequence[float]) -> float:
    """Return the sum of the last rounds by that of the first ones without the very first."""
    return sum(figures[-_NEAR:]) / sum(figures[1 : 1 + _NEAR])


def growths(consensuses: Sequence[Sequence[float]]) -> str:
    """Return how the rounds of all consensuses grow together, and the lowest and the highest growth of a single one."""
    single = [_growth(figures) for figures in consensuses]
    together = _growth([statistics.mean(of_a_round) for of_a_round in zip(*consensuses, strict=True)])
    return f"{together:.2f} ({min(single):.2f}–{max(single):.2f})"


def _bytes_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def main() -> None:
    """Read which measures to run and run them."""
    arguments = options(__doc__)
    arguments.add_argument("measures", nargs="*", choices=[*MEASURES, "all"], default="all")
    given = arguments.parse_args().measures
    chosen = list(MEASURES) if "all" in given else given
    run_in_directory(partial(measure, chosen))


if __name__ == "__main__":
    main()
