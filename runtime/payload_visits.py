"""One search of a workflow's messages for payloads, where the SDK makes three.

The SDK searches a task of a workflow and its answer for the codec of references, for the storage and for the codec. It
copies every payload each time, and makes a task for each of them. Without a codec only the storage has anything to do.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from temporalio.api.common.v1 import Payload
from temporalio.bridge import worker as bridge
from temporalio.bridge._visitor import PayloadVisitor
from temporalio.bridge._visitor_functions import PayloadSequence, VisitorFunctions
from temporalio.converter import DataConverter
from temporalio.converter._extstore import StorageOperationMetrics

from runtime.blobs import COMPRESSED

_NO_REFERENCES = (b"json/plain", COMPRESSED)


def search_once() -> None:
    """Replace the three searches of every worker without a codec in this process."""
    bridge.decode_activation = _once(bridge.decode_activation, _retrieved, "decode_headers")
    bridge.encode_completion = _once(bridge.encode_completion, _stored, "encode_headers")


def _once(
    by_sdk: Any, change: Callable[[DataConverter, list[Payload]], Awaitable[Sequence[Payload]]], flag: str
) -> Any:
    async def search(message: Any, data_converter: DataConverter, **more: Any) -> StorageOperationMetrics:
        if data_converter.payload_codec:
            metrics: StorageOperationMetrics = await by_sdk(message, data_converter, **more)
            return metrics
        found = _Found()
        await PayloadVisitor(skip_search_attributes=True, skip_headers=not more[flag]).visit(found, message)
        metrics = StorageOperationMetrics()
        with metrics.track():
            changed = await change(data_converter, found.payloads)
        for payload, other in zip(found.payloads, changed, strict=True):
            if other is not payload:
                payload.CopyFrom(other)
        return metrics

    return search


class _Found(VisitorFunctions):
    def __init__(self) -> None:
        self.payloads: list[Payload] = []

    async def visit_payload(self, payload: Payload) -> None:
        self.payloads.append(payload)

    async def visit_payloads(self, payloads: PayloadSequence) -> None:
        self.payloads.extend(payloads)


async def _retrieved(converter: DataConverter, payloads: list[Payload]) -> Sequence[Payload]:
    if all(len(one.metadata) == 1 and one.metadata.get("encoding") in _NO_REFERENCES for one in payloads):
        return payloads
    references = await converter._decode_reference_payload_sequence(payloads)  # noqa: SLF001 - it has no public name
    return await converter._external_retrieve_payload_sequence(references)  # noqa: SLF001 - it has no public name


async def _stored(converter: DataConverter, payloads: list[Payload]) -> Sequence[Payload]:
    return await converter._external_store_payload_sequence(payloads)  # noqa: SLF001 - it has no public name
