"""Payloads under lock: AES-256-GCM with a ring of keys.

Every payload is serialised whole (its metadata too), compressed and then encrypted; the order matters, because what is
encrypted no longer compresses. The key's id is in the clear beside the ciphertext and is bound to it as associated
data. The first key of the ring encrypts and every key decrypts, so a key is rotated by putting a new one in front and
is removed when no retained history needs it any more.

Workflow ids, types, search attributes and the names of activities are never encrypted: the server works with them.
"""

import asyncio
import base64
import binascii
import os
import re
from collections.abc import Callable, Mapping, Sequence

import zstandard
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from temporalio.api.common.v1 import Payload
from temporalio.converter import PayloadCodec

from runtime.blobs import INLINE, STAYS, take_mark
from runtime.errors import PayloadError, SettingsError, UnknownKeyError

ENCODING = b"binary/encrypted"
KEY_ID = "encryption-key-id"

_KEY_BYTES = 32
_NONCE_BYTES = 12
_INLINE_BYTES = 64 * 1024
"""Below this the work takes less time than handing it to a thread."""
_HOW = 'One is made with: python -c "import base64, os; print(base64.b64encode(os.urandom(32)).decode())"'


def read_keys(written: str) -> dict[str, AESGCM]:
    """Parse a key ring of the form ``id:base64,id:base64``: ciphers by id, the encrypting one first.

    Raises:
        SettingsError: a key is not 32 bytes of base64, or an id is missing, odd or used twice. No key is shown.
    """
    pairs = [part.strip().partition(":") for part in written.split(",") if part.strip()]
    if not pairs:
        raise SettingsError(f"PARLEY_ENCRYPTION_KEYS holds no key. {_HOW}")
    ring = {pair[0].strip(): _cipher(n, pair[0], pair[2]) for n, pair in enumerate(pairs, 1)}
    if len(ring) != len(pairs):
        raise SettingsError("PARLEY_ENCRYPTION_KEYS uses an id twice. Give every key an id of its own.")
    return ring


class EncryptionCodec(PayloadCodec):
    """Encrypts every payload pending to the server and decrypts it pending back."""

    def __init__(self, keys: Mapping[str, AESGCM]) -> None:
        self._keys = keys

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Encrypt each payload under the newest key."""
        return await _in_thread_when_large(self.lock, payloads)

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Decrypt each payload; return one that was never encrypted unchanged."""
        return await _in_thread_when_large(self.unlock, payloads)

    def lock(self, payload: Payload) -> Payload:
        """Encrypt ``payload`` under the newest key; what is to stay in the history still does."""
        key_id, cipher = next(iter(self._keys.items()))
        mark = {INLINE: STAYS} if take_mark(payload) == STAYS else {}
        packed = zstandard.ZstdCompressor(level=3).compress(payload.SerializeToString())
        nonce = os.urandom(_NONCE_BYTES)
        locked = nonce + cipher.encrypt(nonce, packed, key_id.encode())
        return Payload(metadata={"encoding": ENCODING, KEY_ID: key_id.encode(), **mark}, data=locked)

    def unlock(self, payload: Payload) -> Payload:
        """Decrypt ``payload``; raises as ``decode`` does."""
        if payload.metadata.get("encoding") != ENCODING:
            return payload
        key_id = payload.metadata.get(KEY_ID, b"").decode(errors="replace")
        if key_id not in self._keys:
            raise UnknownKeyError(
                f"a payload was encrypted under the key {key_id!r}, and PARLEY_ENCRYPTION_KEYS holds only "
                f"{', '.join(self._keys)}. Add that key at the end; what waits for it then continues."
            )
        nonce, locked = payload.data[:_NONCE_BYTES], payload.data[_NONCE_BYTES:]
        try:
            packed = self._keys[key_id].decrypt(nonce, locked, key_id.encode())
        except (InvalidTag, ValueError):
            raise PayloadError(
                f"a payload encrypted under the key {key_id!r} was changed, or the key behind that id is another. "
                "Check that every process has the same PARLEY_ENCRYPTION_KEYS."
            ) from None
        return Payload.FromString(zstandard.ZstdDecompressor().decompress(packed))


def _cipher(position: int, key_id: str, written: str) -> AESGCM:
    if not re.fullmatch(r"[\w.-]{1,64}", key_id.strip()):
        raise SettingsError(
            f"key {position} of PARLEY_ENCRYPTION_KEYS has no usable id. Write id:key with letters, digits, '.', '-'."
        )
    try:
        key = base64.b64decode(written.strip(), validate=True)
    except binascii.Error:
        key = b""
    if len(key) != _KEY_BYTES:
        raise SettingsError(
            f"key {position} of PARLEY_ENCRYPTION_KEYS is not id:key with {_KEY_BYTES} bytes of base64. {_HOW}"
        )
    return AESGCM(key)


async def _in_thread_when_large(change: Callable[[Payload], Payload], payloads: Sequence[Payload]) -> list[Payload]:
    if sum(payload.ByteSize() for payload in payloads) < _INLINE_BYTES:
        return [change(payload) for payload in payloads]
    return await asyncio.to_thread(lambda: [change(payload) for payload in payloads])
