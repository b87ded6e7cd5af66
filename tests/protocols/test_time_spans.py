"""Spans of time as people write them."""

import pytest

from protocols.time_spans import read_span, write_span


@pytest.mark.parametrize(
    ("given", "seconds"),
    [("90", 90), ("90s", 90), (" 15M ", 900), ("2 h", 7200), ("1d", 86_400), ("1.5m", 90), ("0", 0)],
)
def test_a_span_is_a_number_and_a_unit(given: str, seconds: float) -> None:
    """A bare number is seconds; white space and capitals do not matter."""
    assert seconds == read_span(given)


@pytest.mark.parametrize("given", ["", "soon", "-1", "1w", "1h30m", "1e3", "٣m", "9" * 40, "m"])
def test_what_is_no_span_is_refused_with_examples(given: str) -> None:
    """Anything else is an error that shows what may be written."""
    with pytest.raises(ValueError, match="90s, 15m, 2h, 1d"):
        read_span(given)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0 s"), (45.04, "45 s"), (60, "1 min"), (900, "15 min"), (5400, "1.5 h"), (86_400, "1 d")],
)
def test_a_span_is_shown_in_its_largest_unit(seconds: float, said: str) -> None:
    """Seconds, minutes, hours or days, rounded to a tenth."""
    assert said == write_span(seconds)
