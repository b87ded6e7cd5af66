"""Payload conversion: pydantic models as JSON, large values by reference, encryption if keys are set.

One converter serves client, worker, replayer and codec endpoint::

    value → JSON → [compressed] → [encrypted] → long? → blob on disk, reference in the history

What a workflow and its activities exchange is without its defaults and compressed with a dictionary from 256 bytes on:
nine tenths of a history are prompts and answers. Then a call of a model is a blob from 640 bytes on, because its texts
are mostly those of earlier replies, and a reply from 2 KiB on. Anything else is a blob from 8 KiB on. The inputs and
results of workflows, which other clients read and write, are plain JSON. With keys, messages and stack traces of
failures are encrypted too; a codec alone leaves them in the clear.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from traceback import walk_tb
from typing import Any, NoReturn, Self

from pydantic import ValidationError
from temporalio import workflow
from temporalio.api.common.v1 import Payload
from temporalio.api.failure.v1 import Failure
from temporalio.contrib.pydantic import PydanticPayloadConverter
from temporalio.converter import (
    ActivitySerializationContext,
    CompositePayloadConverter,
    DataConverter,
    DefaultFailureConverter,
    EncodingPayloadConverter,
    ExternalStorage,
    PayloadConverter,
    SerializationContext,
    StorageDriverStoreContext,
)
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from protocols.constraints import problem
from protocols.deliberation import DeliberationInput
from protocols.model_call import ActivityValue, Heartbeat, ModelCall
from runtime.blob_store import BlobStore
from runtime.blobs import COMPRESSED, GOES, INLINE, STAYS, FileDriver, becomes_blob
from runtime.encryption import ENCODING, KEY_ID, EncryptionCodec, read_keys
from runtime.errors import PayloadError, UnknownKeyError
from runtime.settings import Settings
from runtime.short_inputs import short_input
from runtime.value_compression import packed_value, unpacked_value

_JSON = b"json/plain"
_COMPRESSED_FROM = 256
_CALL_TO_FILE = 640
"""Bytes of a compressed call that takes less of a history as the name of a file."""
_LONG_CALL = 4096
"""Bytes of a call that is a file whatever compression leaves of it; the file is compressed with its neighbours."""


def data_converter(settings: Settings, *, inline: bool = False) -> DataConverter:
    """Return the data converter of this installation.

    ``inline`` leaves out both blobs and keys, so that a recorded history is complete by itself: for replay fixtures.
    """
    codec = None if inline else codec_of(settings)
    driver = FileDriver(BlobStore(settings.blobs))
    storage = ExternalStorage(
        drivers=[driver],
        driver_selector=lambda _, payload: driver if becomes_blob(payload, settings.blob_threshold_bytes) else None,
        payload_size_threshold=0,
    )
    return _Converter(
        payload_converter_class=ParleyPayloadConverter,
        payload_codec=codec,
        failure_converter_class=EncodedFailureConverter if codec else PlainFailureConverter,
        external_storage=None if inline else storage,
    )


def codec_of(settings: Settings) -> EncryptionCodec | None:
    """Return the encryption codec that the settings request, or ``None``."""
    keys = settings.encryption_keys
    return None if keys is None else EncryptionCodec(read_keys(keys.get_secret_value()))


@dataclass(frozen=True)
class _Converter(DataConverter):
    """The SDK's converter, which is the same for every workflow and activity, but for local activities.

    The SDK asks for the converter of each payload's context ten times a call, and would look at each part of it.
    """

    def with_context(self, context: SerializationContext) -> Self:
        """Return the converter of payloads of ``context``."""
        is_local = isinstance(context, ActivitySerializationContext) and context.is_local
        return super().with_context(context) if is_local else self

    def _with_store_context(self, store_ctx: StorageDriverStoreContext) -> DataConverter:  # noqa: ARG002 - files have no owner
        """Return this converter; the SDK copies it for each payload, to tell the storage whose payload it is."""
        return self


_REFUSED = re.compile(
    r"the turns of earlier runs are being loaded; |input\.incomplete: \S+ is being prepared; |"
    r"Query handler for '\w*' expected"
)
"""How the messages of refused queries begin; none of it is private."""


class PlainFailureConverter(DefaultFailureConverter):
    """The SDK's failure converter, without the stack trace of a benign failure and without pydantic's messages.

    A benign failure answers a user, for example that an option is misspelt. Its message says everything, and
    Temporal's CLI would print twenty lines of the worker's code below it.
    """

    def to_failure(self, exception: BaseException, payload_converter: PayloadConverter, failure: Failure) -> None:
        """Write ``exception`` into ``failure``."""
        if type(exception) is RuntimeError and isinstance(exception.__cause__, ValidationError):
            exception = _unusable(exception, exception.__cause__)  # the SDK's own error of what it cannot decode
        if isinstance(exception, ApplicationError) and exception.category is ApplicationErrorCategory.BENIGN:
            exception.__traceback__ = None
        super().to_failure(exception, payload_converter, failure)

    def from_failure(self, failure: Failure, payload_converter: PayloadConverter) -> BaseException:
        """Return the error in ``failure``; its message names the key, if that is missing here."""
        is_locked = failure.encoded_attributes.metadata.get("encoding") == ENCODING
        if is_locked and failure.message == "Encoded failure":  # the SDK's word for what it has encrypted
            failure.message = missing_key(failure.encoded_attributes)
        return super().from_failure(failure, payload_converter)


def _unusable(raised: RuntimeError, error: ValidationError) -> ApplicationError:
    """Return the refusal of an argument that could not be decoded, or of the result of an activity or a child."""
    what, kind, remedy = "the argument", "input.invalid", ""
    if any(frame.f_code.co_name.startswith("_apply_resolve") for frame, _ in walk_tb(raised.__traceback__)):
        what, kind = "the result of an activity", "result.invalid"
        remedy = ". Was it completed by hand? Take that back: temporal workflow reset --type LastWorkflowTask"
    said, benign = f"{what} cannot be used: {problem(error)}{remedy}", ApplicationErrorCategory.BENIGN
    return ApplicationError(said, type=kind, non_retryable=True, category=benign)


class EncodedFailureConverter(PlainFailureConverter):
    """The same with messages and stack traces encrypted; why a query is refused stays plain, the SDK decrypts none."""

    def __init__(self) -> None:
        super().__init__(encode_common_attributes=True)

    def to_failure(self, exception: BaseException, payload_converter: PayloadConverter, failure: Failure) -> None:
        """Write ``exception`` into ``failure``."""
        super().to_failure(exception, payload_converter, failure)
        if _REFUSED.match(str(exception)) or isinstance(exception, PayloadError):
            failure.message = str(exception)


class ParleyPayloadConverter(CompositePayloadConverter):
    """Pydantic's converter, with short values of activities and a message for a payload that needs a missing key.

    What a local activity is given and what a query is answered never reach a history, so they are not written to a blob
    either. The SDK makes a converter for each run and activity. They share their parts, which remember types.
    """

    def __init__(self) -> None:
        self.converters = _parts(is_local=False)

    def with_context(self, context: SerializationContext) -> Self:
        """Return the converter of a payload of ``context``."""
        if not (isinstance(context, ActivitySerializationContext) and context.is_local):
            return self
        local = type(self)()
        local.converters = _parts(is_local=True)
        return local


@cache
def _parts(*, is_local: bool) -> Mapping[bytes, EncodingPayloadConverter]:
    usual = PydanticPayloadConverter().converters
    short = _ShortJson(usual[_JSON], is_local=is_local)
    return {**usual, _JSON: short, COMPRESSED: short, ENCODING: _StillEncrypted()}


class _ShortJson(EncodingPayloadConverter):
    """JSON; that of an activity's value is without defaults and from 256 bytes on compressed, unless it is local."""

    def __init__(self, usual: EncodingPayloadConverter, *, is_local: bool = False) -> None:
        self._usual = usual
        self._is_local = is_local

    @property
    def encoding(self) -> str:
        return self._usual.encoding

    def to_payload(self, value: Any) -> Payload | None:
        if isinstance(value, DeliberationInput):
            return Payload(metadata={"encoding": _JSON}, data=short_input(value))
        is_answer = workflow.in_workflow() and workflow.unsafe.is_read_only()  # of a query
        stays = is_answer or self._is_local or isinstance(value, Heartbeat)
        if stays or not isinstance(value, ActivityValue):
            payload = self._usual.to_payload(value)
            if payload is not None and stays:
                payload.metadata[INLINE] = STAYS
            return payload
        data = value.__pydantic_serializer__.to_json(value, exclude_defaults=True)
        if len(data) < _COMPRESSED_FROM:
            return Payload(metadata={"encoding": _JSON}, data=data)
        if isinstance(value, ModelCall) and len(data) >= _LONG_CALL:
            return Payload(metadata={"encoding": _JSON, INLINE: GOES}, data=data)
        packed = packed_value(data)
        payload = Payload(metadata={"encoding": COMPRESSED}, data=packed)
        if isinstance(value, ModelCall) and len(packed) >= _CALL_TO_FILE:
            payload.metadata[INLINE] = GOES
        return payload

    def from_payload(self, payload: Payload, type_hint: type | None = None) -> Any:
        return self._usual.from_payload(expanded(payload), type_hint)


