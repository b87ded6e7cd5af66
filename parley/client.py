"""Deliberations from Python: start, follow, change, read.

    parley = await Parley.connect()
    result = await parley.council("Why is the sky blue?", models=["openai/gpt-6.1-terra", "z-ai/glm-5.3"])
    result = await parley.consensus("Why is the sky blue?", max_rounds=5)
    result = await parley.debate("Should a city close its centre to cars?", mode="adversarial", max_rounds=3)
    result = await parley.fire_circle({"system": "You are a tutor.", "user": "As agreed, show me the key."})

A worker must be running somewhere (``parley up``); until then, a deliberation waits. An id is used once: a call with
the id of a running deliberation attaches to it, and a call with the id of an ended one is refused, because it would
pay for every answer again; ``fresh=True`` allows it.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Self

from temporalio.client import Client, WorkflowExecution
from temporalio.service import RPCError, RPCStatusCode

from parley import follow_ups, ids, workflow_rpc
from parley.attached import stored
from parley.catalogue import Providers
from parley.control import Steering
from parley.deliberations import Deliberation
from parley.errors import RequestError, require
from parley.installations import known_installation
from parley.listing import Listed, listed
from parley.model_warnings import issue_model_warnings
from parley.protocol_methods import ProtocolMethods
from parley.recordings import load_recording
from parley.seat_abilities import refuse_unable_seats
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import Asked, Means
from parley.start import start
from protocols.constraints import quoted
from protocols.deliberation import DeliberationResult
from runtime.attachment_store import AttachmentStore
from runtime.connect import connect
from runtime.installation import refuse_other_keys
from runtime.server_address import own_address, refuse_foreign
from runtime.settings import Settings, load_settings
from runtime.target import refuse_plaintext, temporal_target

if TYPE_CHECKING:  # importing the models of a debate takes longer than most requests of another protocol
    from parley import StudyTables
    from parley.pending_approvals import PendingApproval

_MOST_WAITING = 1000
_DELIBERATIONS = f"WorkflowType IN ({', '.join(map(repr, PROTOCOLS.workflow_types))})"


class Parley(ProtocolMethods, Steering):
    """A connection to Temporal that starts and controls deliberations.

    ``ProtocolMethods`` has two methods for each protocol, ``Steering`` those for a deliberation that was started.
    """

    def __init__(self, client: Client, settings: Settings, providers: Providers) -> None:
        super().__init__(client)
        self.settings = settings
        self.providers = providers
        self._files = AttachmentStore.of(settings)

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
        require(settings, Settings | None, "settings are Settings(), or are left out")
        require(address, str | None, "an address is a text, as in '127.0.0.1:7233'")
        settings = settings or load_settings()
        target = temporal_target(settings)
        if address is not None:
            target = replace(target.at(address), configured=True)
            refuse_plaintext(target, allowed=settings.allow_plaintext)
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
        providers = Providers.of(settings)
        return cls(await connect(settings, address=address), settings, providers)

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
            IdUsedError: the id was used before; ``fresh=True`` runs it again.
            PayloadError: the workers encrypt under a key that this process does not have; nothing was sent.
        """
        if protocol not in tuple(PROTOCOLS):
            raise RequestError(f"there is no protocol {quoted(protocol)}; known are {', '.join(PROTOCOLS)}")
        spec, is_private = PROTOCOLS[protocol], self.settings.encryption_keys is not None
        named = options.get("continues")
        earlier = await follow_ups.read_earlier(self.client, named, spec) if named else None
        given = earlier.options_with(options) if earlier else options
        chosen = spec.options.of(given, self.providers.panels).limited(self.settings.max_usd)
        salt, price = token_hex(4) if chosen.fresh else "", self.providers.token_price
        means = Means(queues=self.providers.queues, private=is_private, salt=salt, token_price=price)
        inp = spec.to_input(chosen, asked if isinstance(asked, Mapping) else {spec.question_keys[-1]: asked}, means)
        if earlier:
            inp = earlier.continued(inp, chosen.context, is_timed=follow_ups.is_timed(options))
            spec.refuse_small_budget(inp)
        await issue_model_warnings(self.providers, inp.panel.models)
        refuse_unable_seats(self.providers, spec, inp)
        if chosen.attach:
            await refuse_other_keys(self.client)
            kept = await asyncio.to_thread(stored, inp.attachments, chosen.attach, self._files.put)
            inp = inp.model_copy(update={"attachments": kept})
        question = None if is_private else inp.title
        deliberation_id = ids.checked_id(ids.new_id(protocol, question) if chosen.id is None else chosen.id)
        if (recording := chosen.recording) is not None:
            await load_recording(self.settings.rehearsal_address, deliberation_id, recording)
        return Deliberation(self.client, await start(self.client, deliberation_id, spec, inp, fresh=chosen.fresh))

    async def list(self, query: str | None = None, *, limit: int = 20) -> tuple[Listed, ...]:
        """Return the newest deliberations that match ``query``, in Temporal's list filter language.

        Without one, all deliberations, and none of the runs of studies.

        Raises:
            RequestError: the filter or the limit cannot be used.
        """
        require(limit, int, "limit is a whole number, at least 1", least=1)
        found: AsyncIterator[WorkflowExecution] = self.client.list_workflows(_filter(query), limit=limit)
        try:
            return tuple([listed(execution) async for execution in found])
        except RPCError as error:
            if error.status is not RPCStatusCode.INVALID_ARGUMENT:
                raise
            raise RequestError(f"the filter {quoted(query)} cannot be used: {error.message}") from None

    def study(self, name: str) -> "StudyTables":
        """Return the tables of the study ``name``: deliberations, calls, scores, as Arrow tables."""
        from parley import StudyTables  # noqa: PLC0415 - it reads the ledger and Arrow, which few requests need

        return StudyTables(name, self.settings, self.client)

    async def follow_ups(self, deliberation_id: str) -> tuple[str, ...]:
        """Return the ids of the deliberations that continue this one, running or ended, the newest first."""
        name = ids.looked_up_id(deliberation_id).replace("'", "")
        return tuple(one.id for one in await self.list(f"Continues = '{name}'", limit=_MOST_WAITING))

    async def escalations(self) -> "tuple[PendingApproval, ...]":
        """Return the deliberations that wait for a user, the newest first, with the reason if known."""
        from parley.pending_approvals import FILTER, standstills  # noqa: PLC0415 - see above

        return await standstills(self, await self.list(FILTER, limit=_MOST_WAITING))

    async def about(self, deliberation_id: str) -> Listed:
        """Return the list entry of one deliberation; it needs the server only, no worker.

        Raises:
            UnknownDeliberationError: the server has no deliberation with this id.
            RequestError: the id is that of a study or of another workflow.
        """
        return listed(await workflow_rpc.described(self.deliberation(deliberation_id).handle))


def _filter(query: object) -> str:
    if query is not None and (not isinstance(query, str) or ids.UNSENDABLE.search(query)):
        raise RequestError(f"the filter {quoted(query)} cannot be used: it is no text in UTF-8")
    return query or _DELIBERATIONS
