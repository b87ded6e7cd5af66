"""The benchmark of histories."""

from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent

from bench.steady import by_type


def test_the_bytes_of_a_history_are_counted_by_type_of_event() -> None:
    """Every event is counted once with its bytes; the type that takes most comes first."""
    small = HistoryEvent(event_id=1, event_type=EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED)
    large = HistoryEvent(event_id=1_000_000, event_type=EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED)
    expected = {
        "activity task completed": (1, len(large.SerializeToString())),
        "workflow task started": (1, len(small.SerializeToString())),
    }

    assert list(expected.items()) == list(by_type([small, large]).items())
