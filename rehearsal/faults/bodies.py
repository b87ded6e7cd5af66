"""Answers that come with status 200 and have something wrong in them, or in their sources.

``edited`` rows change every body or event a little and work for streams as well; ``instead`` rows send something else
in place of the answer, as one body, whether or not a stream was asked for.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from aiohttp import web

from rehearsal.dialects.exchange import HttpExchange
from rehearsal.dialects.shape import Json, dump
from rehearsal.faults.fault import Fault, Outcome
from rehearsal.models.seeded import pick

_DEPTH = 100_000

UNSAFE = (
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "file:///etc/passwd",
    "https://rehearsal.invalid@attacker.invalid/",
    "https://rehearsal.invalid/\u202egpj.exe",
    "https://rehearsal.invalid/a b",
    "https://[broken/",
    "//rehearsal.invalid/x",
    f"https://rehearsal.invalid/{'x' * 3000}",
)
"""Addresses that lead elsewhere, or nowhere."""
MANY = 10_000
_WRONG: list[Any] = [None, 7, [], {}, {"url": None}, {"url": ["https://rehearsal.invalid/"]}, True]
_WRONG_CITED = [*_WRONG, {"type": [], "url_citation": 7}, {"type": "file"}, {"type": "url_citation"}]
_PAGES = [f"https://rehearsal.invalid/{number}" for number in range(1, MANY + 1)]


def _edited(
    name: str,
    about: str,
    edit: Callable[[HttpExchange, Json], Json | None],
    outcome: Outcome = "answered",
    *,
    billed: bool = True,
) -> Fault:
    async def play(scene: HttpExchange) -> web.StreamResponse:
        return await scene.play(scene.chunks(lambda body: edit(scene, body)))

    return Fault(name, about, play, outcome, billed=billed)


def _instead(
    name: str,
    about: str,
    body: Callable[[HttpExchange], bytes],
    kind: str = "application/json",
    *,
    status: int = 200,
    billed: bool = False,
) -> Fault:
    async def play(scene: HttpExchange) -> web.StreamResponse:
        await scene.pause(scene.seconds)
        return await scene.send(status, body(scene), kind, scene.headers)

    return Fault(name, about, play, "broken", billed=billed)


def _without_accounts(body: Json) -> Json:
    return {k: v for k, v in body.items() if k not in {"usage", "time_info"}}


def _with_usage(**wrong: float) -> Callable[[HttpExchange, Json], Json]:
    return lambda _, body: {**body, "usage": {**body["usage"], **wrong}} if "usage" in body else body


def _drifting(scene: HttpExchange, body: Json) -> Json:
    served = f"{body['model']}-{pick(('20260101', '20260301', 'preview'), scene.completion.id)}"
    upstream = {"provider": pick(("Azure", "Bedrock", "Vertex"), scene.completion.id)} if "provider" in body else {}
    return {**body, "model": served, **upstream}


def _silent(_scene: HttpExchange, body: Json) -> Json:
    """Remove the content and keep the reasoning."""
    for choice in body["choices"]:
        said = choice.get("message", choice.get("delta"))
        if said and said.get("content"):
            said["reasoning"], said["content"] = said["content"], None
    return body


def _cut_in_thought(scene: HttpExchange, body: Json) -> Json:
    """Cut the reply off in its reasoning."""
    for choice in _silent(scene, body)["choices"]:
        said = choice.get("message", choice.get("delta"))
        said["content"] = ""
        choice["finish_reason"] = "length" if choice["finish_reason"] else None
    return body


def _warming(_scene: HttpExchange, body: Json) -> Json:
    part = "message" if body["object"] == "chat.completion" else "delta"
    nothing = {"index": 0, part: {"role": "assistant", "content": ""}, "finish_reason": None}
    return {**_without_accounts(body), "choices": [nothing]}


async def _leading(scene: HttpExchange) -> web.StreamResponse:
    return await scene.play([b"\n         \n" * 20, *scene.chunks()])


async def _byok(scene: HttpExchange) -> web.StreamResponse:
    own = replace(scene, completion=replace(scene.completion, is_byok=True))
    return await own.play(own.chunks())


def _old_error(scene: HttpExchange) -> bytes:
    raw = {"raw": "Too Many Requests", "provider_name": "Hyperbolic"}
    error = {"message": "Provider returned error", "code": 429, "metadata": raw}
    return dump({"id": scene.completion.id, "error": error, "user_id": "user_rehearsal"})


def _new_error(code: int | str, error_type: str) -> Callable[[HttpExchange], bytes]:
    error = {"code": code, "message": "Provider returned error", "metadata": {"error_type": error_type}}
    return lambda scene: dump({**_shell(scene), "choices": None, "error": error})


def _shell(scene: HttpExchange) -> Json:
    return {k: v for k, v in scene.whole().items() if k not in {"choices", "usage"}}


def partial_body(scene: HttpExchange) -> Json:
    """Send half an answer with an error in its choice."""
    body = scene.whole()
    choice = body["choices"][0]
    text = choice["message"]["content"] or ""
    choice["message"]["content"] = text[: len(text) // 2]
    error = {"code": 502, "message": "Provider disconnected", "metadata": {"error_type": "provider_unavailable"}}
    return {**body, "choices": [{**choice, "finish_reason": "error", "error": error}]}


def _page(_scene: HttpExchange) -> bytes:
    return b"<!DOCTYPE html><html><head><title>Wi-Fi login</title></head><body><h1>Welcome</h1></body></html>"


def _sourced(name: str, about: str, citations: Any, annotations: Any) -> Fault:
    """Build a fault with these sources in its body or last text event, in both notations; the text is whole."""

    def edit(_scene: HttpExchange, body: Json) -> Json:
        if not any(choice["finish_reason"] for choice in body["choices"]):
            return body
        for choice in body["choices"]:
            choice.get("message", choice.get("delta"))["annotations"] = annotations
        return {**body, "citations": citations, "search_results": citations}

    return _edited(name, about, edit)


def _cited(urls: Sequence[str]) -> list[Json]:
    return [{"type": "url_citation", "url_citation": {"url": url, "title": "A title"}} for url in urls]


BODIES = (
    Fault("leading-whitespace", "blank lines before the body", _leading, "answered", billed=True),
    Fault("byok", "the caller's own upstream key: cost is only the fee", _byok, "answered", billed=True),
    _edited("drift", "another upstream and a dated model on each arrival", _drifting),
    _edited("usage-missing", "no usage anywhere", lambda _, b: _without_accounts(b) if b["choices"] else None),
    _edited("nan-json", "a literal NaN in the usage", _with_usage(cost=float("nan"))),
    _edited("huge-number", "a number of 4,000 digits in the usage", _with_usage(total_tokens=10**4000)),
    _edited("null-content", "content is null, everything is in the reasoning", _silent, "broken"),
    _edited("reasoning-cut", "the token limit was reached while thinking", _cut_in_thought, "broken"),
    _instead("error-in-200", "an error object in the older shape, code 429", _old_error),
    _instead("error-in-200-new", "an error object in the newer shape, code 502",
             _new_error(502, "provider_unavailable")),
    _instead("error-in-200-400", "an error object that is final, code 400", _new_error(400, "invalid_request")),
    _instead("error-in-200-word", "an error object whose code is a word", _new_error("server_error", "server")),
    _instead("choice-error", "half an answer with an error in its choice", lambda s: dump(partial_body(s)),
             billed=True),
    _edited("empty-choices", "no choice in any list", lambda _, b: {**b, "choices": []}, "broken", billed=False),
    _edited("missing-choices", "no list of choices",
            lambda _, b: {k: v for k, v in b.items() if k != "choices"}, "broken", billed=False),
    _edited("warming-up", "nothing said and no finish while the model warms up", _warming, "broken", billed=False),
    _instead("html-200", "a page in place of JSON", _page, "text/html"),
    _instead("wrong-content-type", "a page that claims to be JSON", _page),
    _instead("empty-200", "nothing at all", lambda _: b""),
    _instead("204", "no content, by status", lambda _: b"", status=204),
    _instead("json-array", "an array in place of an object", lambda s: dump([s.whole()])),
    _instead("json-null", "null in place of an object", lambda _: b"null"),
    _instead("cut-json", "half a body, complete as far as HTTP goes", lambda s: dump(s.whole())[:-200], billed=True),
    _instead("deep-nesting", "a hundred thousand brackets",
             lambda _: b'{"choices":' + b"[" * _DEPTH + b"]" * _DEPTH + b"}"),
    _instead("non-utf8", "Latin-1 in place of UTF-8",
             lambda s: dump(s.whole()).replace(b" ", b" \xe9\xff\xfe ", 20), billed=True),
    _instead("utf16", "UTF-16 in place of UTF-8", lambda s: json.dumps(s.whole()).encode("utf-16"), billed=True),
    _sourced("sources-null", "its sources are null", None, None),
    _sourced("sources-wrong-types", "its sources are numbers, lists and objects without an address", _WRONG,
             _WRONG_CITED),
    _sourced("sources-no-lists", "its sources are an object and a text", {"1": "x"}, "https://rehearsal.invalid/"),
    _sourced("sources-unsafe", "its sources are addresses that must not be followed", list(UNSAFE), _cited(UNSAFE)),
    _sourced("sources-many", "ten thousand sources", _PAGES, _cited(_PAGES)),
)  # fmt: skip
"""All faults that sit inside a body."""
