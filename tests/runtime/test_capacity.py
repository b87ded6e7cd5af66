"""What one machine is given to do by default."""

import pytest

from runtime import capacity
from runtime.capacity import calls_that_fit, limit_of_calls, memory_bytes, worker_processes

GB = 1_000_000_000


@pytest.mark.parametrize(("memory", "calls"), [(0, 20), (GB // 10, 20), (GB, 100), (2 * GB, 200), (64 * GB, 200)])
def test_calls_at_once_fit_the_memory(memory: int, calls: int) -> None:
    """A worker makes 200 calls at once, fewer where there is less than 2 GB, and never fewer than 20."""
    assert calls_that_fit(memory) == calls


def test_this_machine_has_some_of_both() -> None:
    """Memory and processes are at least one."""
    assert memory_bytes() > 0
    assert worker_processes() >= 1


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (None, "at most 400 calls at once, limited by 2 workers with 200 calls each (PARLEY_MAX_CONCURRENT_CALLS)"),
        (400, "at most 400 calls at once, limited by the window of 100"),
        (800, "at most 400 calls at once, limited by 2 workers with 200 calls each (PARLEY_MAX_CONCURRENT_CALLS)"),
    ],
)
def test_the_smaller_limit_is_named(wanted: int | None, said: str) -> None:
    """A user reads whether the window or the workers hold the calls back."""
    assert limit_of_calls(2, 200, wanted, "the window of 100") == said


def test_memory_is_named_where_it_is_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of a small machine have fewer calls, for a reason that a user reads; a number of one's own has none."""
    monkeypatch.setattr(capacity, "memory_bytes", lambda: GB)
    assert "1 worker with 100 calls each that fit its memory (" in limit_of_calls(1, 100)
    assert "1 worker with 50 calls each (" in limit_of_calls(1, 50)


def test_a_single_call_is_one() -> None:
    """A panel of one is asked once."""
    assert limit_of_calls(1, 20, 1, "the panel of 1") == "at most 1 call at once, limited by the panel of 1"
