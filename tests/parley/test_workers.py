"""A worker that is kept alive."""

from pathlib import Path

from parley.errors import ProcessFailedError
from parley.workers import WorkerKeeper
from tests.fakes.server import settings_in


class Unlucky(WorkerKeeper):
    """A keeper whose first starts fail, as on a machine that has no room."""

    failures: list[Exception]
    starts = 0

    async def start(self) -> None:
        """Fail as often as there are failures."""
        self.starts += 1
        if self.failures:
            raise self.failures.pop(0)


async def test_a_start_that_fails_is_said_and_tried_again(tmp_path: Path) -> None:
    """Neither a program that does not start nor an error of the system ends the keeping; each is said."""
    said: list[str] = []
    keeper = Unlucky(settings_in(tmp_path), {}, said.append)
    keeper.failures = [OSError(28, "No space left on device"), ProcessFailedError("the worker ended at its start")]
    await keeper.start_patiently(pause=0.01)

    assert keeper.starts == 3
    assert ["No space left on device", "ended at its start"] == [
        next(words for words in ("No space left on device", "ended at its start") if words in line) for line in said
    ]
    assert all("The next start is tried in" in line for line in said)


async def test_a_keeper_without_a_worker_stops_nothing(tmp_path: Path) -> None:
    """Stopping before the first start is no error."""
    await WorkerKeeper(settings_in(tmp_path), {}, lambda _: None).stop()
