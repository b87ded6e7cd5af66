"""Who counts as working on a queue."""

import os
import platform

import pytest

from parley.workers import Poller

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
    assert Poller(identity, seconds_ago).is_there is there
