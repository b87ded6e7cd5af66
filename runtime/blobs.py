"""Large texts on disk, named by their digest and verified on reading.

The path of a blob is the SHA-256 of its bytes, ``<root>/<first two digits>/<digest>.zst``, compressed. The same text
sent to six models is one blob. It is written to a temporary file, flushed to the disk and moved, so a reader never
sees half of one, and any number of workers may share the directory. Nothing here ever deletes: a blob is part of the
server's history and is backed up with it.
"""

import asyncio
import hashlib
import os
import uuid
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path

from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from runtime.compression import packed, unpacked
from runtime.errors import BlobDamagedError, BlobMissingError
from runtime.home import make_private_directory

DRIVER_NAME = "parley:fs"
"""In every reference in every history: it is never changed."""

COMPRESSED = b"json/zstd"
"""The encoding of a payload of compressed JSON: it is in histories and never changes."""

_PRIVATE = 0o600

INLINE = "parley-inline"
"""Metadata with the place of a payload, for ``becomes_blob``; nothing that is written has it."""
STAYS = b"1"
"""The history, because other clients read it there."""
GOES = b"0"
"""A file, however small: nothing but the worker reads it."""


class BlobStore:
    """A directory of texts by digest."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, content: bytes) -> str:
        """Keep ``content`` and return its digest. A damaged blob of the same digest is replaced by a good one."""
        return self.put_all([content])[0]

    def put_all(self, contents: Sequence[bytes]) -> list[str]:
        """Keep several texts and return their digests; to flush them together costs little more than one."""
        digests = [hashlib.sha256(content).hexdigest() for content in contents]
        paths = {digest: self.path_of(digest) for digest in digests}
        missing = {digest for digest, path in paths.items() if not _holds(path, digest)}
        texts = dict(zip(digests, contents, strict=True))
        _write_all({paths[digest]: packed(texts[digest]) for digest in missing})
        return digests

    def get(self, digest: str) -> bytes:
        """Return the text stored under ``digest``.

        Raises:
            BlobMissingError: there is no such blob in this directory.
            BlobDamagedError: there is one, and it is not what was stored.
        """
        path = self.path_of(digest)
        try:
            stored = path.read_bytes()
        except FileNotFoundError:
            raise BlobMissingError(
                f"the text sha256:{digest} is not in {self.root}. Restore it from the backup, or set PARLEY_BLOBS "
                "to the directory that the workers use; what waits for it then continues."
            ) from None
        content = unpacked(stored)
        if content is None or hashlib.sha256(content).hexdigest() != digest:
            raise BlobDamagedError(f"{path} is not the text sha256:{digest}. Restore the file from the backup.")
        return content

    def path_of(self, digest: str) -> Path:
        """Return the path of the blob ``digest``, which must be 64 hexadecimal digits."""
        if len(digest) != _DIGITS or not set(digest) <= _HEX:
            raise BlobMissingError(f"{digest[:80]!r} is not a SHA-256 digest, so no blob of {self.root} is meant")
        return self.root / digest[:2] / f"{digest}.zst"


class FileDriver(StorageDriver):
    """Temporal's external storage on a ``BlobStore``."""

    def __init__(self, store: BlobStore) -> None:
        self._store = store
        self._recent = RecentTexts(_REMEMBERED)
        self._waiting: list[bytes] = []
        self._written: asyncio.Task[list[str]] | None = None

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
        digests = await self._put(contents)
        for digest, content in zip(digests, contents, strict=True):
            self._recent.add(digest, content)
        return [StorageDriverClaim(claim_data={"sha256": digest}) for digest in digests]

    async def _put(self, contents: Sequence[bytes]) -> Sequence[str]:
        """Write ``contents`` with the other payloads of this turn: a workflow task has those of a whole stage."""
        if self._written is None or not self._waiting:
            self._written = asyncio.create_task(self._put_waiting())
        first = len(self._waiting)
        self._waiting += contents
        return (await asyncio.shield(self._written))[first : first + len(contents)]

    async def _put_waiting(self) -> list[str]:
        contents, self._waiting = self._waiting, []
        return await asyncio.to_thread(self._store.put_all, contents)

    async def retrieve(
        self,
        context: StorageDriverRetrieveContext,  # noqa: ARG002 - it has nothing that is needed
        claims: Sequence[StorageDriverClaim],
    ) -> list[Payload]:
        """Return the payloads that ``claims`` name; raises as ``BlobStore.get`` does."""
        digests = [claim.claim_data.get("sha256", "") for claim in claims]
        found = {digest: self._recent.get(digest) for digest in digests}
        missing = [digest for digest, content in found.items() if content is None]
        if missing:
            found |= await asyncio.to_thread(lambda: {digest: self._store.get(digest) for digest in missing})
        return [Payload.FromString(found[digest] or b"") for digest in digests]


class RecentTexts:
    """The texts written last, up to a number of bytes: a call is mostly made by the worker that asked for it."""

    def __init__(self, most: int) -> None:
        self._most, self._bytes = most, 0
        self._texts: OrderedDict[str, bytes] = OrderedDict()

    def add(self, digest: str, content: bytes) -> None:
        """Keep ``content`` and forget the oldest texts that no longer fit."""
        if digest not in self._texts:
            self._texts[digest] = content
            self._bytes += len(content)
        while self._bytes > self._most:
            self._bytes -= len(self._texts.popitem(last=False)[1])

    def get(self, digest: str) -> bytes | None:
        """Return the text, if it is kept."""
        return self._texts.get(digest)


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


_REMEMBERED = 8 * 1024 * 1024
"""Bytes of texts that a worker keeps in memory."""

_LARGEST_INLINE = 1_000_000
"""Bytes; the server refuses a payload of two million."""

_DIGITS = 64
_HEX = frozenset("0123456789abcdef")


def _holds(path: Path, digest: str) -> bool:
    try:
        content = unpacked(path.read_bytes())
    except FileNotFoundError:
        return False
    return content is not None and hashlib.sha256(content).hexdigest() == digest


def _write_all(texts: Mapping[Path, bytes]) -> None:
    """Write files that are whole or absent; the disk confirms all of them before the first has its name."""
    beside = {path: path.with_name(f".new-{uuid.uuid4().hex}") for path in texts}
    try:
        for path, data in texts.items():
            with os.fdopen(_opened(beside[path]), "wb") as file:
                file.write(data)
        for new in beside.values():
            _flush(new)
        for path, new in beside.items():
            new.replace(path)
    except BaseException:
        for new in beside.values():
            new.unlink(missing_ok=True)
        raise
    # A file's own fsync does not promise that its name survives a power cut; the directory's does.
    for directory in {path.parent for path in texts}:
        _flush(directory)


def _opened(path: Path) -> int:
    """Open a new file for its owner's eyes only; its directory is made when it is missing."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        return os.open(path, flags, _PRIVATE)
    except FileNotFoundError:
        make_private_directory(path.parent.parent)
        make_private_directory(path.parent)
        return os.open(path, flags, _PRIVATE)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
