"""Reading the status of a study repeatedly until its batch ends."""

import asyncio
from collections.abc import AsyncIterator

from temporalio.client import Client
from temporalio.service import RPCError

from runtime.settings import Settings
from studies.runs.status import StudyStatus, known_study, study_status

_AWAY = "Temporal does not answer; waiting for it"


async def follow(client: Client, settings: Settings, name: str, *, every: float = 2.0) -> AsyncIterator[StudyStatus]:
    """Yield the status of the study ``name`` every so many seconds; the last one is of its end.

    A server that does not answer for a while is waited for.

    Raises:
        RequestError: there is no study of that name.
        StoreError: the ledger cannot be read.
    """
    study, sight = await known_study(settings, name), None
    while sight is None or not sight.is_over:
        if sight is not None:
            await asyncio.sleep(every)
        try:
            sight = await study_status(client, settings, study)
        except RPCError:
            if sight is None:
                raise
            sight = sight.model_copy(update={"note": _AWAY})
        yield sight
