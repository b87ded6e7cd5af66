"""A workflow that imports a module which the sandbox's list does not name."""

from temporalio import workflow

from tests.fakes.unlisted_values import GREETING


@workflow.defn(name="Stowaway")
class Stowaway:
    """Brings an unlisted module along."""

    @workflow.run
    async def run(self) -> str:
        """The unlisted module's word."""
        return GREETING
