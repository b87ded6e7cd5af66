"""The arithmetic of the benchmark's tables."""

from bench.peers.rounds import CROWD, LOADS, ONE, PROVIDER, Row, Sample
from bench.peers.tables import call_ms, capacity_table, goals, main_table, process_table, ratio, spread

PLAIN, BARE, PARLEY = Row("plain"), Row("bare"), Row("parley")


def sample(seconds: float, computed: float, *, councils: int = 1) -> Sample:
    """Councils of ``seconds`` each, one after the other, of one worker; the provider computed a second."""
    return Sample([seconds] * councils, seconds * councils, {"worker": computed, PROVIDER: 1.0})


def test_a_ratio_compares_round_by_round() -> None:
    """A minute in which everything was slow leaves the ratio as it is."""
    fast, slow = sample(1.0, 0.9), sample(10.0, 9.0)
    twice = [sample(2.0, 1.8), sample(20.0, 18.0)]

    assert (2.0, 2.0, 2.0) == ratio(twice, [fast, slow], call_ms)


def test_processor_time_is_per_call_and_without_the_provider() -> None:
    """Nine calls a council; what the provider computes is no peer's."""
    one = sample(1.0, 0.09, councils=2)

    assert 5.0 == one.milliseconds_a_call()
    assert 55.6 == round(one.milliseconds_a_call(PROVIDER), 1)
    assert 2.0 == sample(0.5, 0.1, councils=8).a_second


def test_a_spread_is_the_median_between_its_quartiles() -> None:
    """Of one value all three are the same."""
    assert (3, 2, 4) == spread([5, 1, 3, 2, 4])
    assert "3 (3–3)" == spread([3]).shown()


def test_goals_are_measured_against_the_bare_worker_and_the_critical_path() -> None:
    """Each goal is beside its bound; a rate is to be at least, a cost at most."""
    seconds = {PLAIN: 1.0, BARE: 2.0, PARLEY: 3.0}
    samples = {(row, load): [sample(value, value)] for row, value in seconds.items() for load in LOADS}
    found = {goal.name: goal for goal in goals(samples)}

    assert 1.5 == found["time at 0 ms, Parley ÷ bare worker"].found.median
    assert 1.0 == found["parley, 1 s models ÷ critical path"].found.median
    assert "≥ 0.7" in found["councils a second, Parley ÷ bare worker"].line
    assert 0.67 == round(found["councils a second, Parley ÷ bare worker"].found.median, 2)


def test_a_row_without_a_process_has_a_dash() -> None:
    """The table of processes has a column for each role of any peer."""
    bare = Sample([1.0], 1.0, {"worker": 0.009, "server": 0.018, PROVIDER: 0.0})
    samples = {(PLAIN, ONE): [sample(1.0, 0.009)], (BARE, ONE): [bare]}

    assert "| plain | 1.00 | – | 111.11 |" in list(process_table(samples, ONE))


def test_more_workers_are_computed_from_the_processor_time_of_one() -> None:
    """A worker of 10 ms a call makes 100 calls a second on its core; the server computes as much as they need."""
    one = Sample([1.0], 1.0, {"worker": 0.09, "server": 0.045, PROVIDER: 0.0})

    assert ["| 1 | 11.1 | 1 | 0.5 |", "| 2 | 22.2 | 2 | 1.0 |", "| 4 | 44.4 | 4 | 2.0 |"] == list(
        capacity_table([one])
    )[2:]


def test_a_run_without_latencies_shows_what_it_measured() -> None:
    """The table has a column for each load that was run."""
    samples = {(PLAIN, load): [sample(0.5, 0.09)] for load in (ONE, CROWD)}

    head, _, row = main_table(samples)
    assert "|  | 0 ms | processor ms a call | 16 at once | councils a second |" == head
    assert "| plain | 500 (500–500) | 10.0 (10.0–10.0) | 10.0 (10.0–10.0) | 2.0 (2.0–2.0) |" == row
