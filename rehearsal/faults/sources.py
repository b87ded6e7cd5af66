"""Answers whose sources are malformed, unsafe or far too many; the text is always whole."""

from collections.abc import Sequence
from typing import Any

from aiohttp import web

from rehearsal.dialects.exchange import HttpExchange
from rehearsal.dialects.shape import Json
from rehearsal.faults.fault import Fault

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


def _fault(name: str, about: str, citations: Any, annotations: Any) -> Fault:
    """Build a fault with these fields in its body or last text event, in both notations."""

    def edit(body: Json) -> Json:
        if not any(choice["finish_reason"] for choice in body["choices"]):
            return body
        for choice in body["choices"]:
            choice.get("message", choice.get("delta"))["annotations"] = annotations
        return {**body, "citations": citations, "search_results": citations}

    async def play(scene: HttpExchange) -> web.StreamResponse:
        return await scene.play(scene.chunks(edit))

    return Fault(name, about, play, "answered", billed=True)


def _cited(urls: Sequence[str]) -> list[Json]:
    return [{"type": "url_citation", "url_citation": {"url": url, "title": "A title"}} for url in urls]


_WRONG: list[Any] = [None, 7, [], {}, {"url": None}, {"url": ["https://rehearsal.invalid/"]}, True]
_WRONG_CITED = [*_WRONG, {"type": [], "url_citation": 7}, {"type": "file"}, {"type": "url_citation"}]
_PAGES = [f"https://rehearsal.invalid/{number}" for number in range(1, MANY + 1)]

SOURCES = (
    _fault("sources-null", "its sources are null", None, None),
    _fault(
        "sources-wrong-types", "its sources are numbers, lists and objects without an address", _WRONG, _WRONG_CITED
    ),
    _fault("sources-no-lists", "its sources are an object and a text", {"1": "x"}, "https://rehearsal.invalid/"),
    _fault("sources-unsafe", "its sources are addresses that must not be followed", list(UNSAFE), _cited(UNSAFE)),
    _fault("sources-many", "ten thousand sources", _PAGES, _cited(_PAGES)),
)
"""All faults of a provider's sources."""
