"""Preferences: both orders of a pair count together, and contradictions are ties."""

import itertools

import pytest

from studies.comparison.preferences import Shown, both_orders
from tests.fakes.reported import row

_COUNCIL = row(0, verdict="long answer")
_SINGLE = row(0, arm="single", deliberation_id="study/row-0.single", verdict="short")

_EXPECTED = {
    ("first", "second"): (1.0, True, None),
    ("second", "first"): (0.0, True, None),
    ("tie", "tie"): (0.5, True, None),
    ("first", "first"): (0.5, False, "first"),
    ("second", "second"): (0.5, False, "second"),
    ("first", "tie"): (0.5, False, None),
    ("tie", "second"): (0.5, False, None),
    ("tie", "first"): (0.5, False, None),
    ("second", "tie"): (0.5, False, None),
}


@pytest.mark.parametrize("said", _EXPECTED)
def test_the_two_orders_of_a_pair(said: tuple[str, str]) -> None:
    """The same arm in both orders wins; two orders that contradict each other are a tie, and are counted."""
    shown = [Shown(_COUNCIL, _SINGLE, said[0]), Shown(_SINGLE, _COUNCIL, said[1])]
    for orders in itertools.permutations(shown):
        (found,) = both_orders(orders)
        assert (found.arm, found.other) == ("council", "single")
        assert (found.value, found.is_consistent, found.favoured_position) == _EXPECTED[said]


def test_an_unread_order_is_no_preference() -> None:
    """A pair of which one order could not be read has no value, and is no tie."""
    (found,) = both_orders([Shown(_COUNCIL, _SINGLE, "first"), Shown(_SINGLE, _COUNCIL, None)])
    assert (found.is_read, found.value, found.is_consistent) == (False, None, False)


def test_a_pair_asked_in_one_order_is_left_out() -> None:
    """One order alone says nothing that is free of the order."""
    assert both_orders([Shown(_COUNCIL, _SINGLE, "first")]) == []
