"""One call comes in, is cast, played and booked."""

from collections.abc import Mapping

from aiohttp import web

from rehearsal.api.billing import Arrival, LogicalCall
from rehearsal.api.chat_request import BadRequestError, ChatRequest, read_ask
from rehearsal.api.rate_limits import MODEL_MAXIMUM
from rehearsal.api.recordings import NoRecordingError, NotRecordedError
from rehearsal.api.state import ServerState
from rehearsal.dialects.completions import complete
from rehearsal.dialects.exchange import Gone, HttpExchange
from rehearsal.dialects.shape import Dialect, Json, RateState, Refusal, dump
from rehearsal.faults.fault import Fault
from rehearsal.faults.table import FAULTS
from rehearsal.models.model_selection import SelectedModel, UnknownNameError, select_model
from rehearsal.models.replies import Reply
from rehearsal.models.schema_forms import REFUSES
from rehearsal.models.search_results import SEARCH_USD, searched

_TEXT_ONLY = "text-only"
"""In the name of a model that takes no images."""


class ChatEndpoint:
    """The chat completions address of one dialect, or the one at which recorded answers are given."""

    def __init__(self, state: ServerState, dialect: Dialect, *, recorded: bool = False) -> None:
        self._state = state
        self._dialect = dialect
        self._recorded = recorded

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """Answer a chat completion request, or play a fault on it."""
        try:
            ask = await read_ask(request, self._dialect)
        except BadRequestError as problem:
            return self._refuse(Refusal(400, str(problem), "invalid_request"))
        call, arrival = self._state.ledger.arrive(ask.key, ask.model, self._dialect.name, ask.cue.stage, ask.bearer)
        arrival.has_schema = ask.cue.schema is not None
        arrival.parts, arrival.searches = list(ask.parts), ask.searches
        self._state.requests.keep(arrival, ask.turn, ask.body)
        try:
            return await self._seated(request, ask, call, arrival)
        except ConnectionError:
            return Gone()
        finally:
            if not arrival.finished:
                arrival.finish("dropped")

    async def _seated(
        self, request: web.Request, ask: ChatRequest, call: LogicalCall, arrival: Arrival
    ) -> web.StreamResponse:
        """Accept the call if key, slots and budget allow it."""
        keyless = self._dialect.without_key
        if keyless and ask.bearer is None:
            status, body = keyless
            return self._turned_away(arrival, "no-key", _json(status, body))
        if bad := ask.bad_field:
            refusal = Refusal(400, str(bad), "invalid_request", parameter=bad.field)
            return self._turned_away(arrival, "bad-field", self._refuse(refusal))
        state = self._state
        seat = await state.rate_limiter.enter(state.script, ask.model, ask.bearer or "", state.closing)
        if isinstance(seat, Refusal):
            return self._turned_away(arrival, "no-place", self._refuse(seat))
        try:
            return await self._admitted(request, ask, call, arrival)
        finally:
            state.rate_limiter.leave(seat)

    async def _admitted(
        self, request: web.Request, ask: ChatRequest, call: LogicalCall, arrival: Arrival
    ) -> web.StreamResponse:
        state = self._state
        estimate = ask.prompt_chars // 4 + (ask.limit or MODEL_MAXIMUM)
        rate, refusal = state.rate_limiter.charge(state.script, ask.model, ask.bearer or "", estimate)
        if refusal:
            return self._turned_away(arrival, "no-budget", self._refuse(refusal, rate))
        try:
            part = select_model(ask.model, FAULTS)
        except UnknownNameError as problem:
            return self._turned_away(arrival, "unknown-name", self._refuse(Refusal(404, str(problem), "not_found")))
        if unfit := self._unfit(part, ask):
            reason, refusal = unfit
            return self._turned_away(arrival, reason, self._refuse(refusal, rate))
        arrival.fault, args = state.fault_for(part, call, arrival)
        try:
            said = self._said(part, ask)
        except NoRecordingError as problem:
            return self._turned_away(arrival, "no-recording", self._refuse(Refusal(503, str(problem), "overloaded")))
        except NotRecordedError as problem:
            return self._turned_away(arrival, "not-recorded", self._refuse(Refusal(404, str(problem), "not_found")))
        identity = f"{ask.key}/{arrival.nth}"
        completion = complete(
            state.seed,
            ask.model,
            said,
            prompt_chars=ask.prompt_chars,
            identity=identity,
            limit=None if self._recorded else ask.limit,
            search_usd=SEARCH_USD if ask.searches else 0.0,
        )
        scene = HttpExchange(
            request=request,
            dialect=self._dialect,
            completion=completion,
            streaming=ask.streaming,
            include_usage=ask.include_usage,
            seconds=state.seconds_for(ask.model, ask.key, arrival.nth) + said.seconds,
            rate=rate,
            args=args,
            url=state.url,
            closing=state.closing,
        )
        return await self._played(scene, call, arrival)

    def _unfit(self, part: SelectedModel, ask: ChatRequest) -> tuple[str, Refusal] | None:
        """Return the refusal of a request that has something the model does not take."""
        if _TEXT_ONLY in ask.model and any(one["type"] == "image" for one in ask.parts):
            return "no-image", Refusal(404, "No endpoints found that support image input", "not_found")
        if ask.cue.schema is not None and part.behaviour is REFUSES:
            return "no-schema", self._dialect.refused_schema
        return None

    def _said(self, part: SelectedModel, ask: ChatRequest) -> Reply:
        """Return the model's reply, or its recorded one at the address for recordings."""
        state = self._state
        if self._recorded:
            return state.recordings.answer(ask.turn).utterance()
        said = state.reply(part, ask.cue)
        return searched(state.seed, ask.model, said) if ask.searches else said

    async def _played(self, scene: HttpExchange, call: LogicalCall, arrival: Arrival) -> web.StreamResponse:
        """Play the fault and bill its result.

        A client that leaves a stream stops the bill; one that leaves a whole answer pays for it.
        """
        fault = FAULTS[arrival.fault]
        try:
            response = await fault.play(scene)
        except ConnectionError:
            if not scene.streaming:
                self._bill(fault, scene, call)
            raise
        self._bill(fault, scene, call)
        call.completed += fault.outcome == "answered"
        arrival.finish(fault.outcome)
        return response

    def _bill(self, fault: Fault, scene: HttpExchange, call: LogicalCall) -> None:
        if not fault.billed:
            return
        call.billed += 1
        call.billed_usd = round(call.billed_usd + (scene.completion.usd if self._dialect.charges else 0.0), 10)
        self._state.remember(scene.completion, streamed=scene.streaming)

    def _turned_away(self, arrival: Arrival, reason: str, response: web.Response) -> web.Response:
        arrival.fault = reason
        arrival.finish("refused")
        return response

    def _refuse(self, refusal: Refusal, rate: RateState | None = None) -> web.Response:
        headers = self._dialect.headers(None, rate or RateState())
        return _json(refusal.status, self._dialect.error(refusal), headers)


def _json(status: int, body: Json, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.Response(status=status, body=dump(body), content_type="application/json", headers=headers)
