"""The price of rows at the beginning and at the end of a study."""

import pytest

from bench.study_growth import Price, Sample, Span, growth_lines, price, spans
from bench.study_rounds import Round, late_and_new


def sample(rows: int, seconds: float, worker: float, fixed_work: float = 4.0) -> Sample:
    """A moment at which the worker has computed for so many seconds."""
    return Sample(rows, seconds, {"worker": worker, "server": 2 * worker}, {"worker": 100.0 + rows / 100}, fixed_work)


@pytest.mark.parametrize(
    ("rows", "window", "expected"),
    [
        (5000, 200, (Span(250, 750), Span(4300, 4800))),
        (1000, 200, (Span(100, 300), Span(600, 800))),
        (100, 20, (Span(10, 30), Span(60, 80))),
    ],
)
def test_equally_many_rows_are_compared_while_the_window_is_full(
    rows: int, window: int, expected: tuple[Span, Span]
) -> None:
    """Around row 500 and before the window empties; a shorter study has shorter spans, and they never overlap."""
    assert spans(rows, window) == expected


def test_a_study_that_is_never_full_is_refused() -> None:
    """The error names the rows and how many it takes."""
    with pytest.raises(ValueError, match="a study of 200 rows is never full; take more than 204, or a smaller window"):
        spans(200, 200)


def test_a_span_is_priced_in_proportion_between_two_samples() -> None:
    """Ten rows of the 100 between two samples took a tenth of the seconds and of the processor."""
    samples = [sample(0, 0, 0), sample(100, 50, 4), sample(100, 51, 4), sample(200, 151, 10)]
    assert price(samples, Span(10, 20)) == Price(2.0, {"worker": 40.0, "server": 80.0}, {"worker": 101.0}, 4.0)
    assert price(samples, Span(150, 200)).rows_a_second == pytest.approx(1.0)
    assert price(samples, Span(50, 150)).rows_a_second == pytest.approx(100 / (101 - 25))


def test_a_study_that_becomes_slower_has_a_ratio_below_one() -> None:
    """Half the rows a second, and twice the processor of the worker for each, in words of the table."""
    samples = [sample(0, 0, 0), sample(400, 40, 8), sample(800, 120, 24), sample(1000, 140, 25)]
    assert growth_lines(samples, 1000, 200) == [
        ("rows a second, rows 101–300 and 601–800", "10.0 and 5.0"),
        ("their ratio (goal: ≥ 0.95)", "0.50"),
        ("a fixed computation meanwhile, ms of processor", "4.00 and 4.00"),
        ("the ratio on a machine that stays as fast", "0.50"),
        ("processor of the worker, ms a row, the same", "20.0 and 40.0"),
        ("processor of the server, ms a row, the same", "40.0 and 80.0"),
        ("memory of the worker after each, MB", "104 and 108"),
    ]


def test_a_slower_machine_is_allowed_for() -> None:
    """The ratio is multiplied by that of a computation that is always the same, and takes a quarter longer here."""
    samples = [sample(0, 0, 0), sample(200, 20, 4, 4.0), sample(600, 60, 12, 5.0), sample(800, 100, 20, 5.0)]
    lines = dict(growth_lines([*samples, sample(1000, 120, 24)], 1000, 200))
    assert lines["their ratio (goal: ≥ 0.95)"] == "0.50"
    assert lines["a fixed computation meanwhile, ms of processor"] == "4.00 and 5.00"
    assert lines["the ratio on a machine that stays as fast"] == "0.62"


def test_late_rows_are_compared_round_by_round() -> None:
    """The last line has the medians of the ratios, so one slow round does not decide; a slow machine is allowed for."""

    def rows(a_second: float, fixed_work: float = 4.0) -> Price:
        return Price(a_second, {"worker": 40.0}, {}, fixed_work)

    _, lines = late_and_new([Round(rows(18, 5.0), rows(20)), Round(rows(20), rows(20)), Round(rows(5), rows(20))])
    assert lines[0] == ("round 1", "18.0", "20.0", "0.90", "5.00 and 4.00", "1.12", "worker 40.0 and 40.0")
    assert lines[-1] == ("median (goal: ≥ 0.95)", "", "", "0.90", "", "1.00", "")
