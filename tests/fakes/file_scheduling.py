"""xdist's distribution of the tests by file, without its searches through all tests."""

from collections.abc import Sequence

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController


class FileScheduling(LoadFileScheduling):  # type: ignore[misc]  # the classes of xdist have no types
    """A scheduler that gives whole files to the processes, in the order of the collection.

    For every test xdist searches a list of all tests and counts again what remains of every file that has run: of
    18,000 tests a third of the distributing process's time, which grows with the square of their number.
    """

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        """Begin without tests."""
        super().__init__(config, log)
        self._positions: dict[str, int] = {}

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        """Register the tests that ``node`` has collected; they are the same in every process."""
        super().add_node_collection(node, collection)
        self._positions = self._positions or {nodeid: at for at, nodeid in enumerate(collection)}

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Count a test as run, and forget its file with the last one."""
        scope = self._split_scope(self.registered_collections[node][item_index])
        super().mark_test_complete(node, item_index, duration)
        if all(self.assigned_work[node][scope].values()):
            del self.assigned_work[node][scope]

    def _assign_work_unit(self, node: WorkerController) -> None:
        scope, tests = self.workqueue.popitem(last=False)
        self.assigned_work[node][scope] = tests
        node.send_runtest_some([self._positions[nodeid] for nodeid, is_done in tests.items() if not is_done])
