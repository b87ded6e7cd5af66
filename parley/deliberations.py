"""A deliberation of any protocol: wait for it, query it, follow it."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import ValidationError
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.exceptions import TerminatedError
from temporalio.service import RPCError

from parley import workflow_rpc
from parley.errors import RequestError, require
from parley.results import any_result, failure
from protocols.deliberation import DeliberationResult
from protocols.progress import Progress
from protocols.transcript import Transcript

if TYPE_CHECKING:  # importing the models of a consensus takes longer than most requests of another protocol
    from protocols.consensus.model import SyncEvent, VisualState

Result_co = TypeVar("Result_co", bound=DeliberationResult, covariant=True)


class Deliberation(Generic[Result_co]):
    """A deliberation that was started or found by id; it runs independently of this object.

    Raises:
        UnknownDeliberationError: the server has no deliberation with this id.
        NoSuchQueryError: its protocol does not have what was asked.
        DeliberationFailedError: there is no verdict; carries the partial result.
        RequestError: this version does not know the kind of the result.
    """

    def __init__(self, client: Client, handle: WorkflowHandle[Any, Result_co]) -> None:
        self.handle = handle
        """The SDK's own handle, for operations that this class lacks."""
        self._client = client

    @property
    def id(self) -> str:
        """The workflow id."""
        return self.handle.id

    async def result(self) -> Result_co:
        """Wait for the end, however long it takes, and return the result; a reset is followed."""
        try:
            return await self.handle.result()
        except WorkflowFailureError as error:
            if not isinstance(error.cause, TerminatedError) or not await workflow_rpc.has_been_reset(self.handle):
                raise failure(self.id, error) from error
        except RPCError as error:
            raise workflow_rpc.explained(self.id, error) from error
        except ValidationError as error:
            raise RequestError(f"{self.id} has a result that this version of Parley does not know") from error
        latest = self._client.get_workflow_handle(self.id, result_type=any_result())
        return await Deliberation[Result_co](self._client, latest).result()

    async def state(self) -> Progress:
        """Return the progress; answered by a worker."""
        return await workflow_rpc.ask(self.handle, workflow_rpc.STATE)

    async def transcript(self) -> Transcript:
        """Return all turns so far, in order; answered by a worker."""
        return await workflow_rpc.ask(self.handle, workflow_rpc.TRANSCRIPT)

    async def visual_state(self) -> "VisualState":
        """Return the bars of a consensus (seed 004, "Visual Indicators Needed"); answered by a worker.

        A running bar is at most at the streamed tokens, 0 to 90.
        """
        from parley import consensus_display  # noqa: PLC0415 - see above

        return await consensus_display.visual_state(self.handle)

    def events(self, *, every: float = 0.3) -> "AsyncIterator[SyncEvent]":
        """Yield the events that change a consensus display (seed 004, "Implementation Sync Points").

        All of them from the first one on, in order, each once, looked for every so many seconds; over when the
        deliberation is. Workers and servers that are gone for a while are waited for.
        """
        from parley import consensus_display  # noqa: PLC0415 - see above

        require(every, int | float, "every is a number of seconds", least=0)
        return consensus_display.events(
            self.handle, lambda run: self._client.get_workflow_handle(self.id, run_id=run), every=every
        )
