"""How much is read at most."""

import gzip
import json
import tracemalloc
import zlib

import pytest

from activities.providers import event_reader
from activities.providers.bytestream import LARGEST_ANSWER, LARGEST_BODY, LARGEST_STREAM
from activities.providers.errors import BadResponseError, TooLargeError
from activities.providers.event_reader import LARGEST_EVENT
from activities.providers.wire_json import MOST_PARTS
from tests.activities.providers.conftest import Exchange
from tests.fakes.wire import DONE, EVENTS, JSON, answering, chunk

GZIP_EVENTS = {**EVENTS, "content-encoding": "gzip"}
GZIP_JSON = {**JSON, "content-encoding": "gzip"}
GOOD = chunk("yes", "stop") + DONE


async def test_an_answer_without_end_is_cut_off(exchange: Exchange) -> None:
    """Text beyond the largest answer is a final error, not memory."""
    with pytest.raises(TooLargeError, match="wrote more"):
        await exchange(answering(*[chunk("x" * 100_000)] * (LARGEST_ANSWER // 100_000 + 1)))


async def test_an_answer_at_the_limit_is_kept(exchange: Exchange) -> None:
    """The largest answer is still an answer."""
    pieces = [chunk("x" * 100_000)] * (LARGEST_ANSWER // 100_000)
    assert len((await exchange(answering(*pieces, chunk("", "stop"), DONE))).text) == LARGEST_ANSWER


async def test_a_stream_of_nothing_is_cut_off(exchange: Exchange) -> None:
    """Comments without end are stopped by their bytes."""
    comment = b":" + b" " * 1_000_000 + b"\n\n"
    with pytest.raises(TooLargeError, match=str(LARGEST_STREAM)):
        await exchange(answering(*[comment] * (LARGEST_STREAM // len(comment) + 1)))


@pytest.mark.parametrize("piece", [b"data: " + b"{}" * 500_000, b"data: {}\n" * 100_000])
async def test_an_event_without_end_is_cut_off(exchange: Exchange, piece: bytes) -> None:
    """An event that never ends is stopped long before the stream's limit, on one line and on many."""
    with pytest.raises(TooLargeError, match=str(LARGEST_EVENT)):
        await exchange(answering(*[piece] * (LARGEST_EVENT // len(piece) + 1)))


@pytest.mark.parametrize("end", [b"\n\n", b"\r\n\r\n", b"\r\r"])
async def test_only_single_events_are_limited(exchange: Exchange, end: bytes) -> None:
    """However events end, and wherever they are divided, their sizes are not added up."""
    piece = b": " + b"x" * 400_000 + end
    stream = piece * (LARGEST_EVENT // len(piece) + 2) + GOOD
    pieces = [stream[at : at + 65_537] for at in range(0, len(stream), 65_537)]
    assert (await exchange(answering(*pieces))).text == "yes"


@pytest.mark.parametrize("headers", [EVENTS, JSON])
async def test_an_answer_of_a_million_parts_is_not_decoded(exchange: Exchange, headers: dict[str, str]) -> None:
    """JSON that would take seconds to decode is a final error: asking again would be paid again."""
    body = b'{"choices": [' + b"{}," * 500_000 + b"{}]}"
    whole = b"data: " + body + b"\n\n" if headers == EVENTS else body
    with pytest.raises(TooLargeError, match=str(MOST_PARTS)):
        await exchange(answering(whole, headers=headers))


async def test_events_without_end_are_cut_off(exchange: Exchange, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiny events are stopped by their number, long before the bytes of a stream."""
    monkeypatch.setattr(event_reader, "MOST_EVENTS", 100)
    with pytest.raises(TooLargeError, match="more than 100 events"):
        await exchange(answering(b"data: {}\n\n" * 101))


async def test_a_body_without_end_is_cut_off(exchange: Exchange) -> None:
    """White space before JSON is stopped by its bytes."""
    with pytest.raises(TooLargeError, match=str(LARGEST_BODY)):
        await exchange(answering(*[b" " * 1_000_000] * 9, headers=JSON))


async def test_a_bomb_is_stopped_while_it_unpacks(exchange: Exchange) -> None:
    """A small body that unpacks to 300 MB never takes them."""
    bomb = gzip.compress(b" " * 300_000_000, compresslevel=1)
    tracemalloc.start()
    with pytest.raises(TooLargeError):
        await exchange(answering(bomb, headers=GZIP_JSON))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50_000_000


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (GZIP_EVENTS, gzip.compress(GOOD)),
        ({**EVENTS, "content-encoding": "deflate"}, zlib.compress(GOOD)),
        ({**EVENTS, "content-encoding": "identity"}, GOOD),
        ({**EVENTS, "content-encoding": "None"}, GOOD),
    ],
)
async def test_a_packed_answer_is_unpacked(exchange: Exchange, headers: dict[str, str], body: bytes) -> None:
    """An answer that is compressed although that was not asked for is read."""
    assert (await exchange(answering(body[:20], body[20:], headers=headers))).text == "yes"


@pytest.mark.parametrize("headers", [GZIP_EVENTS, {**EVENTS, "content-encoding": "br"}])
async def test_what_cannot_be_unpacked_is_a_bad_response(exchange: Exchange, headers: dict[str, str]) -> None:
    """Garbage for gzip, and a packing that was not asked for, are bad responses."""
    with pytest.raises(BadResponseError):
        await exchange(answering(b"this is not packed", headers=headers))


async def test_an_enormous_complaint_is_known_by_its_status(exchange: Exchange) -> None:
    """An error with a body without end is still the error that its status says."""
    with pytest.raises(Exception, match="answered 503") as failed:
        await exchange(answering(*[json.dumps("x" * 500_000).encode()] * 5, status=503, headers=JSON))
    assert type(failed.value).__name__ == "UnavailableError"
