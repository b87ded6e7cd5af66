"""One threshold, one comparison: whatever flags a falsehood asks ``is_flagged``."""

import pytest

from protocols.fire_circle.flagging import THRESHOLD, flag, flag_again, is_flagged


@pytest.mark.parametrize(
    ("falsehood", "threshold", "expected"),
    [(0.5, 0.5, True), (0.4999, 0.5, False), (0.0, 0.0, True), (1.0, 1.0, True), (0.3, 0.31, False)],
)
def test_a_falsehood_that_equals_the_threshold_is_flagged(falsehood: float, threshold: float, expected: bool) -> None:
    """The comparison is "at least", whatever the threshold."""
    assert expected is is_flagged(falsehood, threshold)


def test_one_half_is_the_threshold_unless_another_is_given() -> None:
    """The default of every command and of the client."""
    assert (True, False) == (is_flagged(THRESHOLD), is_flagged(THRESHOLD - 0.01))
    assert THRESHOLD == 0.5


@pytest.mark.parametrize(
    ("falsehood", "threshold", "expected"),
    [
        (0.5, 0.5, "flagged at 0.5: F"),
        (0.9, 0.25, "flagged at 0.25: F"),
        (0.4, 0.5, "not flagged at 0.5: F"),
        (0.49667, 0.5, "not flagged at 0.5, being 0.49667: F"),
        (0.0, 0.0, "flagged at 0: F"),
    ],
)
def test_a_verdict_states_first_whether_it_is_a_flag(falsehood: float, threshold: float, expected: str) -> None:
    """A number that would be shown as the threshold, and is less, is shown with more decimals."""
    assert expected == flag("F", falsehood, threshold)


def test_a_verdict_can_be_read_at_another_threshold() -> None:
    """Only the words in front change, whatever they were."""
    told = flag("F 0.50: (x)", 0.49667, 0.5)
    assert "flagged at 0.4: F 0.50: (x)" == flag_again(told, 0.49667, 0.4)
    assert told == flag_again(flag_again(told, 0.49667, 0.4), 0.49667, 0.5)
