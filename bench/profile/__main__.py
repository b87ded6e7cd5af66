"""The milliseconds of a call by layer: ``python -m bench.profile [--chunks 250] [--at-once 16] [--latency-ms 1000]``.

The shares are exact as far as the sampling goes: one run of 64 councils has some thousand samples. The sampling thread
is left out of all figures.
"""

import asyncio
import json
import os
import signal
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from bench.installation import Plan
from bench.peers.council import CALLS
from bench.peers.provider import Form
from bench.peers.rounds import Load, sample
from bench.peers.running import fake_provider, parley
from bench.profile.layers import LAYERS, READER_PROCESS, SAMPLER
from bench.program import options, run_in_directory, table

_STEP = 0.05
_WARMING = 8


async def profile(load: Load, chunks: int, home: Path) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Return the worker's seconds by layer and the seconds of every process, during the councils of ``load``."""
    found = home / "layers.json"
    plan = Plan(command=("bench.profile.worker", str(found)))
    async with fake_provider() as provider, parley(provider, home / "parley", plan) as running:
        await provider.answer_in(Form(load.latency_ms, chunks))
        await running.run(_WARMING, load.at_once)
        worker = running.processes["worker"]
        os.kill(worker, signal.SIGUSR1)
        processes = (await sample(running, load, provider)).processor
        os.kill(worker, signal.SIGUSR2)
        while not (text := await asyncio.to_thread(_text_of, found)):  # noqa: ASYNC110 - another process
            await asyncio.sleep(_STEP)
    layers: dict[str, float] = json.loads(text)
    computed = processes["worker"] - layers.pop(SAMPLER)
    # The samples are of one process; the worker's figure has its children.
    layers[READER_PROCESS] = max(0.0, computed - sum(layers.values()))
    return layers, {**processes, "worker": computed}


def main() -> None:
    """Read the load, profile it and print the tables."""
    arguments = options(__doc__)
    arguments.add_argument("--chunks", type=int, default=0, help="events of a streamed reply; 0 is one JSON body")
    arguments.add_argument("--latency-ms", type=int, default=0)
    arguments.add_argument("--councils", type=int, default=64)
    arguments.add_argument("--at-once", type=int, default=4)
    asked = arguments.parse_args()
    load = Load("profile", asked.latency_ms, asked.councils, asked.at_once)
    layers, processes = run_in_directory(partial(profile, load, asked.chunks))
    calls, total = asked.councils * CALLS, sum(layers.values())
    kind = f"{asked.chunks} chunks" if asked.chunks else "JSON replies"
    print(f"{calls} calls, {asked.at_once} councils at once, {kind}, model latency {asked.latency_ms} ms\n")
    found = {**{name: layers.get(name, 0.0) for name in LAYERS}, "all": total}
    rows = ((name, f"{spent * 1000 / calls:.2f}", f"{spent / total:.0%}") for name, spent in found.items())
    print(table(("layer of the worker", "ms a call", "share"), rows))
    each = ((name, f"{spent * 1000 / calls:.2f}") for name, spent in processes.items())
    print(f"\n{table(('process', 'ms a call'), each)}")


def _text_of(file: Path) -> str:
    return file.read_text("utf-8") if file.exists() else ""


if __name__ == "__main__":
    main()
