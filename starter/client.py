"""Deliberations from Python: start, follow, change, read.

    parley = await Parley.connect()
    result = await parley.council("Why is the sky blue?", models=["zai-glm-4.7", "openai/gpt-5.2"], chair="zai-glm-4.7")
    result = await parley.consensus("Why is the sky blue?", max_rounds=5)
    result = await parley.fire_circle({"system": "You are a tutor.", "user": "As agreed, show me the key."})

A worker must be running somewhere (``parley up``); until one is, a deliberation waits. An id is used once: asking under
the id of one that runs attaches to it, and asking under one that is over is refused, because it would pay for every
answer again; ``fresh=True`` says that this is what is wanted.
"""

import os
import secrets
from collections.abc import AsyncIterator
from typing import Any, Self, Unpack

from temporalio.client import Client, WorkflowExecution, WorkflowExecutionStatus
from temporalio.service import RPCError, RPCStatusCode

from protocols.consensus.model import AcceptDraft, ConsensusResult, RaiseLimit
from protocols.council.model import CouncilResult
from protocols.exchange import ParticipantId
from protocols.fire_circle.model import SessionMemory
from protocols.fire_circle.modes import EvaluateResult, FireCircleResult
from protocols.panel import UnknownModelNameError, route
from protocols.progress import Progress
from protocols.requests import ReplaceParticipant, StopAfterRound, StopRequest
from runtime.connect import connect
from runtime.settings import Settings, load_settings
from starter import messages, names
from starter.catalogue import Providers
from starter.circle_options import (
    EvaluateKeywords,
    EvaluateOptions,
    FireCircleKeywords,
    FireCircleOptions,
    Judged,
    layers_of,
)
from starter.consensus_options import ConsensusKeywords, ConsensusOptions
from starter.council_options import CouncilKeywords, CouncilOptions
from starter.deliberations import Deliberation
from starter.errors import RequestError, UpdateRefusedError
from starter.listing import Listed, listed
from starter.options import Options
from starter.results import ON_THE_WIRE, AnyResult
from starter.starting import Input, Result, Run, Schedule, start
from workflows.baseline import EvaluateWorkflow
from workflows.consensus import ConsensusWorkflow
from workflows.council import CouncilWorkflow
from workflows.fire_circle import FireCircleWorkflow

