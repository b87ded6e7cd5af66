"""Contents of attached files, stored as every other large value is.

A content is a payload of Temporal: encrypted if keys are set, then a blob that is named by its digest and checked when
it is read. So it is stored once for all calls and deliberations, needs ``PARLEY_BLOBS`` on another machine as every
other blob does, and is kept and backed up with them. With keys, equal contents are different blobs.
"""

from pathlib import Path

from google.protobuf.message import DecodeError
from temporalio.api.common.v1 import Payload

from runtime.blob_store import BlobStore
from runtime.encryption import EncryptionCodec
from runtime.errors import PayloadError, SettingsError, UnknownKeyError
from runtime.payloads import codec_of, missing_key
from runtime.settings import Settings

_ENCODING = b"binary/plain"


class AttachmentStore:
    """The contents of attached files of one installation."""

    def __init__(self, blobs: Path, codec: EncryptionCodec | None = None) -> None:
        self._blobs = BlobStore(blobs)
        self._codec = codec

    @classmethod
    def of(cls, settings: Settings) -> "AttachmentStore":
        """Return the store that ``settings`` name."""
        return cls(settings.blobs, codec_of(settings))

    def put(self, content: bytes) -> str:
        """Keep ``content`` and return the digest of its blob.

        Raises:
            SettingsError: the directory of the blobs cannot be written.
        """
        payload = Payload(metadata={"encoding": _ENCODING}, data=content)
        payload = payload if self._codec is None else self._codec.lock(payload)
        try:
            return self._blobs.put(payload.SerializeToString(deterministic=True))
        except OSError as error:
            raise SettingsError(
                f"the attached files cannot be stored in {self._blobs.root}: {error.strerror}. Make room there, or "
                "set PARLEY_BLOBS to a directory that can be written."
            ) from None

    def get(self, blob: str) -> bytes:
        """Return the content that ``put`` returned ``blob`` for.

        Raises:
            LookupError: it is not there, damaged, or encrypted under a key that is not here; says what to restore.
        """
        try:
            payload = Payload.FromString(self._blobs.get(blob))
            payload = payload if self._codec is None else self._codec.unlock(payload)
            if payload.metadata.get("encoding") != _ENCODING:
                raise UnknownKeyError(missing_key(payload))
        except (PayloadError, OSError, DecodeError) as error:
            raise LookupError(str(error)) from None
        return payload.data
