"""What a workflow receives and answers is searched once, and comes out as the SDK's own search leaves it."""

import base64
from typing import Any

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.bridge import worker as bridge
from temporalio.bridge.proto.workflow_activation import WorkflowActivation
from temporalio.bridge.proto.workflow_completion import WorkflowActivationCompletion
from temporalio.worker import _workflow

from runtime.blobs import COMPRESSED, GOES, INLINE
from runtime.payload_visits import search_once
from runtime.payloads import data_converter
from runtime.settings import Settings

BY_SDK = (bridge.decode_activation, bridge.encode_completion)
PAYLOADS = (
    Payload(metadata={"encoding": b"json/plain"}, data=b'"short"'),
    Payload(metadata={"encoding": b"json/plain"}, data=b'"' + b"long " * 4000 + b'"'),
    Payload(metadata={"encoding": COMPRESSED, INLINE: GOES}, data=b"a call"),
    Payload(metadata={"encoding": b"binary/null"}),
)
KEYS = "k1:" + base64.b64encode(b"1" * 32).decode()


@pytest.fixture(autouse=True)
def _searching(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search once in this test."""
    monkeypatch.setattr(bridge, "decode_activation", BY_SDK[0])
    monkeypatch.setattr(bridge, "encode_completion", BY_SDK[1])
    search_once()


def _answer() -> WorkflowActivationCompletion:
    """What a workflow answers that asks for two activities."""
    answer = WorkflowActivationCompletion(run_id="run")
    for payloads in (PAYLOADS, PAYLOADS[:1]):
        command = answer.successful.commands.add()
        command.schedule_activity.arguments.extend(payloads)
        command.user_metadata.summary.CopyFrom(PAYLOADS[0])
    return answer


def _received(payloads: list[Payload]) -> WorkflowActivation:
    """What a workflow receives when activities end with ``payloads``."""
    received = WorkflowActivation(run_id="run")
    for payload in payloads:
        received.jobs.add().resolve_activity.result.completed.result.CopyFrom(payload)
    return received


async def _through(search: tuple[Any, Any], settings: Settings) -> tuple[bytes, bytes, list[object]]:
    """What ``search`` makes of an answer and then of what it stored, and its figures of both."""
    converter, answer = data_converter(settings), _answer()
    stored = await search[1](answer, converter, encode_headers=False, storage_concurrency_limit=9)
    kept = list(answer.successful.commands[0].schedule_activity.arguments)
    received = _received(kept)
    read = await search[0](received, converter, decode_headers=False, storage_concurrency_limit=9)
    figures: list[object] = [
        (figure.payload_count, figure.total_size, figure.driver_names) for figure in (stored, read)
    ]
    assert [payload.data for payload in PAYLOADS] == [
        job.resolve_activity.result.completed.result.data for job in received.jobs
    ]
    return answer.SerializeToString(deterministic=True), received.SerializeToString(deterministic=True), figures


async def test_it_stores_and_reads_what_the_sdk_does(settings: Settings) -> None:
    """Both leave the same bytes and count the same payloads, so that a history does not show which it was."""
    ours = (bridge.decode_activation, bridge.encode_completion)

    assert ours != BY_SDK
    assert await _through(BY_SDK, settings) == await _through(ours, settings)


async def test_with_keys_everything_is_encrypted(settings: Settings) -> None:
    """With keys the SDK's own search is made: nothing leaves in the clear, and everything comes back."""
    keyed = Settings.model_validate({**settings.model_dump(), "encryption_keys": KEYS})
    answer, *_ = await _through((bridge.decode_activation, bridge.encode_completion), keyed)

    assert b"short" not in answer
    assert b"a call" not in answer


async def test_a_marked_reference_is_refused_as_by_the_sdk(settings: Settings) -> None:
    """What another process stored under its keys is named, and never taken for a value."""
    marked = Payload(metadata={"encoding": b"x", "__temporal_external_storage_reference": b"true"})

    for search in (BY_SDK[0], bridge.decode_activation):
        with pytest.raises(RuntimeError, match="TMPRL1106"):
            await search(
                _received([marked]), data_converter(settings), decode_headers=False, storage_concurrency_limit=9
            )


def test_the_sdk_calls_what_is_replaced() -> None:
    """A worker looks both functions up where ``search_once`` puts others."""
    names = _workflow._WorkflowWorker._handle_activation.__code__.co_names

    assert {"decode_activation", "encode_completion"} <= set(names)
