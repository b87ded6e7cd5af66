"""The benchmarks of histories and of rounds."""

from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent

from bench.steady import ROUNDS, by_type, growths


def test_the_bytes_of_a_history_are_counted_by_type_of_event() -> None:
    """Every event is counted once with its bytes; the type that takes most comes first."""
    small = HistoryEvent(event_id=1, event_type=EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED)
    large = HistoryEvent(event_id=1_000_000, event_type=EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED)
    expected = {
        "activity task completed": (1, len(large.SerializeToString())),
        "workflow task started": (1, len(small.SerializeToString())),
    }

    assert list(expected.items()) == list(by_type([small, large]).items())


def test_rounds_are_added_up_over_all_consensuses() -> None:
    """A late round is (2 + 10) ÷ (1 + 10) of an early one: consensuses are added up; the first round is left out."""
    fast = [9.0] + [1.0] * (ROUNDS - 11) + [2.0] * 10
    slow = [9.0] + [10.0] * (ROUNDS - 1)

    assert growths([fast, slow]) == "1.09 (1.00–2.00)"
