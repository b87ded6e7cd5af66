"""What text that is shown while it is written costs."""

import activities.heartbeats
from activities.providers.progress import CallProgress
from bench.live_text import LOAD, WITH, WITHOUT, table
from bench.parts.removal import REMOVALS
from bench.peers.rounds import PROVIDER, Sample


def test_the_ratio_is_to_the_worker_without_texts() -> None:
    """Worker and server count, the provider does not; the ratio of a round is that round's."""
    plain = [Sample([3.0], 3.0, {"worker": 0.09 * n, "server": 0.09 * n, PROVIDER: 9.0}) for n in (1, 10)]
    live = [Sample([3.0], 3.0, {"worker": 0.18 * n, "server": 0.09 * n, PROVIDER: 9.0}) for n in (1, 10)]
    last = table({(WITHOUT, LOAD): plain, (WITH, LOAD): live}).splitlines()[-1]
    assert last.endswith("| 1.50 (1.50–1.50) |")


def test_what_is_left_out_is_what_heartbeats_ask_for() -> None:
    """The names are those that the heartbeats look up, and nothing of a text is left."""
    text, tail = REMOVALS["live-text"], REMOVALS["tails"]
    assert hasattr(text.owner, text.name)
    assert text.owner is activities.heartbeats
    assert isinstance(getattr(tail.owner, tail.name), property)
    assert tail.owner is CallProgress
    assert tail.new == ""
