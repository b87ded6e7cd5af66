"""Changes to a running batch, also saved in the ledger for later batches."""

import asyncio
from collections.abc import Callable

from temporalio.client import Client

from ledger.studies.settings import SavedSettings, change_settings
from ledger.studies.writing import open_for_entering
from parley import workflow_rpc
from parley.errors import RequestError, UnknownDeliberationError, UpdateRefusedError
from protocols.model_call import FrozenModel
from protocols.study import budget
from protocols.study.model import BatchState, Extension, PauseRequest, ResumeRequest, RunSettings, WindowChange
from protocols.update_requests import BudgetChange
from runtime.installation import refuse_other_keys
from runtime.settings import Settings
from studies.runs.status import batch_status

Change = Callable[[RunSettings], RunSettings]

_LOOK_SECONDS = 0.25


class StudyControl:
    """One study, whether its batch runs now or not."""

    def __init__(self, client: Client, settings: Settings, study: str) -> None:
        self._client = client
        self._settings = settings
        self.name = study

    async def pause(self, reason: str) -> BatchState:
        """Start no more deliberations; running ones continue to their ends."""
        return await self._changed("pause", PauseRequest(reason=reason))

    async def resume(self) -> BatchState:
        """Resume after a pause."""
        return await self._changed("resume", ResumeRequest())

    async def set_budget(self, change: BudgetChange) -> RunSettings:
        """Set other limits for the study."""
        return await self._set(
            "set_budget",
            change,
            lambda terms: terms.model_copy(update={"cap": budget.change_budget(terms.cap, change)}),
        )

    async def set_window(self, window: int) -> RunSettings:
        """Set the number of deliberations at once."""
        change = WindowChange(window=window)
        return await self._set("set_window", change, lambda terms: terms.model_copy(update={"window": window}))

    async def extend(self, end: int, *, patience: float = 30.0) -> None:
        """Extend the batch to ``end`` instances of the study, if one runs; wait for the end of one that is closing."""
        if await batch_status(self._client, self.name) != "running":
            return
        try:
            await self._changed("extend", Extension(end=end))
        except UpdateRefusedError:
            if not await self._is_over(patience):
                raise

    async def cancel(self, *, patience: float = 30.0) -> bool:
        """Cancel the batch: running deliberations are cancelled and recorded, waiting ones never begin.

        Returns whether it was over within ``patience`` seconds; otherwise it ends when a worker gets to it.

        Raises:
            UpdateRefusedError: no batch of the study runs.
        """
        if await batch_status(self._client, self.name) != "running":
            raise UpdateRefusedError(self._over)
        await self._client.get_workflow_handle(self.name).cancel()
        return await self._is_over(patience)

    async def _is_over(self, patience: float) -> bool:
        try:
            async with asyncio.timeout(patience):
                while await batch_status(self._client, self.name) == "running":  # noqa: ASYNC110 - a batch on a server sets no event here
                    await asyncio.sleep(_LOOK_SECONDS)
        except TimeoutError:
            return False
        return True

    async def _set(self, update: str, change: FrozenModel, make: Change) -> RunSettings:
        """Send the change to the batch, if one runs, and save the settings for the next one."""
        is_running = await batch_status(self._client, self.name) == "running"
        terms = (await self._changed(update, change)).terms if is_running else None

        def changed(kept: SavedSettings | None) -> SavedSettings:
            if kept is None:
                raise RequestError(f"the ledger has no study {self.name!r} that was ever run; parley batch list")
            return SavedSettings(said=kept.said, now=terms or make(kept.now))

        async with open_for_entering(self._settings.database_url) as store:
            return (await change_settings(store, self.name, changed)).now

    async def _changed(self, update: str, change: FrozenModel) -> BatchState:
        await refuse_other_keys(self._client)
        try:
            return await workflow_rpc.change(self._client.get_workflow_handle(self.name), update, change, BatchState)
        except (UpdateRefusedError, UnknownDeliberationError) as error:
            if isinstance(error, UpdateRefusedError) and "has ended already" not in str(error):
                raise
            raise UpdateRefusedError(self._over) from None

    @property
    def _over(self) -> str:
        return f"no batch of {self.name!r} runs now; continue what is left of it with: parley batch run {self.name}"
