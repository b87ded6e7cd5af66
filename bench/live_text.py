"""The processor time of text that is shown while it is written: ``python -m bench.live_text [--rounds 5]``.

Heartbeats carry the text, once a second, so the replies take three seconds. The worker of the other row reports how
far its calls are and none of their text. The rounds are interleaved, and a ratio is taken within a round.
"""

from functools import partial

from bench.installation import Plan
from bench.peers.rounds import Load, Row, Samples, measure
from bench.peers.running import Openers, parley
from bench.peers.tables import call_ms, ratio, spread
from bench.program import options, run_in_directory

CHUNKS = 300
LOAD = Load("3 s", 3000, 16, 16)
WITHOUT, WITH = Row("without live text", CHUNKS), Row("with live text", CHUNKS)
_PLAIN = Plan(command=("bench.parts.removal", "live-text", "tails"))


def table(samples: Samples) -> str:
    """Return the table of both rows."""
    lines = ["| | processor ms a call | worker | ÷ without |", "|---|---:|---:|---:|"]
    for row in (WITHOUT, WITH):
        found = samples[row, LOAD]
        worker = spread([sample.milliseconds_a_call("worker") for sample in found])
        cells = (spread([call_ms(sample) for sample in found]), worker, ratio(found, samples[WITHOUT, LOAD], call_ms))
        lines.append(f"| {row.name} | {cells[0].shown(1)} | {cells[1].shown(1)} | {cells[2].shown(2)} |")
    return "\n".join(lines)


def main() -> None:
    """Read the rounds, measure and print the table."""
    arguments = options(__doc__)
    arguments.add_argument("--rounds", type=int, default=5)
    rounds = arguments.parse_args().rounds
    openers: Openers = {WITHOUT.peer: partial(parley, plan=_PLAIN), WITH.peer: parley}
    print(table(run_in_directory(lambda home: measure([WITHOUT, WITH], [LOAD], rounds, home, openers))))


if __name__ == "__main__":
    main()
