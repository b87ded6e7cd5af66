"""Objects of the start are not looked at again, and garbage is still found."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from runtime.garbage_collection import OBJECTS_BEFORE_A_LOOK, collect_less


class Cycle:
    """An object that only a garbage collection removes."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Leave the collector as it was."""
    before, were_frozen = gc.get_threshold(), gc.get_freeze_count()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()
    if were_frozen:
        gc.freeze()


def test_what_exists_is_no_longer_looked_at() -> None:
    """Objects of the start belong to no generation that is searched."""
    stays = [Cycle()]
    collect_less()
    assert not any(one is stays for generation in range(3) for one in gc.get_objects(generation))


def test_what_is_garbage_at_the_start_does_not_stay() -> None:
    """Garbage is removed before the rest is kept for ever."""
    removed = weakref.ref(Cycle())
    collect_less()
    assert removed() is None


def test_later_garbage_is_found_by_itself() -> None:
    """Cycles are removed after so many new objects, without a request, where the start had no collections too."""
    gc.disable()
    collect_less()
    removed = weakref.ref(Cycle())
    more: list[list[object]] = [[] for _ in range(2 * OBJECTS_BEFORE_A_LOOK)]
    assert removed() is None, f"{len(more)} objects later it is still there"
