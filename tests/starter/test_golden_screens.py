"""What a result of each protocol looks like on a terminal of 120 columns; `python -m` this module writes it anew."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from protocols.deliberation import DeliberationResult
from starter.views.verdict import render
from tests.fakes.circle_results import baseline_result, circle_result
from tests.fakes.consensus_results import consensus_result
from tests.fakes.council_results import council_result
from tests.fakes.debate_results import debate_result
from tests.fakes.equal_cost_results import mixed, sampled

RESULTS: dict[str, Callable[[], DeliberationResult]] = {
    "council": council_result,
    "consensus": consensus_result,
    "fire-circle": circle_result,
    "fire-circle-baseline": baseline_result,
    "debate": debate_result,
    "vote": sampled,
    "mixture": mixed,
}
_FOLDER = Path(__file__).parent / "golden"


def screen(name: str) -> str:
    """Return everything that a terminal shows of a result, without the blanks at the ends of lines."""
    out = io.StringIO()
    view = render(RESULTS[name](), link="http://localhost:8233/w", transcript=True)
    Console(file=out, width=120, markup=False, highlight=False).print(view)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_looks_as_recorded(name: str) -> None:
    """A result of each protocol is printed as in the recorded screen, so that every change of it is seen."""
    assert screen(name) == (_FOLDER / f"{name}.txt").read_text("utf-8")


if __name__ == "__main__":
    for each in RESULTS:
        (_FOLDER / f"{each}.txt").write_text(screen(each), "utf-8")
