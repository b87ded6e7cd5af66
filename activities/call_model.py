"""The activity that asks one model once.

The journal is queried first: a call that was paid before, by any worker, is answered from it. Only otherwise, and
where no error of the settings is found, the request is sent, its reply read by the protocol's reader and stored, before
this activity returns it.

An answer, a refusal and an answer cut off before its first word are data: they were paid for and are final. A result
that may differ next time is an error, and Temporal decides with ``retry_posture`` whether there is a next time.
"""

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import structlog
from structlog.contextvars import bind_contextvars, reset_contextvars
from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.attached_files import ReadBlob, read_files
from activities.attempts import CallAttempts
from activities.heartbeats import HeartbeatPace, heartbeating
from activities.lost_workers import AttemptAsCaller, refuse_deadly
from activities.providers.call_slots import NoSlotError, Turn
from activities.providers.catalogue import Catalogue, Provider
from activities.providers.credentials import read_key
from activities.providers.errors import ConfigError, ProviderError
from activities.providers.pool import Pool
from activities.providers.replies import make_reply, unreadable
from activities.providers.request import refuse_unsendable
from activities.providers.stream_assembly import Chunk
from activities.providers.structured_output import StructuredOutput
from activities.reader_process import ReaderProcess, Readers
from activities.refusal_check import check_refusal
from activities.reply_readers import UnreadableError, informed, reader_named
from activities.retry_posture import application_error, config_error, details_of, no_slot_error
from activities.schema_calls import SchemaCalls
from activities.sibling_calls import SiblingCalls
from ledger.call_rows import CallContext
from ledger.identity import CallIdentity, identity_of, request_of
from ledger.journal import Journal, UnwritableReplyError
from ledger.store import packed
from ledger.store_errors import StoreRefusedError
from protocols.flaws import is_cut
from protocols.model_call import Answered, Failed, ModelCall, Reply

NOT_SHARED = "journal.not_shared"
"""A call of a shared round to which there is no answer; asking for it again is a user's decision."""

_log = structlog.get_logger(__name__)


class ModelCalls:
    """The activity ``call_model`` and what it needs: providers, the environment's keys, connections, the journal."""

    def __init__(
        self,
        catalogue: Catalogue,
        environ: Mapping[str, str],
        journal: Journal,
        pool: Pool | None = None,
        readers: Readers | None = None,
        *,
        structured_output: StructuredOutput | None = None,
        read_blob: ReadBlob | None = None,
    ) -> None:
        """Make the activity; ``read_blob`` reads what is sent of attached files."""
        self._read_blob = read_blob
        self._schemas = SchemaCalls(structured_output or StructuredOutput())
        self._catalogue = catalogue
        self._environ = environ
        self._journal = journal
        self._pool = pool or Pool(certificates=environ.get("SSL_CERT_FILE") or None)
        self._readers = readers or ReaderProcess()
        self._pace = HeartbeatPace()
        self._siblings = SiblingCalls()

    async def aclose(self) -> None:
        """Close the connections and end the reader's process.

        Drain the journal first: calls still running would lose theirs.
        """
        await self._pool.aclose()
        await self._readers.aclose()

    def stop_waiting(self) -> None:
        """Send back the calls that wait for a place: this process is about to stop, another one may have places."""
        self._pool.places.close()

    @activity.defn(name="call_model")
    async def call_model(self, call: ModelCall) -> Reply:
        """Ask one model once, or return the answer that was paid for before, here or in a shared deliberation.

        Raises:
            ApplicationError: no answer; its type, and whether it is tried again, are in ``retry_posture``.
            CancelledError: the attempt was given up. The request continues unless a user cancelled.
        """
        info = activity.info()
        run_id = info.workflow_run_id or ""
        with self._siblings.counting(run_id):
            reply = await self._answer(call, info)
        await self._siblings.gather(run_id)
        return reply

    async def _answer(self, call: ModelCall, info: activity.Info) -> Answered | Failed:
        bound = bind_contextvars(
            workflow_id=info.workflow_id,
            run_id=info.workflow_run_id,
            protocol=info.workflow_type,
            attempt=info.attempt,
            call_id=call.call_id,
            round=call.round,
            stage=call.stage,
            participant=call.participant,
            model=call.model,
        )
        attempts = AttemptAsCaller(info, call)
        try:
            async with heartbeating(call, attempts.pulse, attempts, self._pace):
                if call.shared_with is not None:
                    return await self._shared(call, call.shared_with, info.workflow_id or "", attempts)
                return await self._once(call, info, attempts)
        except (ProviderError, NoSlotError, ConfigError, StoreRefusedError) as error:
            raise _clear(error, call, attempts) from None
        finally:
            reset_contextvars(**bound)

    async def _shared(
        self, call: ModelCall, origin: str, workflow_id: str, attempts: AttemptAsCaller
    ) -> Answered | Failed:
        """Return the reply to the same call of the deliberation ``origin``, without asking a model."""
        await attempts.find()
        found = await self._journal.shared(identity_of(workflow_id, call), identity_of(origin, call), attempts)
        if found is None:
            raise ApplicationError(_not_shared(call, origin), type=NOT_SHARED, non_retryable=True)
        _log.info("model_answer_shared", outcome=found.kind, origin=origin)
        return found

    async def _once(self, call: ModelCall, info: activity.Info, attempts: AttemptAsCaller) -> Answered | Failed:
        reader_named(call.read_as.reader)
        request = request_of(call)
        identity = identity_of(info.workflow_id or "", call, request)
        occasion = CallContext(
            request=packed(request),
            protocol=call.read_as.reader.partition(".")[0],
            run_id=info.workflow_run_id or "",
            stage=call.stage,
            round=call.round,
        )
        turn = Turn(info.priority.priority_key or Turn().priority, info.scheduled_time)  # by priority, then by age
        try:
            pay = partial(self._pay, call, identity, attempts, turn)
            reply = await self._journal.once(identity, pay, occasion, attempts)
        except asyncio.CancelledError:
            details = activity.cancellation_details()
            if details is not None and details.cancel_requested:
                # A user wants no more to be spent. Else the answer is still wanted, by a later attempt.
                self._journal.abandon(identity)
            raise
        if not attempts.pulse.is_paying:
            _log.info("model_answer_reused", outcome=reply.kind, paid_in_attempt=reply.attempts)
        return reply

    async def _pay(
        self, call: ModelCall, identity: CallIdentity, attempts: AttemptAsCaller, turn: Turn
    ) -> Answered | Failed:
        """Make the request. Runs as the journal's task and may outlive the attempt that began it."""
        pulse, provider = attempts.pulse, self._catalogue.provider(call.model)
        provider.require_agreement()
        refuse_unsendable(call, provider)
        key = read_key(provider, self._environ)
        await refuse_deadly(call, attempts)
        files = await read_files(call, self._read_blob)
        named = {"call_key": identity.key, "deliberation": identity.workflow_id}
        pulse.is_paying = True
        try:
            async with self._pool.lend(provider, pulse, turn) as client:
                chunk = await self._schemas.converse(client, call, provider, key, pulse=pulse, files=files, **named)
            reply = await _undisturbed(self._take_in(chunk, call, provider, attempts))
        except ProviderError as error:
            came = {"status": error.status, "request_id": error.request_id or pulse.request_id, "tokens": pulse.tokens}
            _log.warning("model_call_failed", error_type=error.error_type, reason=str(error), **came)
            raise
        _log.info(
            "model_answered", native_finish=chunk.native_finish, seconds=round(chunk.seconds, 3), **_canonical(reply)
        )
        return reply

    async def _take_in(
        self, chunk: Chunk, call: ModelCall, provider: Provider, attempts: AttemptAsCaller
    ) -> Answered | Failed:
        made = await make_reply(chunk, call, provider, attempts.number)
        attempts.pulse.phase = "reading"
        return await self._read(made, call)

    async def _read(self, reply: Answered | Failed, call: ModelCall) -> Answered | Failed:
        if reply.kind != "answered" or not reply.text:
            return reply
        try:
            read_as = informed(
                call, asked_with_schema=reply.asked_with_schema, is_cut=is_cut(reply), sources=reply.sources
            )
            reading = await self._readers.read(reply.text, read_as)
        except UnreadableError as error:
            _log.warning("reply_unreadable", reader=call.read_as.reader, reason=str(error))
            return unreadable(reply, str(error))
        return check_refusal(reply.model_copy(update={"reading": reading}), call.read_as.reader)


