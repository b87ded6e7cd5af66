"""A workflow and an activity that repeat what they receive, to see what travels and how."""

from datetime import timedelta

from pydantic import BaseModel
from temporalio import activity, workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ApplicationError


class Heard(BaseModel):
    """What is repeated."""

    text: str
    fail: bool = False


@activity.defn
async def repeat(heard: Heard) -> Heard:
    """Return ``heard``, or fail with its text."""
    if heard.fail:
        raise ApplicationError(heard.text, non_retryable=True)
    return heard


@workflow.defn(name="Parrot")
class Parrot:
    """Repeats what it receives, once through an activity, and in answer to a query in a longer form."""

    @workflow.query
    def twice(self) -> Heard:
        """What it received, twice."""
        return Heard(text=2 * self._heard.text)

    @workflow.run
    async def run(self, heard: Heard) -> Heard:
        """What the activity made of ``heard``."""
        self._heard = heard
        return await workflow.execute_activity(
            repeat,
            heard,
            start_to_close_timeout=timedelta(seconds=10),
            retry_policy=RetryPolicy(maximum_attempts=1),
        )


@workflow.defn(name="Stuck")
class Stuck:
    """Fails in each workflow task, as a run does whose worker lacks what it needs."""

    @workflow.run
    async def run(self) -> None:
        """Fail without an end."""
        raise RuntimeError("the key is missing")
