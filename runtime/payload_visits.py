"""One search of a workflow's messages for payloads, where the SDK makes three, copies every payload and makes tasks.

It searches for the codec of references, for the storage and for the codec. Without keys only the storage has a use.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from temporalio.api.common.v1 import Payload
from temporalio.bridge import worker as bridge
from temporalio.bridge._visitor import PayloadVisitor
from temporalio.bridge._visitor_functions import PayloadSequence, VisitorFunctions
from temporalio.converter import DataConverter
from temporalio.converter._extstore import StorageOperationMetrics


def search_once() -> None:
    """Replace the three searches of every worker without a codec in this process."""
    bridge.decode_activation = _once(bridge.decode_activation, _retrieved)
    bridge.encode_completion = _once(bridge.encode_completion, DataConverter._external_store_payload_sequence)  # noqa: SLF001 - it has no public name


def _once(by_sdk: Any, change: Callable[[DataConverter, list[Payload]], Awaitable[list[Payload]]]) -> Any:
    async def search(message: Any, data_converter: DataConverter, **more: Any) -> StorageOperationMetrics:
        if data_converter.payload_codec or any(is_wanted is True for is_wanted in more.values()):  # headers, too
            return await by_sdk(message, data_converter, **more)  # type: ignore[no-any-return]  # as the SDK says
        found, metrics = _Found(), StorageOperationMetrics()
        await PayloadVisitor(skip_search_attributes=True, skip_headers=True).visit(found, message)
        with metrics.track():
            for payload, other in zip(found.payloads, await change(data_converter, found.payloads), strict=True):
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


async def _retrieved(converter: DataConverter, payloads: list[Payload]) -> list[Payload]:
    if all(len(one.metadata) == 1 and b"reference" not in one.metadata.get("encoding", b"") for one in payloads):
        return payloads
    references = await DataConverter._decode_reference_payload_sequence(converter, payloads)  # noqa: SLF001 - the same
    return await DataConverter._external_retrieve_payload_sequence(converter, references)  # noqa: SLF001 - the same
