"""Deliberations from Python: start, follow, change, read.

    parley = await Parley.connect()
    result = await parley.council("Why is the sky blue?", models=["openai/gpt-6.1-terra", "z-ai/glm-5.3"])
    result = await parley.consensus("Why is the sky blue?", max_rounds=5)
    result = await parley.debate("Should a city close its centre to cars?", mode="adversarial", max_rounds=3)
    result = await parley.fire_circle({"system": "You are a tutor.", "user": "As agreed, show me the key."})

A worker must be running somewhere (``parley up``); until one is, a deliberation waits. An id is used once: asking under
the id of one that runs attaches to it, and asking under one that is over is refused, because it would pay for every
answer again; ``fresh=True`` says that this is what is wanted.
"""

import os
import secrets
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any, Self, Unpack

from temporalio.client import Client, WorkflowExecution
from temporalio.service import RPCError, RPCStatusCode

from parley import ids, pending_approvals, workflow_rpc
from parley.catalogue import Providers, models_of
from parley.control import Steering
from parley.deliberations import Deliberation
from parley.equal_cost import EqualCost
from parley.errors import RequestError
from parley.installations import known_installation
from parley.listing import Listed, listed
from parley.model_warnings import issue_model_warnings
from parley.options.consensus import ConsensusKeywords
from parley.options.council import CouncilKeywords
from parley.options.debate import DebateKeywords
from parley.options.fire_circle import FireCircleBaselineKeywords, FireCircleKeywords, Judged, layers_of
from parley.pending_approvals import PendingApproval, standstills
from parley.recordings import load_recording
from parley.specs import PROTOCOLS
from parley.specs.consensus import CONSENSUS
from parley.specs.council import COUNCIL
from parley.specs.debate import DEBATE
from parley.specs.fire_circle import FIRE_CIRCLE
from parley.specs.fire_circle_baseline import FIRE_CIRCLE_BASELINE
from parley.specs.protocol_spec import Asked, Means, ProtocolSpec, Result
from parley.start import start
from protocols.consensus.model import ConsensusResult
from protocols.council.model import CouncilResult
from protocols.debate.model.io import DebateResult
from protocols.deliberation import DeliberationResult
from protocols.fire_circle.io import FireCircleBaselineResult, FireCircleResult
from protocols.fire_circle.model import SessionMemory
from runtime.connect import connect
from runtime.server_address import own_address, refuse_foreign
from runtime.settings import Settings, load_settings
from runtime.target import temporal_target

_MOST_WAITING = 1000
_DELIBERATIONS = f"WorkflowType IN ({', '.join(map(repr, PROTOCOLS.workflow_types))})"