async def _undisturbed(read: Coroutine[Any, Any, Answered | Failed]) -> Answered | Failed:
    """Return the result of taking in an answer; a cancellation waits for it, because the answer was paid for."""
    reading = asyncio.create_task(read)
    while not reading.done():
        with suppress(asyncio.CancelledError):
            await asyncio.shield(reading)
    return reading.result()


def _clear(
    error: ProviderError | NoSlotError | ConfigError | StoreRefusedError, call: ModelCall, attempts: CallAttempts
) -> ApplicationError:
    """Rebuild ``error``, which leaves this activity, from safe parts; nothing else travels with it."""
    match error:
        case ProviderError():
            return application_error(error, attempts.standing(error.error_type), call.patience)
        case NoSlotError():
            return no_slot_error(error, attempts.number)
        case ConfigError():
            _log.error("model_call_refused", reason=str(error), error_type=error.error_type)
            return config_error(error, attempts.number, attempts.paid)
        case UnwritableReplyError():
            details = {"attempt": error.reply.attempts} | details_of(attempts.paid)
            return ApplicationError(str(error), details, type="reply.not_encodable", non_retryable=True)
        case StoreRefusedError():
            _log.error("journal_refused", reason=str(error))
            return ApplicationError(str(error), type=error.kind, non_retryable=True)


def _not_shared(call: ModelCall, origin: str) -> str:
    return (
        f"{origin} was never answered the call {call.call_id!r} as it is asked here, or its answer is not in this "
        "ledger. Nothing was asked and nothing paid; share fewer rounds, or use the ledger in which the answers are."
    )


def _canonical(reply: Answered | Failed) -> dict[str, object]:
    values: dict[str, object] = {
        "outcome": reply.kind,
        "prompt_tokens": reply.usage.prompt_tokens,
        "completion_tokens": reply.usage.completion_tokens,
        "cost_usd": reply.cost.usd,
        "cost_source": reply.cost.source,
        "rehearsal": reply.rehearsal,
    }
    if reply.kind == "answered":
        values |= {
            "served_model": reply.served_model,
            "upstream": reply.upstream,
            "request_id": reply.request_id,
            "first_token_seconds": reply.first_token_seconds,
            "asked_with_schema": reply.asked_with_schema,
            "repairs": reply.repairs,
        }
    return values
