"""A worker of our own, kept alive: when it dies another takes its place and goes on with what the dead one did."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from runtime.settings import PREFIX, Settings
from starter.children import Child
from starter.errors import ProcessFailedError

Say = Callable[[str], None]

_READY_SECONDS = 60.0
_STOP_MARGIN = 15.0
_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 30.0


class _Keeper:
    def __init__(self, settings: Settings, variables: Mapping[str, str], say: Say) -> None:
        self._settings = settings
        self._variables = variables
        self._say = say
        self._child: Child | None = None

    async def start(self) -> None:
        with tempfile.TemporaryDirectory(prefix="parley-") as directory:
            file = Path(directory) / "ready"
            self._child = await Child.start(
                "worker",
                [],
                log=self._settings.home / "worker.log",
                variables={**self._variables, f"{PREFIX}WORKER_READY_FILE": str(file)},
            )
            await self._child.ready(file, within=_READY_SECONDS)

    async def keep(self) -> None:
        pause = _FIRST_PAUSE
        while self._child is not None:
            ending = await self._child.ended()
            self._say(f"the worker ended ({ending}); another one is started in {pause:.0f} s")
            await asyncio.sleep(pause)
            try:
                await self.start()
            except ProcessFailedError as error:
                self._say(str(error))
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                self._say("a new worker is there and goes on where the last one was")
                pause = _FIRST_PAUSE

    async def stop(self) -> None:
        if self._child is not None:
            await self._child.stop(patience=self._settings.graceful_shutdown_seconds + _STOP_MARGIN)


@asynccontextmanager
async def kept_worker(settings: Settings, variables: Mapping[str, str], say: Say) -> AsyncIterator[None]:
    """A worker for as long as the block lasts; then it is asked to finish what is in flight, and waited for.

    Args:
        settings: Of this process; the worker's log stands in ``home``.
        variables: The worker's environment beside this process's own.
        say: Told when a worker died and when another is there.

    Raises:
        ProcessFailedError: the first one does not start.
    """
    keeper = _Keeper(settings, variables, say)
    try:
        await keeper.start()
        keeping = asyncio.create_task(keeper.keep())
        try:
            yield
        finally:
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping
    finally:
        await keeper.stop()
