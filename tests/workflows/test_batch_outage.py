"""A provider that is down for hours: deliberations of a study wait for it and do not fail."""

import asyncio
from datetime import timedelta

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from protocols.model_call import ModelCall
from protocols.study.model import BatchResult, RunSettings
from tests.fakes.studies import FakeStudy, server_time

OUTAGE = timedelta(hours=2)


@pytest.mark.long
@pytest.mark.timeout(200)
async def test_two_hours_of_outage_cost_no_deliberation(env: WorkflowEnvironment) -> None:
    """While the provider is away calls are tried again once a minute; when it is back every deliberation runs."""
    begun = await env.get_current_time()

    def script(_: str, __: ModelCall) -> float | Exception:
        if server_time() - begun < OUTAGE:
            return ApplicationError("down for maintenance", {"status": 503}, type="provider.unavailable")
        return 1.0

    study = FakeStudy(script)
    async with study.staff(env), asyncio.timeout(150):
        handle = await study.start(env, study.batch(4, terms=RunSettings(window=2)))
        result: BatchResult = await handle.result()

    took = await env.get_current_time() - begun
    print(f"{took} on the server's clock, {sum(study.calls.values())} attempts, {result.tally.failed} failed")
    assert (4, 0, 0) == (result.tally.completed, result.tally.failed, result.tally.missing)
    assert took >= OUTAGE
