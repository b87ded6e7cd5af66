"""The SDK's passes over payloads, which the tests leave out where nothing is encrypted and nothing is kept in files."""

from pathlib import Path
from typing import Any

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.bridge import worker as bridge
from temporalio.bridge.proto.workflow_activation import WorkflowActivation
from temporalio.bridge.proto.workflow_completion import WorkflowActivationCompletion
from temporalio.converter import DataConverter

from runtime.payloads import data_converter
from runtime.settings import Settings
from tests.fakes.converter import CONVERTER
from tests.fakes.passes import PASSES

LONG = b'"' + 10_000 * b"x" + b'"'


def completed() -> WorkflowActivationCompletion:
    """Return a step that ends a workflow with a long value."""
    step = WorkflowActivationCompletion()
    result = step.successful.commands.add().complete_workflow_execution.result
    result.CopyFrom(Payload(metadata={"encoding": b"json/plain"}, data=LONG))
    return step


async def encoded(encode: Any, converter: DataConverter) -> WorkflowActivationCompletion:
    """Return that step as ``encode`` makes it."""
    step = completed()
    await encode(step, converter, encode_headers=False, storage_concurrency_limit=1)
    return step


async def test_what_is_left_out_changes_nothing() -> None:
    """With the converter of most tests, the SDK's own passes leave a step as it is."""
    assert completed() == await encoded(PASSES["encode_completion"], CONVERTER)
    assert completed() == await encoded(bridge.encode_completion, CONVERTER)


@pytest.mark.parametrize("keys", [None, "k1:" + "A" * 43 + "="])
async def test_files_and_keys_are_used_as_ever(tmp_path: Path, keys: str | None) -> None:
    """A converter that keeps long values in files, or encrypts them, does so, and reads them again."""
    converter = data_converter(Settings.model_validate({"home": tmp_path, "blobs": tmp_path, "encryption_keys": keys}))
    written = await encoded(bridge.encode_completion, converter)
    again = WorkflowActivation()
    began = again.jobs.add().initialize_workflow.arguments.add()
    began.CopyFrom(written.successful.commands[0].complete_workflow_execution.result)
    await bridge.decode_activation(again, converter, decode_headers=False, storage_concurrency_limit=1)

    assert completed() != written
    assert LONG == again.jobs[0].initialize_workflow.arguments[0].data


def test_the_tests_run_with_it() -> None:
    """Workers and replayers of the tests take the passes from where they are replaced."""
    assert not set(PASSES.values()) & {getattr(bridge, name) for name in PASSES}
