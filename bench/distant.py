"""The price of distance: ``python -m bench.distant`` runs councils whose servers are far from the worker.

A message between the worker and the Temporal server or PostgreSQL takes half of ``--ms`` in each direction; the models
are near. The rows are the bare worker, Parley with its ledger in a file beside the worker, and with PostgreSQL.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import median

from sqlalchemy import make_url

from bench.distance import distant
from bench.installation import Plan
from bench.peers.rounds import CROWD, ONE, Load, Row, Samples, measure
from bench.peers.running import FakeProvider, Openers, Running, bare, parley
from bench.postgresql import postgresql
from bench.program import options, run_in_directory, table

_BARE, _FILE, _POSTGRESQL = "bare", "parley, ledger in a file", "parley, ledger in PostgreSQL"
_LOADS = (ONE, Load("1000 ms", 1000, 2), CROWD)


@asynccontextmanager
async def _on_postgresql(provider: FakeProvider, home: Path, one_way_ms: float) -> AsyncIterator[Running]:
    async with postgresql() as ledger:
        url = make_url(ledger.url)
        async with distant(int(url.port or 0), one_way_ms) as port:
            plan = Plan(ledger=url.set(port=port).render_as_string(hide_password=False), one_way_ms=one_way_ms)
            async with parley(provider, home, plan) as running:
                yield Running(running.run, {**running.processes, "PostgreSQL": ledger.process})


def openers(one_way_ms: float) -> Openers:
    """Return the start of each row."""
    return {
        _BARE: partial(bare, one_way_ms=one_way_ms),
        _FILE: partial(parley, plan=Plan(one_way_ms=one_way_ms)),
        _POSTGRESQL: partial(_on_postgresql, one_way_ms=one_way_ms),
    }


def show(samples: Samples) -> None:
    """Print the milliseconds of a council, and councils a second."""
    lines = []
    for row in dict.fromkeys(row for row, _ in samples):
        cells = [f"{1000 * median(s for one in samples[row, load] for s in one.seconds):.0f}" for load in _LOADS[:2]]
        lines.append((row.name, *cells, f"{median(one.a_second for one in samples[row, CROWD]):.1f}"))
    print(table(("", "models of 0 ms", "of 1,000 ms", "councils a second, 16 at once"), lines))


def main() -> None:
    """Read the distance, run the councils and print the table."""
    asked = options(__doc__)
    asked.add_argument("--ms", type=float, default=20.0, help="a message and its answer")
    asked.add_argument("--rounds", type=int, default=3)
    given = asked.parse_args()
    found = openers(given.ms / 2)
    rows = [Row(name) for name in found]
    show(run_in_directory(lambda home: measure(rows, _LOADS, given.rounds, home, found)))


if __name__ == "__main__":
    main()
