"""``python -m bench.machines``: run a study for each fault, and print losses and costs."""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bench.machines.faults import FAULTS, Outcome, run_study
from bench.machines.installation import installed
from bench.machines.network import missing
from bench.program import options, run_in_directory, table

LATENCY_MS = 1500


async def run(home: Path, *, rows: int, window: int, seconds: float) -> list[Outcome]:
    """Run the studies one after the other; a machine without power gets it back before the next one."""
    outcomes = list[Outcome]()
    async with installed(home, latency_ms=LATENCY_MS) as on:
        for fault in FAULTS:
            if outcomes and outcomes[-1].fault == FAULTS[0].name:
                await on.start_worker(on.first)
            outcomes.append(await run_study(on, fault, rows=rows, window=window, seconds=seconds))
    return outcomes


def show(outcomes: Sequence[Outcome]) -> None:
    """Print one column for each fault."""
    rows = [
        ("deliberations held", *(one.result.tally.completed for one in outcomes)),
        ("failed or missing", *(one.result.tally.failed + one.result.tally.missing for one in outcomes)),
        ("degraded", *(one.result.tally.degraded for one in outcomes)),
        ("rows in the ledger", *(one.lines for one in outcomes)),
        ("calls", *(one.calls for one in outcomes)),
        ("arrivals at the models", *(one.arrivals for one in outcomes)),
        ("on their way at the fault, and asked again", *(one.in_flight_again for one in outcomes)),
        ("answered and written down, and asked again", *(one.answered_again for one in outcomes)),
        ("billed by the models, $", *(f"{one.billed_usd:.7f}" for one in outcomes)),
        ("cost in the ledger, $", *(f"{one.recorded_usd:.7f}" for one in outcomes)),
        ("requests without an answer in the ledger", *(one.unanswered for one in outcomes)),
        ("payments that their worker never reported", *(one.unreported for one in outcomes)),
        ("seconds", *(f"{one.seconds:.0f}" for one in outcomes)),
    ]
    print(f"\n{table(('the first machine loses', *(one.fault for one in outcomes)), rows)}")


def main() -> None:
    """Read the sizes, run the studies and print the outcomes."""
    sizes = options(__doc__)
    sizes.add_argument("--rows", type=int, default=60, help="councils of each study")
    sizes.add_argument("--window", type=int, default=12, help="of them at once")
    sizes.add_argument("--seconds", type=float, default=60.0, help="until the network is back")
    given = sizes.parse_args()
    if lack := missing():
        sys.exit(f"two machines cannot be made here: {lack}")
    show(run_in_directory(partial(run, rows=given.rows, window=given.window, seconds=given.seconds)))


if __name__ == "__main__":
    main()
