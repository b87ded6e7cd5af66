"""One exchange with one provider, from the request to the last byte, under its own deadlines.

httpx's read timeout is reset by every byte, also by keep-alive comments, so it never notices a model that is silent.
Here only data counts: one deadline for the first, one between any two, one for the whole. What is complete is kept even
when the accounts that should follow it never come.
"""

import asyncio
import time
from collections.abc import Awaitable, Iterator
from contextlib import aclosing
from datetime import UTC, datetime

import httpx
from pydantic import SecretStr

from activities.providers.bytestream import LARGEST_STREAM, bytes_of, only_utf8, whole_text
from activities.providers.catalogue import Provider
from activities.providers.chunk_pattern import Words
from activities.providers.credentials import scrubber
from activities.providers.error_responses import ErrorContext
from activities.providers.errors import (
    BadResponseError,
    BrokenOffError,
    DeadlineError,
    ProviderError,
    RateLimitedError,
    StalledError,
    TlsError,
    TransportError,
    UnavailableError,
)
from activities.providers.event_reader import EventReader
from activities.providers.gateway_errors import connection_error, is_page, page_error, redirect_error, status_error
from activities.providers.progress import CallProgress
from activities.providers.provider_client import ProviderClient
from activities.providers.request import NO_FILES, Files, body_of, headers_of, turn_of
from activities.providers.silence import SilenceTimer
from activities.providers.stream_assembly import Chunk, ReplyBuilder
from activities.providers.transport import ReceivedResponse
from activities.providers.wire_json import UnreadableJsonError, read_json
from activities.reply_schemas import ReplySchema
from activities.text_cleaning import clean_line
from protocols.model_call import CallTimeouts, ModelCall
from protocols.secret_text import SecretScrubber

_ACCOUNTS_SECONDS = 10.0
"""How long the usage may take after the answer is complete."""
_FAREWELL_SECONDS = 1.0
"""How long the end of the stream may take after ``[DONE]``; a stream read to its end leaves a connection to reuse."""
_BUSY_SECONDS = 0.02
_COMPLAINT_SECONDS = 5.0
_LARGEST_COMPLAINT = 1_000_000
_ID_HEADERS = ("x-generation-id", "x-request-id", "request-id")
_LONGEST_ID = 128
_LONGER = "; a longer timeout waits for it"
_ANSWERED = (200, 201)
_BREAKS = (RateLimitedError, UnavailableError, TransportError, TlsError)
"""What ends an answer in the middle when it had started: then it may have been billed."""
_SUCCESSES = range(200, 300)
_REDIRECTS = range(300, 400)


async def send_call(
    client: ProviderClient,
    call: ModelCall,
    provider: Provider,
    key: SecretStr | None,
    *,
    call_key: str,
    pulse: CallProgress,
    schema: ReplySchema | None = None,
    files: Files = NO_FILES,
    deliberation: str = "",
) -> Chunk:
    """Ask once and read the whole answer.

    ``call_key`` names the logical call to a rehearsal server, ``deliberation`` the deliberation it belongs to;
    ``schema`` is the form of the answer, ``files`` what is sent of attached files.
    Cancelling closes the stream, which stops the model; an answer that is complete by then is returned all the same.

    Raises:
        ProviderError: there is no answer. Holds safe parts only, and no cause.
    """
    scrub = scrubber(key)
    pulse.scrub = scrub
    exchange = _Exchange(provider, call.patience, scrub, pulse)
    # With files a body may have megabytes, and other calls' heartbeats do not wait for it.
    body = await asyncio.to_thread(body_of, call, provider, schema, files) if files else body_of(call, provider, schema)
    headers = headers_of(provider, key, call_key, turn_of(call, deliberation) if provider.rehearsal else "")
    try:
        await exchange.run(client.send(body, headers))
    except (ProviderError, asyncio.CancelledError) as error:
        failure = error
    except (httpx.RequestError, httpx.InvalidURL) as error:
        failure = connection_error(error, provider.name, pulse.request_id)
    else:
        return exchange.result()
    # Raised out here, so that no cause travels with it: httpx quotes headers, and a header holds the key.
    if exchange.is_complete:
        return exchange.result("ended without its accounts")
    raise BrokenOffError.of(failure) if pulse.tokens and isinstance(failure, _BREAKS) else failure


