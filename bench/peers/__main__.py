"""The price of durability beside the peers: ``python -m bench.peers`` prints its tables.

The peers run the same council (4 models, 9 calls in 3 stages) on one provider: plain httpx, LangGraph and DBOS with
SQLite, a bare Temporal worker, and Parley, also with streamed replies, PostgreSQL as its ledger and two workers.
"""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from bench.peers import tables
from bench.peers.rounds import CROWD, LOADS, ONE, Row, Samples, measure
from bench.peers.running import BENCH_ENVIRONMENT, PEERS
from bench.program import options, run_in_directory

DEFAULT = "plain,langgraph,dbos,bare,bare-uncompressed,parley,parley:40,parley:250"
_APART = {"langgraph", "dbos"}
"""Peers that have an environment of their own."""


def main() -> None:
    """Read what to measure, measure it and print the tables."""
    asked = _arguments().parse_args()
    rows = [_row(text) for text in asked.peers.split(",")]
    if missing := {row.peer for row in rows} - PEERS.keys():
        sys.exit(f"{', '.join(sorted(missing))}: no such peer. There are {', '.join(PEERS)}.")
    if {row.peer for row in rows} & _APART and not BENCH_ENVIRONMENT.exists():
        sys.exit("LangGraph and DBOS are not installed: run make bench-peers, or leave them out with --peers.")
    loads = [ONE, CROWD] if asked.fast else list(LOADS)
    started = time.perf_counter()
    samples = run_in_directory(partial(measure, rows, loads, asked.rounds))
    print(_head(asked.rounds, time.perf_counter() - started))
    show(samples)
    if asked.json:
        asked.json.write_text(json.dumps(_plain(samples)), "utf-8")


def show(samples: Samples) -> None:
    """Print all tables."""
    rows, loads = {row for row, _ in samples}, {load for _, load in samples}
    print("\nMilliseconds of a council one at a time; processor time of all processes but the provider's\n")
    print(*tables.main_table(samples), sep="\n")
    for load in (ONE, CROWD):
        if load in loads:
            print(f"\nProcessor milliseconds a call, {load.name}, by process\n")
            print(*tables.process_table(samples, load), sep="\n")
    for base in (tables.PLAIN, tables.BARE):
        if base in rows:
            print("\nRatios, round by round\n")
            print(*tables.ratio_table(samples, base), sep="\n")
    if crowd := samples.get((tables.PARLEY, CROWD)):
        print("\nComputed from one worker of Parley: more workers, each with a core\n")
        print(*tables.capacity_table(crowd), sep="\n")
    print("\nGoals\n")
    print(*tables.goal_table(samples), sep="\n")


def _arguments() -> argparse.ArgumentParser:
    arguments = options(__doc__)
    arguments.add_argument("--peers", default=DEFAULT, help=f"of {', '.join(PEERS)}; name:40 streams 40 chunks")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--fast", action="store_true", help="models without latency only")
    arguments.add_argument("--json", type=Path, help="write the samples to a file")
    return arguments


def _row(text: str) -> Row:
    peer, _, chunks = text.partition(":")
    return Row(peer, int(chunks or 0))


def _head(rounds: int, seconds: float) -> str:
    today = datetime.now(UTC).date()  # noqa: TID251 - a measurement has a date
    return (
        f"{today}, {_machine()}, load {os.getloadavg()[0]:.1f} at the end, Python {platform.python_version()}; "
        f"{rounds} rounds in {seconds:.0f} s: medians (quartiles)"
    )


def _machine() -> str:
    names = [line.partition(":")[2].strip() for line in _cpu_lines() if line.startswith("model name")]
    return f"{os.cpu_count()} cores of {names[0] if names else platform.machine()}"


def _cpu_lines() -> Sequence[str]:
    try:
        return Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return ()


def _plain(samples: Samples) -> list[dict[str, object]]:
    named = ((row.name, load.name, timed) for (row, load), timed in samples.items())
    return [{"row": row, "load": load, "samples": [one._asdict() for one in timed]} for row, load, timed in named]


if __name__ == "__main__":
    main()
