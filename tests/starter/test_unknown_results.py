"""What comes out of a deliberation whose protocol this version does not know."""

import pytest
from temporalio import workflow
from temporalio.worker import Worker

from parley.client import Parley
from parley.errors import RequestError


@workflow.defn(name="Stranger", sandboxed=False)
class Stranger:
    """A protocol of another version."""

    @workflow.run
    async def run(self) -> dict[str, str]:
        """Come out in an unknown way."""
        return {"protocol": "stranger", "verdict": "?"}


async def test_unknown_result_is_reported_so(parley: Parley) -> None:
    """A result of a protocol that is not known here is no defect: the message says what is the matter."""
    async with Worker(parley.client, task_queue="strange", workflows=[Stranger]):
        await parley.client.start_workflow(Stranger.run, id="strange", task_queue="strange")
        with pytest.raises(RequestError, match="this version of Parley does not know"):
            await parley.result("strange")
