"""Answers that go wrong, or merely odd, while they flow.

A twist turns an answer's chunks into pieces with waits between them. For a call that is not streamed the chunks are
portions of the one body, so that the slow and the cut-off ones are played there too.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from aiohttp import web

from rehearsal.dialects.exchange import DONE, HttpExchange, Piece, paced
from rehearsal.dialects.shape import Json, Refusal, dump, sse
from rehearsal.faults.bodies import partial_body
from rehearsal.faults.fault import Fault, Outcome

Arg = int | float | str
Twist = Callable[[HttpExchange], list[Piece]]

_TINY = 0.002
_COMMENT = b": OPENROUTER PROCESSING\n\n"
_BROKEN = Refusal(502, "Provider disconnected", "provider_unavailable", {"provider_code": "upstream_closed"})


def _twisted(
    name: str, about: str, twist: Twist, outcome: Outcome = "answered", *, cut: bool = False, **args: Arg
) -> Fault:
    async def play(scene: HttpExchange) -> web.StreamResponse:
        return await scene.stream(twist(scene), cut=cut)

    return Fault(name, about, play, outcome, billed=True, args=args)


def _comments_first(scene: HttpExchange) -> list[Piece]:
    every, until = float(scene.args["interval"]), float(scene.args["seconds"])
    alive = _COMMENT if scene.streaming else b"\n        "
    return [Piece(alive)] + [Piece(alive, every)] * round(until / every) + paced(scene.chunks(), scene.seconds)


def _half(scene: HttpExchange) -> list[bytes]:
    chunks = scene.chunks()
    return chunks[: max(1, len(chunks) // 2)]


def _broken_by_error(scene: HttpExchange) -> list[Piece]:
    if not scene.streaming:
        return [Piece(dump(partial_body(scene)))]
    return [*paced(_half(scene), scene.seconds), Piece(scene.dialect.broken_stream(scene.completion, _BROKEN))]


def _cut_off(scene: HttpExchange) -> list[Piece]:
    return paced(_half(scene), scene.seconds)


def _stalling(scene: HttpExchange) -> list[Piece]:
    chunks = scene.chunks()
    middle = max(1, len(chunks) // 2)
    return [Piece(b"".join(chunks[:middle])), Piece(b"".join(chunks[middle:]), float(scene.args["seconds"]))]


def _split_characters(scene: HttpExchange) -> list[Piece]:
    """Split every piece inside a multi-byte character."""
    wire = b"".join(_respoken(scene, lambda text: text.replace(" ", " é漢😀 ", 8)).chunks())
    cuts = [i + 1 for i, byte in enumerate(wire) if byte >= 0xC0]  # noqa: PLR2004 - the first byte of a longer character
    edges = [0, *cuts, len(wire)]
    return [Piece(wire[a:b], _TINY) for a, b in pairwise(edges)]


def _line_separators(scene: HttpExchange) -> list[Piece]:
    return paced(_respoken(scene, lambda text: text.replace(" ", "\u2028 \u0085 ", 8)).chunks(), scene.seconds)


def _respoken(scene: HttpExchange, change: Callable[[str], str]) -> HttpExchange:
    said = scene.completion.said
    changed = replace(said, text=change(said.text or ""))
    return replace(scene, completion=replace(scene.completion, said=changed))


def _usage_apart(scene: HttpExchange) -> list[Piece]:
    if not scene.streaming:
        return paced(scene.chunks(), scene.seconds)
    kept: Json = {}

    def set_aside(event: Json) -> Json | None:
        kept.update({k: v for k, v in event.items() if k in {"usage", "time_info"}})
        bare = {k: v for k, v in event.items() if k not in {"usage", "time_info"}}
        return bare if bare["choices"] else None

    *chunks, done = scene.chunks(set_aside)
    apart = {**scene.dialect.stamp(scene.completion, "chat.completion.chunk"), "choices": [], **kept}
    return paced([*chunks, sse(apart), done], scene.seconds)


def _debug_first(scene: HttpExchange) -> list[Piece]:
    echo = {"choices": [], "debug": {"echo_upstream_body": {"model": scene.completion.model}}}
    first = [sse({**scene.dialect.stamp(scene.completion, "chat.completion.chunk"), **echo})] if scene.streaming else []
    return paced([*first, *scene.chunks()], scene.seconds)


def _garbage_events(scene: HttpExchange) -> list[Piece]:
    junk = b"data: {not json at all\n\n" if scene.streaming else b"\x00{{{"
    return paced([*_half(scene), junk], scene.seconds)


def _error_event(scene: HttpExchange) -> list[Piece]:
    error = dump(scene.dialect.error(_BROKEN))
    return [Piece(b"data: " + error + b"\n\n" if scene.streaming else error)]


def _endless(scene: HttpExchange) -> list[Piece]:
    block = "endless " * 8192
    delta = scene.dialect.event(scene.completion, {"content": block})
    piece = sse(delta) if scene.streaming else b" " * len(block)
    return [Piece(piece)] * max(1, int(float(scene.args["megabytes"]) * 1e6 / len(piece)))


STREAMS = (
    _twisted("comments-first", "keep-alive comments for some seconds, then the answer", _comments_first,
             seconds=2.0, interval=0.2),
    _twisted("slow-drip", "a wait before each chunk",
             lambda scene: [Piece(chunk, float(scene.args["interval"])) for chunk in scene.chunks()], interval=0.5),
    _twisted("stall", "silence in the middle, then the rest", _stalling, seconds=3600.0),
    _twisted("mid-stream-error", "an error event in the middle, then the end", _broken_by_error, "broken"),
    _twisted("error-event", "an error without choices is the first and only event", _error_event, "broken"),
    _twisted("empty-stream", "a stream that is done before it said anything",
             lambda scene: [Piece(_COMMENT + DONE if scene.streaming else b"\n")], "broken"),
    _twisted("garbage-event", "an event that is no JSON in the middle, then the end", _garbage_events, "broken"),
    _twisted("no-done", "a whole answer without [DONE]",
             lambda scene: paced([c for c in scene.chunks() if c != DONE], scene.seconds)),
    _twisted("quiet-end", "half an answer that ends as if it were whole", _cut_off, "broken"),
    _twisted("disconnect", "half an answer, then the connection ends", _cut_off, "broken", cut=True),
    _twisted("split-utf8", "characters split across chunks", _split_characters),
    _twisted("crlf", "carriage returns at the line ends",
             lambda scene: paced([chunk.replace(b"\n", b"\r\n") for chunk in scene.chunks()], scene.seconds)),
    _twisted("line-separators", "U+2028 and U+0085 inside the text", _line_separators),
    _twisted("usage-separate", "usage in an event of its own, without choices", _usage_apart),
    _twisted("debug-first-chunk", "a debug event without choices comes first", _debug_first),
    _twisted("endless-body", "an answer that does not end before its bound", _endless, "broken", megabytes=64.0),
)  # fmt: skip
"""All faults that happen while an answer flows."""
