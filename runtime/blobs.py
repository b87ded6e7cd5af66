"""Payloads as files: Temporal's external storage in the directory of the blobs.

A reference in a history names the file by its digest, and the place of the payload in it where it has several.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from temporalio.api.common.v1 import Payload, Payloads
from temporalio.converter import (
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from runtime.blob_store import BlobStore
from runtime.errors import BlobDamagedError

DRIVER_NAME = "parley:fs"
"""In every reference in every history: it is never changed."""

COMPRESSED = b"json/zstd"
"""The encoding of a payload of compressed JSON: it is in histories and never changes."""

INLINE = "parley-inline"
"""Metadata with the place of a payload, for ``becomes_blob``; nothing that is written has it."""
STAYS = b"1"
"""The history, because other clients read it there."""
GOES = b"0"
"""A file, however small: nothing but the worker reads it."""

Claim = Mapping[str, str]
Name = tuple[str, str]
"""The digest of a file, and the place of a payload in it; empty for the whole file."""


class FileDriver(StorageDriver):
    """Temporal's external storage on a ``BlobStore``.

    Short payloads of one turn of the event loop, which are mostly the calls of a stage and repeat the same answers, are
    one file, a ``Payloads`` message. Their claims name it and their place in it.
    """

    def __init__(self, store: BlobStore) -> None:
        self._store = store
        self._recent = RecentTexts(_REMEMBERED)
        self._waiting: list[bytes] = []
        self._written: asyncio.Task[Mapping[bytes, Claim]] | None = None

    def name(self) -> str:
        """Return the name that references carry."""
        return DRIVER_NAME

    def type(self) -> str:
        """Return the kind of driver, the same in every language."""
        return "parley.filesystem"

    async def store(
        self,
        context: StorageDriverStoreContext,  # noqa: ARG002 - content addressing needs no owner
        payloads: Sequence[Payload],
    ) -> list[StorageDriverClaim]:
        """Keep each payload and return a claim that names it."""
        contents = [payload.SerializeToString(deterministic=True) for payload in payloads]
        claims = await self._put(contents)
        for content in contents:
            self._recent.add(_name_of(claims[content]), content)
        return [StorageDriverClaim(claim_data=claims[content]) for content in contents]

    async def _put(self, contents: Sequence[bytes]) -> Mapping[bytes, Claim]:
        """Write ``contents`` with the other payloads of this turn: a workflow task has those of a whole stage."""
        if self._written is None or not self._waiting:
            self._written = asyncio.create_task(self._put_waiting())
        self._waiting += contents
        return await asyncio.shield(self._written)

    async def _put_waiting(self) -> Mapping[bytes, Claim]:
        contents, self._waiting = list(dict.fromkeys(self._waiting)), []
        files = _files_of(contents)
        texts = [file[0] if len(file) == 1 else _joined(file) for file in files]
        # To write is quick and to flush is not: two threads that compute at once take longer than one after the other.
        is_quick = sum(map(len, texts)) <= _AT_ONCE_BYTES
        unflushed = self._store.begin(texts) if is_quick else await asyncio.to_thread(self._store.begin, texts)
        await asyncio.to_thread(unflushed.finish)
        return {
            content: {"sha256": digest} | ({_PART: str(part)} if len(file) > 1 else {})
            for file, digest in zip(files, unflushed.digests, strict=True)
            for part, content in enumerate(file)
        }

    async def retrieve(
        self,
        context: StorageDriverRetrieveContext,  # noqa: ARG002 - it has nothing that is needed
        claims: Sequence[StorageDriverClaim],
    ) -> list[Payload]:
        """Return the payloads that ``claims`` name; raises as ``BlobStore.get`` does."""
        found = {_name_of(claim.claim_data): self._recent.get(_name_of(claim.claim_data)) for claim in claims}
        missing = {digest for (digest, _), content in found.items() if content is None}
        if missing:
            texts = await asyncio.to_thread(lambda: {digest: self._store.get(digest) for digest in missing})
            found |= {name: _part_of(texts[name[0]], name) for name, content in found.items() if content is None}
        return [Payload.FromString(found[_name_of(claim.claim_data)] or b"") for claim in claims]


class RecentTexts:
    """The texts written last, up to a number of bytes: a call is mostly made by the worker that asked for it."""

    def __init__(self, most: int) -> None:
        self._most, self._bytes = most, 0
        self._texts: OrderedDict[Name, bytes] = OrderedDict()

    def add(self, name: Name, content: bytes) -> None:
        """Keep ``content`` and forget the oldest texts that no longer fit."""
        if name not in self._texts:
            self._texts[name] = content
            self._bytes += len(content)
        while self._bytes > self._most:
            self._bytes -= len(self._texts.popitem(last=False)[1])

    def get(self, name: Name) -> bytes | None:
        """Return the text, if it is kept."""
        return self._texts.get(name)


def take_mark(payload: Payload) -> bytes | None:
    """Take the mark ``INLINE`` off ``payload`` and return its value, if it was there."""
    mark = payload.metadata.get(INLINE)
    if mark is not None:
        # With any metadata beside the encoding, Temporal's CLI shows base64 in place of JSON.
        del payload.metadata[INLINE]
    return mark


def becomes_blob(payload: Payload, threshold: int) -> bool:
    """Return whether ``payload`` travels by reference: from ``threshold`` bytes on, or as its mark says.

    A compressed one, which no client reads as it is, does so from a quarter of ``threshold`` on.
    """
    mark = take_mark(payload)
    if mark == GOES:
        return True
    if payload.metadata.get("encoding") == COMPRESSED:
        return payload.ByteSize() >= threshold // 4
    return payload.ByteSize() >= (_LARGEST_INLINE if mark else threshold)


_PART = "part"
_AT_ONCE_BYTES = 64 * 1024
_FILE_BYTES = 256 * 1024
"""Payloads are put into one file up to this length: a reader of one of them reads all of it."""

_REMEMBERED = 8 * 1024 * 1024
"""Bytes of texts that a worker keeps in memory."""

_LARGEST_INLINE = 1_000_000
"""Bytes; the server refuses a payload of two million."""


def _name_of(claim: Claim) -> Name:
    return claim.get("sha256", ""), claim.get(_PART, "")


def _files_of(contents: Sequence[bytes]) -> list[list[bytes]]:
    """Return ``contents`` as those of each file."""
    files: list[list[bytes]] = []
    length = 0
    for content in contents:
        length += len(content)
        if not files or length > _FILE_BYTES:
            files.append([])
            length = len(content)
        files[-1].append(content)
    return files


def _joined(contents: Sequence[bytes]) -> bytes:
    return Payloads(payloads=map(Payload.FromString, contents)).SerializeToString(deterministic=True)


def _part_of(text: bytes, name: Name) -> bytes:
    """Return the payload ``name`` of the file with ``text``.

    Raises:
        BlobDamagedError: the file has no such part.
    """
    digest, part = name
    if not part:
        return text
    payloads = Payloads.FromString(text).payloads
    if not part.isdecimal() or int(part) >= len(payloads):
        raise BlobDamagedError(f"the text sha256:{digest} has no part {part!r}; the reference to it is damaged")
    return payloads[int(part)].SerializeToString(deterministic=True)
