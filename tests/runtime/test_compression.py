"""What is compressed comes back, in every thread, and what was not is never returned."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import zstandard

from runtime.compression import packed, unpacked

TEXTS = [b"", b"x", b"because " * 20_000, bytes(range(256)) * 40]


@pytest.mark.parametrize("text", TEXTS, ids=len)
def test_a_text_comes_back_as_it_was(text: bytes) -> None:
    """Packing is lossless, and another reader of zstandard reads it too."""
    assert unpacked(packed(text)) == text
    assert zstandard.decompress(packed(text)) == text


def test_a_kept_context_remembers_nothing_of_the_text_before() -> None:
    """The same text gives the same bytes, whatever was compressed before it: equal requests are one row."""
    alone = packed(b"why? " * 300)
    packed(b"something else " * 5_000)
    assert packed(b"why? " * 300) == alone


def test_threads_compress_at_once() -> None:
    """Every thread has contexts of its own: a context that two use at once gives damaged bytes."""
    texts = [f"{number} ".encode() * 3_000 for number in range(200)]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(unpacked, threads.map(packed, texts))) == texts


@pytest.mark.parametrize(
    "damaged",
    [b"", b"not compressed", packed(b"because " * 100)[:-5], packed(b"because ")[:4] + b"\xff" * 20],
    ids=["empty", "plain", "cut", "overwritten"],
)
def test_damaged_bytes_are_not_returned(damaged: bytes) -> None:
    """Bytes that are damaged give nothing, and the next text is read as before."""
    assert unpacked(damaged) is None
    assert unpacked(packed(b"because")) == b"because"


def test_a_text_that_claims_to_be_huge_is_not_unpacked() -> None:
    """A header may claim any size; more than 256 MiB take no memory."""
    header = b"\x28\xb5\x2f\xfd\xe0" + (2**40).to_bytes(8, "little")
    assert zstandard.frame_content_size(header) == 2**40
    assert unpacked(header + b"\x01\x00\x00") is None