_REASON_LENGTH = 500


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

    async def start_council(self, question: str, **options: Unpack[CouncilKeywords]) -> Deliberation[CouncilResult]:
        """Start a council, or attach to the one that runs under ``id``, and return without waiting.

        Raises:
            RequestError: it cannot be held as it was asked.
            AlreadyHeldError: the id was used before; ``fresh=True`` holds it again.
        """
        chosen = CouncilOptions.of(options)
        return await self._start(chosen, CouncilWorkflow.run, chosen.council_input(question, **self._means(chosen)))

    async def consensus(self, question: str, **options: Unpack[ConsensusKeywords]) -> ConsensusResult:
        """Hold a consensus on ``question`` and wait for its verdict; the options are those of ``ConsensusOptions``.

        Where the three did not agree, the verdict is the last draft, and ``consensus_achieved`` says so.

        Raises:
            RequestError: it cannot be held as it was asked.
            DeliberationFailedError: it was held and there is no verdict.
        """
        return await (await self.start_consensus(question, **options)).result()

    async def start_consensus(
        self, question: str, **options: Unpack[ConsensusKeywords]
    ) -> Deliberation[ConsensusResult]:
        """Start a consensus, or attach to the one that runs under ``id``, and return without waiting.

        Raises:
            RequestError: it cannot be held as it was asked.
            AlreadyHeldError: the id was used before; ``fresh=True`` holds it again.
        """
        chosen = ConsensusOptions.of(options)
        return await self._start(chosen, ConsensusWorkflow.run, chosen.consensus_input(question, **self._means(chosen)))

    async def fire_circle(
        self, layers: Judged, *, session: SessionMemory | None = None, **options: Unpack[FireCircleKeywords]
    ) -> FireCircleResult:
        """Hold a fire circle on ``layers`` and wait for its finding; the options are those of ``FireCircleOptions``.

        Raises:
            RequestError: it cannot be held as it was asked.
            DeliberationFailedError: it was held and there is no finding; carries the partial result.
        """
        return await (await self.start_fire_circle(layers, session=session, **options)).result()

    async def start_fire_circle(
        self, layers: Judged, *, session: SessionMemory | None = None, **options: Unpack[FireCircleKeywords]
    ) -> Deliberation[FireCircleResult]:
        """Start a fire circle, or attach to the one that runs under ``id``, and return without waiting.

        Raises:
            RequestError: it cannot be held as it was asked.
            AlreadyHeldError: the id was used before; ``fresh=True`` holds it again.
        """
        chosen = FireCircleOptions.of(options)
        inp = chosen.circle_input(layers_of(layers), session, **self._means(chosen))
        return await self._start(chosen, FireCircleWorkflow.run, inp)

    async def evaluate(
        self, layers: Judged, *, session: SessionMemory | None = None, **options: Unpack[EvaluateKeywords]
    ) -> EvaluateResult:
        """Have one model, or several without a dialogue, judge ``layers``; the options: ``EvaluateOptions``.

        Raises:
            RequestError: it cannot be held as it was asked.
            DeliberationFailedError: no assessment could be had.
        """
        return await (await self.start_evaluate(layers, session=session, **options)).result()

    async def start_evaluate(
        self, layers: Judged, *, session: SessionMemory | None = None, **options: Unpack[EvaluateKeywords]
    ) -> Deliberation[EvaluateResult]:
        """Start a baseline evaluation, or attach to the one that runs under ``id``, and return without waiting.

        Raises:
            RequestError: it cannot be held as it was asked.
            AlreadyHeldError: the id was used before; ``fresh=True`` holds it again.
        """
        chosen = EvaluateOptions.of(options)
        inp = chosen.evaluate_input(layers_of(layers), session, **self._means(chosen))
        return await self._start(chosen, EvaluateWorkflow.run, inp)

    def deliberation(self, deliberation_id: str) -> Deliberation[AnyResult]:
        """The deliberation of that id; whether there is one shows when it is asked something."""
        return Deliberation(self.client, self.client.get_workflow_handle(deliberation_id, result_type=ON_THE_WIRE))

    async def result(self, deliberation_id: str) -> AnyResult:
        """As ``Deliberation.result``."""
        return await self.deliberation(deliberation_id).result()

    async def state(self, deliberation_id: str) -> Progress:
        """As ``Deliberation.state``."""
        return await self.deliberation(deliberation_id).state()

    async def replace_participant(self, deliberation_id: str, seat: str, model: str) -> Progress:
        """Put another model behind ``seat`` of a deliberation that runs.

        The seats are ``p1`` … and ``chair`` in a council, ``p1`` … in a fire circle, and in a consensus ``generator``,
        ``refiner``, ``validator`` and ``curator``.

        Raises:
            UpdateRefusedError: it makes no sense now; says why.
            UnknownDeliberationError: the server knows no such id.
        """
        try:
            request = ReplaceParticipant(participant=ParticipantId(seat), model=route(model))
        except UnknownModelNameError as error:
            raise RequestError(str(error)) from None
        return await messages.change(self.deliberation(deliberation_id).handle, "replace_participant", request)

    async def stop(self, deliberation_id: str, reason: str = "stopped by a person") -> Progress:
        """End a deliberation now with what there is; nothing more is asked or paid.

        Raises:
            UpdateRefusedError: it has ended already.
            UnknownDeliberationError: the server knows no such id.
        """
        request = StopRequest(reason=reason[:_REASON_LENGTH])
        return await messages.change(self.deliberation(deliberation_id).handle, "stop", request)

    async def stop_after_round(
        self, deliberation_id: str, reason: str = "stopped by a person after the round"
    ) -> Progress:
        """Let the present round of a consensus come to its end and begin no other; if all accept, the curator comes.

        Raises:
            UpdateRefusedError: it has ended already, has no further round, or is no consensus.
            UnknownDeliberationError: the server knows no such id.
        """
        request = StopAfterRound(reason=reason[:_REASON_LENGTH])
        return await messages.change(self.deliberation(deliberation_id).handle, "stop_after_round", request)

    async def accept_draft(self, deliberation_id: str, reason: str = "accepted by a person") -> Progress:
        """Take the present draft of a consensus for its verdict, now; nothing more is asked or paid.

        Raises:
            UpdateRefusedError: there is no draft yet, it has ended already, or is no consensus.
            UnknownDeliberationError: the server knows no such id.
        """
        request = AcceptDraft(reason=reason[:_REASON_LENGTH])
        return await messages.change(self.deliberation(deliberation_id).handle, "accept_draft", request)

    async def raise_limit(self, deliberation_id: str, max_rounds: int) -> Progress:
        """Allow a consensus ``max_rounds`` rounds in all, more than it was allowed so far and at most 50.

        Raises:
            UpdateRefusedError: the number makes no sense, it has no further round, or is no consensus.
            UnknownDeliberationError: the server knows no such id.
        """
        request = RaiseLimit(max_rounds=max_rounds)
        return await messages.change(self.deliberation(deliberation_id).handle, "raise_limit", request)

    async def cancel(self, deliberation_id: str) -> None:
        """Ask a deliberation to end without a verdict; it writes down what it has and is over.

        Raises:
            UpdateRefusedError: it has ended already.
            UnknownDeliberationError: the server knows no such id.
        """
        handle = self.deliberation(deliberation_id).handle
        if (await messages.described(handle)).status is not WorkflowExecutionStatus.RUNNING:
            raise UpdateRefusedError(f"{deliberation_id} has ended already")
        try:
            await handle.cancel()
        except RPCError as error:
            raise messages.explained(deliberation_id, error) from error

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
        return listed(await messages.described(self.deliberation(deliberation_id).handle))

    def _means(self, chosen: Options) -> dict[str, Any]:
        """What an input needs beside the options."""
        return {
            "queues": self.providers.queues,
            "private": self._is_private,
            "salt": secrets.token_hex(4) if chosen.fresh else "",
        }

    async def _start(self, chosen: Options, run: Run[Schedule, Input, Result], inp: Input) -> Deliberation[Result]:
        question = None if self._is_private else inp.question
        chosen_id = names.new_id(chosen.PROTOCOL.replace(" ", "-"), question) if chosen.id is None else chosen.id
        handle = await start(self.client, names.checked_id(chosen_id), run, inp, fresh=chosen.fresh)
        return Deliberation(self.client, handle)

    @property
    def _is_private(self) -> bool:
        """Whether what is asked may stand nowhere in the clear."""
        return self.settings.encryption_keys is not None
