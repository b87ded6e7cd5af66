"""Large texts on disk, named by their digest and verified on reading.

The path of a blob is the SHA-256 of its bytes, ``<root>/<first two digits>/<digest>.zst``, compressed. A text that
is put again is the same blob. It is written to a temporary file, flushed to the disk and moved, so a reader never
sees half of one, and any number of workers may share the directory. Nothing here ever deletes: a blob is part of the
server's history and is backed up with it.
"""

import hashlib
import os
import uuid
from collections.abc import Sequence
from pathlib import Path

from runtime.compression import packed, unpacked
from runtime.errors import BlobDamagedError, BlobMissingError
from runtime.home import make_private_directory

_PRIVATE = 0o600
_DIGITS = 64
_HEX = frozenset("0123456789abcdef")


class BlobStore:
    """A directory of texts by digest."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, content: bytes) -> str:
        """Keep ``content`` and return its digest. A damaged blob of the same digest is replaced by a good one."""
        digest = hashlib.sha256(content).hexdigest()
        if not _holds(self.path_of(digest), digest):
            self.begin([content]).finish()
        return digest

    def begin(self, contents: Sequence[bytes]) -> "UnflushedBlobs":
        """Write ``contents`` to files beside their places: they are kept when its ``finish`` has ended."""
        unflushed = UnflushedBlobs([hashlib.sha256(content).hexdigest() for content in contents])
        try:
            for digest, content in zip(unflushed.digests, contents, strict=True):
                unflushed.add(self.path_of(digest), packed(content))
        except BaseException:
            unflushed.give_up()
            raise
        return unflushed

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


class UnflushedBlobs:
    """Files that are written and not yet flushed: after ``finish`` they are whole in their places, or absent."""

    def __init__(self, digests: Sequence[str]) -> None:
        self.digests = digests
        self._files: list[tuple[int, Path, Path]] = []

    def add(self, path: Path, data: bytes) -> None:
        """Write ``data`` to a file beside ``path``."""
        new = path.with_name(f".new-{uuid.uuid4().hex}")
        handle = _opened(new)
        self._files.append((handle, new, path))
        written = 0
        while written < len(data):
            written += os.write(handle, data[written:] if written else data)

    def finish(self) -> None:
        """Flush the files and move them to their places; the disk confirms all before the first has its name."""
        try:
            for handle, _, _ in self._files:
                os.fsync(handle)
            for _, new, path in self._files:
                new.replace(path)
        except BaseException:
            self.give_up()
            raise
        self._close()
        # A file's own fsync does not promise that its name survives a power cut; the directory's does.
        for directory in {path.parent for _, _, path in self._files}:
            _flush(directory)

    def give_up(self) -> None:
        """Remove what was written."""
        self._close()
        for _, new, _ in self._files:
            new.unlink(missing_ok=True)

    def _close(self) -> None:
        for handle, _, _ in self._files:
            os.close(handle)


def _holds(path: Path, digest: str) -> bool:
    try:
        content = unpacked(path.read_bytes())
    except FileNotFoundError:
        return False
    return content is not None and hashlib.sha256(content).hexdigest() == digest


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
