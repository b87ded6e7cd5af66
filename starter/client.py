"""Deliberations from Python: start, follow, change, read.

    parley = await Parley.connect()
    result = await parley.council("Why is the sky blue?", models=["zai-glm-4.7", "openai/gpt-5.2"], chair="zai-glm-4.7")
    result = await parley.consensus("Why is the sky blue?", max_rounds=5)

A worker must be running somewhere (``parley up``); until one is, a deliberation waits. An id is used once: asking under
the id of one that runs attaches to it, and asking under one that is over is refused, because it would pay for
every answer again; ``fresh=True`` says that this is what is wanted.
"""

import os
import secrets
from collections.abc import AsyncIterator
from typing import Self, Unpack

from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowUpdateFailedError,
)
from temporalio.service import RPCError, RPCStatusCode

from protocols.council.model import CouncilResult
from protocols.exchange import ParticipantId
from protocols.panel import UnknownModelNameError, route
from protocols.progress import Progress
from protocols.requests import ReplaceParticipant, StopRequest
from protocols.transcript import Transcript
from runtime.connect import connect
from runtime.settings import Settings, load_settings
from starter import names
from starter.catalogue import Providers
from starter.errors import (
    RequestError,
    UnknownDeliberationError,
    UpdateRefusedError,
)
from starter.listing import Listed, listed
from starter.options import CouncilKeywords, CouncilOptions
from starter.outcomes import failure
from starter.starting import start
from workflows.council import CouncilWorkflow


class Parley:
    """A connection to Temporal through which deliberations are held."""

    def __init__(self, client: Client, settings: Settings, providers: Providers) -> None:
        self.client = client
        self.settings = settings
        self.providers = providers

    @classmethod
    async def connect(cls, settings: Settings | None = None, *, address: str | None = None) -> Self:
        """Connect to the Temporal server that is configured, or to this machine's.

        Args:
            settings: By default those of the environment.
            address: ``host:port`` in place of the configured one.

        Raises:
            CannotReachTemporalError: nothing answers there.
            SettingsError, RequestError: a setting or the providers file cannot be used.
        """
        settings = settings or load_settings()
        providers = Providers.of(settings, os.environ)
        return cls(await connect(settings, address=address), settings, providers)

    async def council(self, question: str, **options: Unpack[CouncilKeywords]) -> CouncilResult:
        """Hold a council on ``question`` and wait for its verdict; the options are those of ``CouncilOptions``.

        Raises:
            RequestError: it cannot be held as it was asked.
            DeliberationFailedError: it was held and there is no verdict.
        """
        return await (await self.start_council(question, **options)).result()

    async def start_council(self, question: str, **options: Unpack[CouncilKeywords]) -> Deliberation:
        """Start a council, or attach to the one that runs under ``id``, and return without waiting.

        Raises:
            RequestError: it cannot be held as it was asked.
            AlreadyHeldError: the id was used before; ``fresh=True`` holds it again.
        """
        chosen = CouncilOptions.of(options)
        private = self.settings.encryption_keys is not None
        salt = secrets.token_hex(4) if chosen.fresh else ""
        inp = chosen.council_input(question, queues=self.providers.queues, private=private, salt=salt)
        chosen_id = names.new_id("council", None if private else question) if chosen.id is None else chosen.id
        return Deliberation(await start(self.client, names.checked_id(chosen_id), inp, fresh=chosen.fresh))

    def deliberation(self, deliberation_id: str) -> Deliberation:
        """The deliberation of that id; whether there is one shows when it is asked something."""
        return Deliberation(self.client.get_workflow_handle_for(CouncilWorkflow.run, deliberation_id))

    async def result(self, deliberation_id: str) -> CouncilResult:
        """As ``Deliberation.result``."""
        return await self.deliberation(deliberation_id).result()

    async def state(self, deliberation_id: str) -> Progress:
        """As ``Deliberation.state``."""
        return await self.deliberation(deliberation_id).state()

    async def replace_participant(self, deliberation_id: str, seat: str, model: str) -> Progress:
        """Put another model behind ``seat`` (``p1`` … or ``chair``) of a deliberation that runs.

        Raises:
            UpdateRefusedError: it makes no sense now; says why.
            UnknownDeliberationError: the server knows no such id.
        """
        try:
            request = ReplaceParticipant(participant=ParticipantId(seat), model=route(model))
        except UnknownModelNameError as error:
            raise RequestError(str(error)) from None
        handle = self.deliberation(deliberation_id).handle
        try:
            return await handle.execute_update(CouncilWorkflow.replace_participant, request)
        except (WorkflowUpdateFailedError, RPCError) as error:
            raise _refused(deliberation_id, error) from error

    async def stop(self, deliberation_id: str, reason: str = "stopped by a person") -> Progress:
        """End a deliberation now with what there is; nothing more is asked or paid.

        Raises:
            UpdateRefusedError: it has ended already.
            UnknownDeliberationError: the server knows no such id.
        """
        handle = self.deliberation(deliberation_id).handle
        try:
            return await handle.execute_update(CouncilWorkflow.stop, StopRequest(reason=reason[:500]))
        except (WorkflowUpdateFailedError, RPCError) as error:
            raise _refused(deliberation_id, error) from error

    async def cancel(self, deliberation_id: str) -> None:
        """Ask a deliberation to end without a verdict; it writes down what it has and is over.

        Raises:
            UpdateRefusedError: it has ended already.
            UnknownDeliberationError: the server knows no such id.
        """
        handle = self.deliberation(deliberation_id).handle
        try:
            if (await handle.describe()).status is not WorkflowExecutionStatus.RUNNING:
                raise UpdateRefusedError(f"{deliberation_id} has ended already")
            await handle.cancel()
        except RPCError as error:
            raise _explained(deliberation_id, error) from error

    async def list(self, query: str | None = None, *, limit: int = 20) -> tuple[Listed, ...]:
        """The newest deliberations that match ``query``, in Temporal's list filter language.

        Raises:
            RequestError: the filter cannot be read.
        """
        found: AsyncIterator[WorkflowExecution] = self.client.list_workflows(query, limit=limit)
        try:
            return tuple([listed(execution) async for execution in found])
        except RPCError as error:
            if error.status is not RPCStatusCode.INVALID_ARGUMENT:
                raise
            raise RequestError(f"the filter {query!r} cannot be used: {error.message}") from None

    async def about(self, deliberation_id: str) -> Listed:
        """The line of one deliberation in the list; asks the server alone, so it needs no worker.

        Raises:
            UnknownDeliberationError: the server knows no such id.
        """
        try:
            return listed(await self.deliberation(deliberation_id).handle.describe())
        except RPCError as error:
            raise _explained(deliberation_id, error) from error


def _explained(deliberation_id: str, error: RPCError) -> Exception:
    if error.status is RPCStatusCode.NOT_FOUND:
        return UnknownDeliberationError(
            f"Temporal knows no deliberation {deliberation_id!r}. The ids are listed by: parley list"
        )
    return error


def _refused(deliberation_id: str, error: WorkflowUpdateFailedError | RPCError) -> Exception:
    if isinstance(error, WorkflowUpdateFailedError):
        return UpdateRefusedError(str(error.cause))
    if error.status is RPCStatusCode.NOT_FOUND and "completed" in error.message:
        return UpdateRefusedError(f"{deliberation_id} has ended already")
    return _explained(deliberation_id, error)
