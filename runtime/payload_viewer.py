"""Payloads from a history, readable outside a client: references followed, decrypted, decompressed.

The SDK does the same inside its converter, in one step with making Python values; the Web UI wants payloads back.
"""

from collections.abc import Sequence

from google.protobuf import json_format
from temporalio.api.common.v1 import Payload
from temporalio.api.sdk.v1.external_storage_pb2 import ExternalStorageReference
from temporalio.converter import StorageDriverClaim, StorageDriverRetrieveContext

from runtime.blobs import DRIVER_NAME, BlobStore, FileDriver
from runtime.errors import BlobDamagedError, BlobMissingError
from runtime.payloads import codec_of, expanded
from runtime.settings import Settings

_MESSAGE_TYPE = ExternalStorageReference.DESCRIPTOR.full_name.encode()


class PayloadViewer:
    """A reader of payloads written by this installation's workers."""

    def __init__(self, settings: Settings) -> None:
        self._driver = FileDriver(BlobStore(settings.blobs))
        self._codec = codec_of(settings)

    async def read(self, payload: Payload, *, largest: int | None = None) -> Payload:
        """Decode ``payload``; keep a reference to more than ``largest`` bytes as a reference.

        Raises:
            PayloadError: the blob is missing or damaged, or the key is not in the ring.
        """
        stored = payload
        if is_reference(payload):
            if largest is not None and _size(payload) > largest:
                return payload
            stored = await self._follow(payload)
        return expanded((await self._codec.decode([stored]))[0] if self._codec else stored)

    async def locked(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Encrypt ``payloads`` if keys are set; otherwise return them unchanged."""
        return await self._codec.encode(payloads) if self._codec else list(payloads)

    async def _follow(self, payload: Payload) -> Payload:
        try:
            reference = json_format.Parse(payload.data, ExternalStorageReference())
        except (json_format.ParseError, UnicodeDecodeError):
            raise BlobDamagedError(
                "a reference to a stored text cannot be read; it was not written by Temporal"
            ) from None
        if reference.driver_name != DRIVER_NAME:
            raise BlobMissingError(
                f"a text is kept by the storage driver {reference.driver_name!r}; here there is only {DRIVER_NAME!r}"
            )
        claim = StorageDriverClaim(claim_data=dict(reference.claim_data))
        return (await self._driver.retrieve(StorageDriverRetrieveContext(), [claim]))[0]


def is_reference(payload: Payload) -> bool:
    """Return whether ``payload`` refers to a stored text instead of holding one."""
    return payload.metadata.get("encoding") == b"json/protobuf" and payload.metadata.get("messageType") == _MESSAGE_TYPE


def _size(payload: Payload) -> int:
    return sum(stored.size_bytes for stored in payload.external_payloads)
