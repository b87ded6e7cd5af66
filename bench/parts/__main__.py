"""The cost of each part between a bare Temporal worker and Parley: ``python -m bench.parts [--rounds 5]`` prints it.

The first row is the bare worker, the second is Parley's council without every part that can be left out; each further
row adds one part, until it is Parley. The last rows have settings that it does not have by default.
"""

from collections.abc import Iterator, Mapping
from functools import partial

from bench.installation import Plan
from bench.peers.rounds import CROWD, ONE, Row, Samples, measure
from bench.peers.running import PEERS, Openers, parley
from bench.peers.tables import BARE, call_ms, council_ms, rate, ratio, spread
from bench.program import options, run_in_directory

PARTS: Mapping[str, str] = {
    "exchange": "deadlines, streams, errors and usage of a provider's reply",
    "heartbeats": "heartbeats with the progress of a call",
    "summaries": "summaries and priorities of activities",
    "blobs": "long texts as files beside the history",
    "columns": "search attributes",
    "journal": "the journal: each paid reply is written down before Temporal has it",
    "record": "the ledger's record of the deliberation",
}
"""The parts in the order in which they are added, with their description."""
NO_BLOBS = {"PARLEY_BLOB_THRESHOLD_BYTES": "1000000"}


_NOT_BY_DEFAULT = {
    "Parley, INFO to a file": Plan(more={"PARLEY_LOG_LEVEL": "INFO"}, is_quiet=True),
    "Parley in the sandbox": Plan(more={"PARLEY_SANDBOX": "true"}),
}
"""Settings that are compared with Parley, the last row that adds a part."""


def openers() -> Openers:
    """Return the start of each row's installation, in the order of the table."""
    found = {"bare": PEERS["bare"]}
    names = list(PARTS)
    for count in range(len(names) + 1):
        removed = names[count:]
        found[row_name(count)] = partial(parley, plan=plan_without(removed))
    return {**found, **{name: partial(parley, plan=plan) for name, plan in _NOT_BY_DEFAULT.items()}}


def plan_without(removed: list[str]) -> Plan:
    """Return an installation whose workers leave parts out."""
    more = NO_BLOBS if "blobs" in removed else {}
    return Plan(command=("bench.parts.removal", *(part for part in removed if part != "blobs")), more=more)


def row_name(count: int) -> str:
    """Return the name of the row with so many parts added."""
    return f"+ {list(PARTS)[count - 1]}" if count else "Parley's council alone"


def table(samples: Samples) -> Iterator[str]:
    """Return the lines of the table."""
    yield "| | council, ms | processor ms a call | worker | server | councils a second at 16 | ÷ bare | ÷ row above |"
    yield "|---|" + "---:|" * 7
    rows = list(dict.fromkeys(row for row, _ in samples))
    parley_row = Row(row_name(len(PARTS)))
    for above, row in zip((BARE, *rows), rows, strict=False):
        base = parley_row if row.peer in _NOT_BY_DEFAULT else above
        one, crowd = samples[row, ONE], samples.get((row, CROWD))
        cells = [
            spread([council_ms(sample) for sample in one]).shown(),
            spread([call_ms(sample) for sample in one]).shown(1),
            *(
                f"{spread([sample.milliseconds_a_call(role) for sample in one]).median:.1f}"
                for role in ("worker", "server")
            ),
            spread([rate(sample) for sample in crowd]).shown(1) if crowd else "–",
            *(ratio(one, samples[one_base, ONE], call_ms).shown(2) for one_base in (BARE, base)),
        ]
        yield f"| {row.name} | {' | '.join(cells)} |"


def main() -> None:
    """Read the rounds, measure and print the table."""
    arguments = options(__doc__)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--fast", action="store_true", help="councils one at a time only")
    asked = arguments.parse_args()
    loads = [ONE] if asked.fast else [ONE, CROWD]
    found = openers()
    rows = [Row(name) for name in found]
    samples = run_in_directory(lambda home: measure(rows, loads, asked.rounds, home, found))
    print(*table(samples), sep="\n")
    print()
    print(*(f"{name}: {text}" for name, text in PARTS.items()), sep="\n")


if __name__ == "__main__":
    main()
