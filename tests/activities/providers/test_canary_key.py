"""A planted key is sent with every request and must never be seen again, whatever goes wrong."""

import base64
import io
import json
import ssl
import traceback
from collections.abc import Callable

import httpx
import pytest
import structlog
from temporalio.api.failure.v1 import Failure
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.call_model import ModelCalls
from activities.providers.catalogue import Catalogue
from protocols.model_call import Answered, Failed
from protocols.secret_text import forms_of
from tests.fakes.calls import model_call, provider
from tests.fakes.journal import FakeJournal
from tests.fakes.readers import InlineReaders
from tests.fakes.wire import DONE, EVENTS, JSON, Wire, answering, chunk, event, failing, json_answer

CANARY = "canary0123456789"
QUOTED = f"the key '{CANARY}' in Bearer {CANARY} is wrong, see https://user:{CANARY}@host.example/?api_key={CANARY}"
BASIC = base64.b64encode(f"me:{CANARY}".encode()).decode()

Answer = Callable[[httpx.Request], httpx.Response]


def with_cause(fault: Exception, cause: Exception) -> Exception:
    """``fault`` as a library raises it: from another fault."""
    fault.__cause__ = cause
    return fault


def quoting_request(request: httpx.Request) -> httpx.Response:
    """A fault that quotes all headers of the request, as libraries do."""
    raise httpx.ConnectError(f"{dict(request.headers)} {request.url}?key={CANARY}", request=request)


def status_error(request: httpx.Request) -> httpx.Response:
    """A fault that holds the whole request and response."""
    response = httpx.Response(500, text=QUOTED, request=request)
    raise httpx.ReadError(QUOTED, request=request) from httpx.HTTPStatusError(
        QUOTED, request=request, response=response
    )


SHAPES: dict[str, Answer] = {
    "headers quoted by the library": quoting_request,
    "illegal header": failing(httpx.LocalProtocolError(f"Illegal header value b'Bearer {CANARY}'")),
    "status error as the cause": status_error,
    "certificate fault": failing(with_cause(httpx.ConnectError(QUOTED), ssl.SSLCertVerificationError(QUOTED))),
    "flat body": json_answer({"message": QUOTED, "code": "wrong_api_key"}, 401),
    "wrapped body": json_answer({"error": {"message": QUOTED, "code": 401}}, 401),
    "detail": json_answer({"detail": QUOTED}, 403),
    "error as text": json_answer({"error": QUOTED}, 500),
    "upstream's raw words": json_answer({"error": {"message": "no", "metadata": {"raw": QUOTED}}}, 502),
    "error inside 200": json_answer({"error": {"message": QUOTED, "code": 400}}),
    "error inside a stream": answering(chunk("x"), event({"error": {"message": QUOTED, "code": 502}})),
    "redirect": answering(status=302, headers={"location": f"https://{CANARY}.example/{CANARY}?k={CANARY}"}),
    "request id": answering(b"{}", status=503, headers={**JSON, "x-request-id": CANARY}),
    "content type": answering(b"x", headers={"content-type": f"text/{CANARY}"}),
    "content encoding": answering(b"x", headers={**EVENTS, "content-encoding": CANARY}),
    "page": answering(QUOTED.encode(), status=500, headers={"content-type": "text/html"}),
    "broken event": answering(b"data: {" + QUOTED.encode() + b"\n\n"),
    "broken body": answering(b'{"x": ' + QUOTED.encode(), headers=JSON),
    "not utf-8": answering(b"data: \xff" + QUOTED.encode() + b"\n\n"),
    "finish reason": answering(chunk("", CANARY), DONE),
    "names": answering(chunk("x", "stop", model=CANARY, provider=CANARY), DONE),
    "huge message": json_answer({"error": {"message": QUOTED * 100_000}}, 400),
    "message cut within the key": json_answer({"error": {"message": "." * 290 + CANARY}}, 400),
    "upper case": json_answer({"error": {"message": f"no: {CANARY.upper()}"}}, 401),
    "basic authentication": json_answer({"error": {"message": f"no: {BASIC}"}}, 401),
    "hexadecimal": json_answer({"error": {"message": f"no: {CANARY.encode().hex()}"}}, 401),
    "reply": answering(chunk(f"your key is {CANARY}", "stop"), DONE),
    "reply in base64": answering(chunk(f"your key is {BASIC}", "stop"), DONE),
    "reply over two chunks": answering(chunk(f"it is {CANARY[:9]}"), 0.6, chunk(f"{CANARY[9:]}.", "stop"), DONE),
    "reply in one body": json_answer({"choices": [{"message": {"content": CANARY}, "finish_reason": "stop"}]}),
    "reasoning": answering(event({"choices": [{"delta": {"reasoning": f"hm, {CANARY}"}}]}), chunk("x", "stop"), DONE),
    "refusal": answering(event({"choices": [{"delta": {"refusal": CANARY}, "finish_reason": "stop"}]}), DONE),
    "title of a page": answering(f"<title>{CANARY}</title>".encode(), headers={"content-type": "text/html"}),
}


async def run(answer: Answer) -> str:
    """Everything that leaves the activity, however it ends, as one text."""
    log = io.StringIO()
    structlog.configure(
        processors=[structlog.processors.format_exc_info, structlog.processors.JSONRenderer(default=repr)],
        logger_factory=structlog.PrintLoggerFactory(log),
        cache_logger_on_first_use=False,
    )
    catalogue = Catalogue(providers={"lab": provider(key_variable="LAB_KEY")})
    pool, environment = Wire(answer).pool(), ActivityEnvironment()
    beats: list[object] = []
    environment.on_heartbeat = beats.append
    calls = ModelCalls(catalogue, {"LAB_KEY": f"{CANARY}\n"}, FakeJournal(), pool, InlineReaders())
    try:
        reply: Answered | Failed = await environment.run(calls.call_model, model_call())
        left = reply.model_dump_json()
    except ApplicationError as error:
        failure = Failure()
        await pydantic_data_converter.encode_failure(error, failure)
        left = f"{failure}{error!r}{error.details!r}{''.join(traceback.format_exception(error))}"
    finally:
        structlog.reset_defaults()
        await pool.aclose()
    return f"{left}{json.dumps(beats)}{log.getvalue()}{calls!r}{catalogue!r}"


@pytest.mark.parametrize("shape", SHAPES)
async def test_the_key_never_comes_out(shape: str, caplog: pytest.LogCaptureFixture) -> None:
    """Neither error, cause, traceback, details, reply, heartbeat nor log shows the key."""
    caplog.set_level("DEBUG", logger="activities")
    left = await run(SHAPES[shape])
    assert [] == [form for form in forms_of(CANARY) if form.lower() in f"{left}{caplog.text}".lower()]
    assert CANARY[:12] not in left


async def test_the_key_is_sent_all_the_same() -> None:
    """The canary is planted where it can leak: in the request's header."""
    wire = Wire(answering(chunk("x", "stop"), DONE))
    catalogue = Catalogue(providers={"lab": provider(key_variable="LAB_KEY")})
    calls = ModelCalls(catalogue, {"LAB_KEY": CANARY}, FakeJournal(), wire.pool(), InlineReaders())
    await ActivityEnvironment().run(calls.call_model, model_call())
    await calls.aclose()
    assert wire.requests[0].headers["authorization"] == f"Bearer {CANARY}"
