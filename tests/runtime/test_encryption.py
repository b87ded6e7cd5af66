"""Payloads under lock: what may read them, and the message when it may not."""

import base64

import pytest
from temporalio.api.common.v1 import Payload

from runtime.encryption import EncryptionCodec, read_keys
from runtime.errors import PayloadError, SettingsError, UnknownKeyError

FIRST = "old:" + base64.b64encode(b"1" * 32).decode()
SECOND = "new:" + base64.b64encode(b"2" * 32).decode()
PLAIN = Payload(metadata={"encoding": b"json/plain"}, data=b'"a canary text"' * 20)


def codec(*keys: str) -> EncryptionCodec:
    """A codec with ``keys``, the first one encrypting."""
    return EncryptionCodec(read_keys(",".join(keys)))


@pytest.mark.parametrize("times", [20, 200_000])
async def test_payload_returns_as_it_was(times: int) -> None:
    """A payload comes back with its metadata, small or large."""
    payload = Payload(metadata={"encoding": b"json/plain", "x": b"y"}, data=b"text " * times)
    locked = await codec(FIRST).encode([payload])

    assert await codec(FIRST).decode(locked) == [payload]


async def test_nothing_readable_is_left() -> None:
    """Neither the text nor its encoding is in what is sent."""
    [locked] = await codec(FIRST).encode([PLAIN])

    assert b"canary" not in locked.SerializeToString()
    assert b"json/plain" not in locked.SerializeToString()


async def test_text_is_compressed_before_it_is_encrypted() -> None:
    """A repetitive text becomes smaller, which it could not after encryption."""
    [locked] = await codec(FIRST).encode([PLAIN])

    assert len(locked.data) < len(PLAIN.data)


async def test_old_key_still_reads_after_rotation() -> None:
    """With a new key in front, what the old one encrypted is read and new payloads carry the new id."""
    locked = await codec(FIRST).encode([PLAIN])
    [renewed] = await codec(SECOND, FIRST).encode([PLAIN])

    assert await codec(SECOND, FIRST).decode(locked) == [PLAIN]
    assert renewed.metadata["encryption-key-id"] == b"new"


async def test_unknown_key_is_named() -> None:
    """Without the key the error names its id and those that are there."""
    locked = await codec(FIRST).encode([PLAIN])

    with pytest.raises(UnknownKeyError, match=r"'old'.*holds only new"):
        await codec(SECOND).decode(locked)


@pytest.mark.parametrize("part", ["data", "id"])
async def test_changed_payload_is_refused(part: str) -> None:
    """A changed byte, or another id on the same ciphertext, is noticed."""
    [locked] = await codec(FIRST).encode([PLAIN])
    if part == "data":
        locked.data = locked.data[:-1] + bytes([locked.data[-1] ^ 1])
    else:
        locked.metadata["encryption-key-id"] = b"twin"
    twin = "twin:" + FIRST.partition(":")[2]

    with pytest.raises(PayloadError, match="was changed"):
        await codec(FIRST, twin).decode([locked])


async def test_plain_payload_passes() -> None:
    """A payload from before encryption was switched on is read as it is."""
    assert await codec(FIRST).decode([PLAIN]) == [PLAIN]


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("", "holds no key"),
        ("k1", "not id:key with 32 bytes of base64"),
        ("k1:Y2FuYXJ5", "not id:key with 32 bytes of base64"),
        ("k1:canary!", "not id:key with 32 bytes of base64"),
        ("bad id:" + FIRST.partition(":")[2], "no usable id"),
        (f"{FIRST},{FIRST}", "uses an id twice"),
    ],
)
def test_unusable_keys_are_refused_without_showing_them(written: str, complaint: str) -> None:
    """An error about keys says what is wrong and shows no key."""
    with pytest.raises(SettingsError, match=complaint) as refusal:
        read_keys(written)

    assert "canary" not in str(refusal.value)
    assert "Y2FuYXJ5" not in str(refusal.value)


def test_key_ring_prints_ids_only() -> None:
    """A printed ring names its keys and nothing of them."""
    shown = repr(read_keys(f"{SECOND},{FIRST}"))

    assert (True, False) == ("new" in shown, FIRST.partition(":")[2] in shown)
