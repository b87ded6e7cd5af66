"""What one machine is given to do by default."""

import pytest

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
    assert limit_of_calls(2, 200, wanted, 100) == said
