"""Who counts as working on a queue."""

import os
import platform
from datetime import UTC, datetime, timedelta

import pytest

from parley.workers import working

HERE = platform.node()
GONE = 2**22 + 1
"""Above the largest process id there can be."""


@pytest.mark.parametrize(
    ("identity", "seconds_ago", "there"),
    [
        (f"parley-{os.getpid()}@{HERE}", 10, True),
        (f"parley-{os.getpid()}@{HERE}", 200, False),
        (f"parley-{GONE}@{HERE}", 1, False),
        (f"parley-{GONE}@another-machine", 1, True),
        ("somebody else", 1, True),
    ],
    ids=["alive", "long silent", "dead", "dead here, but of another machine", "not ours"],
)
def test_poller_counts_while_it_can_be_there(identity: str, seconds_ago: float, there: bool) -> None:
    """An entry counts when it is fresh and, on this machine, its process is alive."""
    now = datetime(2026, 5, 1, tzinfo=UTC)
    assert there is (identity in working({identity: now - timedelta(seconds=seconds_ago)}, now))


@pytest.mark.parametrize(
    ("behind", "expected"),
    [(30, ("a",)), (80, ("a",)), (299, ()), (301, ("a",)), (86_400, ("a",)), (-5, ("a",)), (-3600, ("a",))],
)
def test_a_wrong_clock_hides_no_worker(behind: int, expected: tuple[str, ...]) -> None:
    """The server forgets a worker after five minutes, so an older entry, or one of the future, is due to a clock."""
    now = datetime(2026, 5, 1, tzinfo=UTC)
    polled = {"a": now - timedelta(seconds=behind), "b": now - timedelta(seconds=behind + 100)}

    assert (expected, ()) == (working(polled, now), working({}, now))
