"""The SDK's passes over the payloads of a step, left out where they find nothing to do."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from temporalio.bridge import worker as bridge
from temporalio.converter import DataConverter
from temporalio.converter._extstore import StorageOperationMetrics

Pass = Callable[..., Awaitable[StorageOperationMetrics]]

PASSES: dict[str, Pass] = {name: getattr(bridge, name) for name in ("decode_activation", "encode_completion")}
"""By name: the SDK's own."""


def skip_idle_passes(patch: pytest.MonkeyPatch) -> None:
    """Have workers and replayers leave payloads alone where their converter has neither a codec nor files.

    The SDK looks at every payload three times before a step and three times after it: to encrypt it, to keep it in a
    file, and to encrypt the name of that file. Most tests have plain payloads alone, and this was a tenth of the
    processor time of a deliberation.
    """
    for name, usual in PASSES.items():
        patch.setattr(bridge, name, _unless_idle(usual))


def _unless_idle(usual: Pass) -> Pass:
    async def passed(step: Any, converter: DataConverter, *rest: Any, **more: Any) -> StorageOperationMetrics:
        if converter.payload_codec is None and converter.external_storage is None:
            return StorageOperationMetrics()
        return await usual(step, converter, *rest, **more)

    return passed