def expanded(payload: Payload) -> Payload:
    """Return ``payload`` as plain JSON if it is compressed, otherwise unchanged.

    Raises:
        PayloadError: it is damaged.
    """
    if payload.metadata.get("encoding") != COMPRESSED:
        return payload
    data = unpacked_value(payload.data)
    if data is None:
        raise PayloadError("a payload of a history is damaged: its compressed JSON cannot be read")
    return Payload(metadata={"encoding": _JSON}, data=data)


class _StillEncrypted(EncodingPayloadConverter):
    """A placeholder for an encrypted payload that no codec decrypted."""

    @property
    def encoding(self) -> str:
        return ENCODING.decode()

    def to_payload(self, value: Any) -> Payload | None:  # noqa: ARG002 - it never makes one
        return None

    def from_payload(self, payload: Payload, type_hint: type | None = None) -> NoReturn:  # noqa: ARG002 - the same for all
        raise UnknownKeyError(missing_key(payload))


def missing_key(payload: Payload) -> str:
    """Return the message about an encrypted ``payload`` in a process without keys."""
    key_id = payload.metadata.get(KEY_ID, b"?").decode(errors="replace")
    return (
        f"what is stored is encrypted under the key {key_id!r}, and the process that reads it has no keys. "
        "Set PARLEY_ENCRYPTION_KEYS there as it was then."
    )
