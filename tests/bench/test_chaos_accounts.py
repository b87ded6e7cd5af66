"""What a chaos run counts as asked again: rules over arrivals and faults, without any process."""

from typing import Any

from bench.chaos.accounts import Observed, note_recoveries, repeated
from bench.chaos.faults import Played


def arrival(key: str, at: float, finished_at: float, outcome: str = "answered") -> dict[str, Any]:
    """One request as the rehearsal server lists it."""
    return {"key": key, "at": at, "finished_at": finished_at, "outcome": outcome}


def test_a_written_answer_that_is_asked_again_is_a_defect() -> None:
    """An answer that was written down before a worker's death has no excuse for a second request."""
    killed = Played("worker killed", "worker", began=10.2, ended=10.2, written=frozenset({"a"}))

    assert (0, 1) == repeated([arrival("a", 9.0, 10.0), arrival("a", 20.0, 21.0)], [killed])


def test_an_answer_that_died_with_its_worker_is_excused() -> None:
    """An answer on its way to a worker that is killed, and not written down, may be asked for once more."""
    killed = Played("worker killed", "worker", began=10.2, ended=10.2)

    assert (1, 0) == repeated([arrival("a", 9.0, 10.0), arrival("a", 20.0, 21.0)], [killed])


def test_a_killed_server_excuses_nothing() -> None:
    """The journal is the worker's: a server that is away is no reason to ask again."""
    killed = Played("server killed", "", began=9.5, ended=9.5)

    assert (0, 1) == repeated([arrival("a", 9.0, 10.0), arrival("a", 20.0, 21.0)], [killed])


def test_a_refused_request_is_asked_again_without_being_counted() -> None:
    """A retry after an error of the provider repeats nothing that was answered."""
    assert (0, 0) == repeated([arrival("a", 9.0, 9.1, "refused"), arrival("a", 20.0, 21.0)], [])


def test_a_recovery_lasts_until_the_next_row() -> None:
    """It is counted from the end of the fault; a fault after the last row has none."""
    observed = Observed(rows=[(5.0, 1), (12.5, 2)])
    played = [Played("x", "", began=8.0, ended=10.0), Played("y", "", began=13.0, ended=14.0)]
    note_recoveries(played, observed)

    assert [2.5, None] == [one.recovered for one in played]
