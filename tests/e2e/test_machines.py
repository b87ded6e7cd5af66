"""A worker on a machine of its own that loses its power or its network, and another one that continues."""

import math
from collections.abc import Callable

import pytest

from bench.machines.__main__ import run, show
from bench.machines.faults import Outcome
from bench.machines.network import missing

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(400)]

ROWS = 24


@pytest.fixture(scope="module")
async def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """A study for each fault, by what the machine lost."""
    if lack := missing():
        pytest.skip(lack)
    home = tmp_path_factory.mktemp("machines")
    try:
        held = await run(home, rows=ROWS, window=12, seconds=30.0)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    return {one.fault: one for one in held}


def test_the_other_machine_continues(outcomes: dict[str, Outcome], capsys: pytest.CaptureFixture[str]) -> None:
    """Every deliberation has its whole panel and one row, and no answer that was written down is asked for again."""
    with capsys.disabled():
        show(list(outcomes.values()))

    assert [(ROWS, ROWS, 0, 0)] * 3 == [
        (one.result.tally.completed, one.lines, one.result.tally.degraded, one.answered_again)
        for one in outcomes.values()
    ]


@pytest.mark.parametrize(
    ("lost", "holds"),
    [
        ("the power", lambda one: one.in_flight_again <= one.unanswered == one.unreported),
        ("the servers, not the models", lambda one: math.isclose(one.billed_usd, one.recorded_usd, abs_tol=1e-9)),
    ],
)
def test_what_was_billed_is_known_or_counted(
    outcomes: dict[str, Outcome], lost: str, holds: Callable[[Outcome], bool]
) -> None:
    """A payment without a report is a request without an answer, even one that may never have been sent.

    What is reported late is in the cost.
    """
    assert holds(outcomes[lost]), outcomes[lost]