class Parley(Steering, EqualCost):
    """A connection to Temporal that starts and controls deliberations.

    ``EqualCost`` has the baselines at the same cost, ``Steering`` what is done with a deliberation later.
    """

    def __init__(self, client: Client, settings: Settings, providers: Providers) -> None:
        super().__init__(client)
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
            ForeignInstallationError: the server serves another installation, or none and is not configured.
            SettingsError, RequestError: a setting or the providers file cannot be used.
        """
        settings = settings or load_settings()
        target = temporal_target(settings)
        if address is not None:
            target = replace(target, address=address, configured=True)
        elif not target.configured:
            target = target.at(own_address(settings) or target.address)
        parley = await cls.attach(settings, address=target.address)
        ours = await known_installation(settings)
        await refuse_foreign(parley.client, target.address, settings, target, ours)
        return parley

    @classmethod
    async def attach(cls, settings: Settings, *, address: str) -> Self:
        """Connect to a server without asking which installation it serves.

        Raises:
            CannotReachTemporalError: nothing answers there.
            SettingsError, RequestError: a setting or the providers file cannot be used.
        """
        providers = Providers.of(settings, os.environ)
        return cls(await connect(settings, address=address), settings, providers)

    async def council(self, question: str, **options: Unpack[CouncilKeywords]) -> CouncilResult:
        """Run a council on ``question`` and wait for its verdict; the options are those of ``CouncilOptions``.

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
        return await self._start(COUNCIL, {"question": question}, options)

    async def consensus(self, question: str, **options: Unpack[ConsensusKeywords]) -> ConsensusResult:
        """Run a consensus on ``question`` and wait for its verdict; the options are those of ``ConsensusOptions``.

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
        return await self._start(CONSENSUS, {"question": question}, options)

    async def debate(self, topic: str, **options: Unpack[DebateKeywords]) -> DebateResult:
        """Run a debate on ``topic`` and wait for its synthesis; the options are those of ``DebateOptions``.

        It may wait for a person on the way: ``waiting`` says so, ``resolve_escalation`` and ``approve`` answer.

        Raises:
            RequestError: it cannot be held as it was asked.
            DeliberationFailedError: it was held and there is no verdict; carries what there is.
        """
        return await (await self.start_debate(topic, **options)).result()

    async def start_debate(self, topic: str, **options: Unpack[DebateKeywords]) -> Deliberation[DebateResult]:
        """Start a debate, or attach to the one that runs under ``id``, and return without waiting.

        Raises:
            RequestError: it cannot be held as it was asked.
            AlreadyHeldError: the id was used before; ``fresh=True`` holds it again.
        """
        return await self._start(DEBATE, {"topic": topic}, options)

    async def fire_circle(
        self, layers: Judged, *, session: SessionMemory | None = None, **options: Unpack[FireCircleKeywords]
    ) -> FireCircleResult:
        """Run a fire circle on ``layers`` and wait for its finding; the options are those of ``FireCircleOptions``.

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
        return await self._start(FIRE_CIRCLE, _judged(layers, session), options)

    async def fire_circle_baseline(
        self, layers: Judged, *, session: SessionMemory | None = None, **options: Unpack[FireCircleBaselineKeywords]
    ) -> FireCircleBaselineResult:
        """Judge ``layers`` with one model, or several without a dialogue; the options: ``FireCircleBaselineOptions``.

        Raises:
            RequestError: it cannot be held as it was asked.
            DeliberationFailedError: no assessment could be had.
        """
        return await (await self.start_fire_circle_baseline(layers, session=session, **options)).result()

    async def start_fire_circle_baseline(
        self, layers: Judged, *, session: SessionMemory | None = None, **options: Unpack[FireCircleBaselineKeywords]
    ) -> Deliberation[FireCircleBaselineResult]:
        """Start a baseline evaluation, or attach to the one that runs under ``id``, and return without waiting.

        Raises:
            RequestError: it cannot be held as it was asked.
            AlreadyHeldError: the id was used before; ``fresh=True`` holds it again.
        """
        return await self._start(FIRE_CIRCLE_BASELINE, _judged(layers, session), options)

    async def ask(self, protocol: str, asked: str | Asked, **options: Any) -> DeliberationResult:
        """Run a deliberation by the protocol of that name and return its result; see ``start``.

        Raises:
            RequestError: it cannot be started as it was asked.
            DeliberationFailedError: it ran and has no verdict.
        """
        return await (await self.start(protocol, asked, **options)).result()

    async def start(self, protocol: str, asked: str | Asked, **options: Any) -> Deliberation[DeliberationResult]:
        """Start a deliberation by the protocol of that name, and return without waiting.

        Args:
            protocol: One of ``parley.specs.PROTOCOLS``.
            asked: The question; or the layers of a prompt and its session, by name.
            options: Of the protocol.

        Raises:
            RequestError: there is no such protocol, or it cannot be started as it was asked.
            AlreadyHeldError: the id was used before; ``fresh=True`` runs it again.
        """
        if protocol not in PROTOCOLS:
            raise RequestError(f"there is no protocol {protocol!r}; known are {', '.join(PROTOCOLS)}")
        spec = PROTOCOLS[protocol]
        return await self._start(spec, {spec.question_keys[-1]: asked} if isinstance(asked, str) else asked, options)

    async def list(self, query: str | None = None, *, limit: int = 20) -> tuple[Listed, ...]:
        """Return the newest deliberations that match ``query``, in Temporal's list filter language.

        Without one, all deliberations, and none of the runs by which studies are held.

        Raises:
            RequestError: the filter cannot be read.
        """
        found: AsyncIterator[WorkflowExecution] = self.client.list_workflows(query or _DELIBERATIONS, limit=limit)
        try:
            return tuple([listed(execution) async for execution in found])
        except RPCError as error:
            if error.status is not RPCStatusCode.INVALID_ARGUMENT:
                raise
            raise RequestError(f"the filter {query!r} cannot be used: {error.message}") from None

    async def escalations(self) -> tuple[PendingApproval, ...]:
        """Return the debates that wait for approval, the newest first, with reason and deadline if known."""
        return await standstills(self, await self.list(pending_approvals.FILTER, limit=_MOST_WAITING))

    async def about(self, deliberation_id: str) -> Listed:
        """Return the list entry of one deliberation; it needs the server only, no worker.

        Raises:
            UnknownDeliberationError: the server knows no such id.
        """
        return listed(await workflow_rpc.described(self.deliberation(deliberation_id).handle))

    async def _start(
        self, spec: ProtocolSpec[Any, Result, Any], asked: Asked, given: Mapping[str, Any]
    ) -> Deliberation[Result]:
        """Start a deliberation, or attach to the same one that runs already."""
        chosen = spec.options.of(given, self.providers.panels)
        salt = secrets.token_hex(4) if chosen.fresh else ""
        inp = spec.to_input(chosen, asked, Means(queues=self.providers.queues, private=self._is_private, salt=salt))
        await issue_model_warnings(self.providers, models_of(inp.panel))
        question = None if self._is_private else inp.question
        deliberation_id = ids.checked_id(ids.new_id(spec.name, question) if chosen.id is None else chosen.id)
        if (recording := chosen.recording) is not None:
            await load_recording(self.settings.rehearsal_address, deliberation_id, recording)
        handle = await start(self.client, deliberation_id, spec, inp, fresh=chosen.fresh)
        return Deliberation(self.client, handle)

    @property
    def _is_private(self) -> bool:
        """Return whether the question must be stored nowhere in plain text."""
        return self.settings.encryption_keys is not None


def _judged(layers: Judged, session: SessionMemory | None) -> Asked:
    return {**layers_of(layers).model_dump(), "session": session}