class _Exchange:
    """The state of one exchange."""

    def __init__(self, provider: Provider, patience: CallTimeouts, scrub: SecretScrubber, pulse: CallProgress) -> None:
        self._loop = asyncio.get_running_loop()
        self._provider, self._patience, self._scrub, self._pulse = provider, patience, scrub, pulse
        began = time.monotonic()  # a loop's clock may count milliseconds only
        self._elapsed = lambda: time.monotonic() - began
        self._paused = self._loop.time()
        self._silence = SilenceTimer(patience.first_token, patience.total)
        self._has_data = False
        self._assembly: ReplyBuilder | None = None

    @property
    def is_complete(self) -> bool:
        """Return whether the whole answer has arrived."""
        return self._assembly is not None and self._assembly.is_finished

    def result(self, *repairs: str) -> Chunk:
        """Return the raw result; missing usage is an error only without a finish reason."""
        if self._assembly is None:
            raise BadResponseError("sent nothing", provider=self._provider.name)
        notes = () if self._assembly.is_done else repairs
        return self._assembly.result(*notes)

    async def run(self, send: Awaitable[ReceivedResponse]) -> None:
        """Send and listen, within the deadlines."""
        try:
            async with self._silence.timeout:
                response = await send
                try:
                    await self._listen(response)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise self._too_late(is_total=not self._silence.is_silent) from None
        finally:
            self._silence.stop()

    async def _listen(self, response: ReceivedResponse) -> None:
        at = self._circumstances(response)
        self._pulse.request_id = at.request_id
        if response.status_code in _REDIRECTS:
            raise redirect_error(response.headers.get("location", ""), at)
        kind = response.headers.get("content-type", "").partition(";")[0].partition(",")[0].strip().lower()
        if response.status_code not in _ANSWERED or not (
            kind == "text/event-stream" or kind.endswith(("/json", "+json"))
        ):
            raise await self._no_answer(response, kind, at)
        self._assembly = ReplyBuilder(at, self._pulse, self._elapsed)
        if kind == "text/event-stream":
            await self._stream(response, self._assembly)
        else:
            text = (await whole_text(response, at.provider)).strip()
            if is_page(kind, text):
                raise page_error(text, at)
            self._assembly.take(text)
            self._assembly.is_done = True

    async def _stream(self, response: ReceivedResponse, assembly: ReplyBuilder) -> None:
        name = self._provider.name
        reader = EventReader(name, assembly.pattern)
        with only_utf8(response, name):
            async with aclosing(bytes_of(response, name, LARGEST_STREAM)) as pieces:
                async for piece in pieces:
                    self._take(reader.read(piece), assembly)
                    await self._pause()
            self._take(reader.read(b"\n\n"), assembly)  # a last event whose own empty line is missing

    def _take(self, events: Iterator[str | Words], assembly: ReplyBuilder) -> None:
        has_data = False
        for data in events:
            if assembly.is_done:  # what follows is read and means nothing
                continue
            has_data = True
            if isinstance(data, Words):
                assembly.write(data)
            elif data.strip() == "[DONE]":
                assembly.is_done = True
            else:
                assembly.take(data)
        if not has_data:
            return
        self._has_data = True
        limit = self._patience.between_chunks
        if assembly.is_done:
            limit = _FAREWELL_SECONDS
        elif assembly.is_finished:
            limit = min(limit, _ACCOUNTS_SECONDS)
        self._silence.restart(limit)

    async def _pause(self) -> None:
        """Yield to other tasks, because a packet of small events never waits."""
        if self._loop.time() - self._paused > _BUSY_SECONDS:
            await asyncio.sleep(0)
            self._paused = self._loop.time()

    async def _no_answer(self, response: ReceivedResponse, kind: str, at: ErrorContext) -> ProviderError:
        try:
            async with asyncio.timeout(_COMPLAINT_SECONDS):
                text = await whole_text(response, at.provider, _LARGEST_COMPLAINT)
        except (TimeoutError, httpx.RequestError, ProviderError):
            text = ""  # the status says enough
        if is_page(kind, text):
            return page_error(text, at)
        if response.status_code in _SUCCESSES:
            kind = clean_line(self._scrub.head(kind, 81), 80) or "no content type"
            said = f"answered {response.status_code} with {kind} instead of an answer"
            return at.error(BadResponseError, said)
        try:
            body, _ = read_json(text)
        except UnreadableJsonError:
            body = {"message": text}
        return status_error(body, at)

    def _circumstances(self, response: ReceivedResponse) -> ErrorContext:
        given = [value for name in _ID_HEADERS if (value := response.headers.get(name))]
        ids = (clean_line(self._scrub.head(value, _LONGEST_ID + 1), _LONGEST_ID) for value in given)
        return ErrorContext(
            provider=self._provider.name,
            status=response.status_code,
            headers=response.headers,
            # Limits are given as times of day, so a clock has to be read.
            now=datetime.now(UTC),  # noqa: TID251 - an activity may read the clock
            scrub=self._scrub,
            request_id=next(filter(None, ids), None) if given else None,
        )

    def _too_late(self, *, is_total: bool) -> ProviderError:
        name, known = self._provider.name, self._pulse.request_id
        if is_total:
            said = f"no complete answer after {self._patience.total or 0:g} s{_LONGER}"
            return DeadlineError(said, provider=name, request_id=known)
        silent = f"silent for {self._patience.between_chunks:g} s in the middle of an answer{_LONGER}"
        late = f"no answer started after {self._patience.first_token:g} s{_LONGER}"
        return StalledError(silent if self._has_data else late, provider=name, request_id=known)
