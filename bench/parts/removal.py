"""A worker without some of its parts, for measurements only: ``python -m bench.parts.removal journal record …``.

A part is replaced by one that does nothing where its callers look it up, so that everything else is the worker as it
is. Nothing is kept then, and nothing may be concluded from such a worker but what it costs.
"""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
from temporalio import workflow

import activities.call_model
import workflows.deliberation
from activities.providers.progress import CallProgress
from activities.providers.stream_assembly import Chunk
from activities.schema_calls import SchemaCalls
from ledger.journal import Journal
from protocols.model_call import Cost, ModelCall, Usage
from protocols.panel import name_of
from worker import main
from workflows.progress_board import ProgressBoard


def _journal() -> None:
    async def once(_: Journal, _identity: object, pay: Callable[[], Awaitable[object]], *_more: object) -> object:
        return await pay()

    _replace(Journal, "once", once)


def _record() -> None:
    async def record(_: object) -> None:
        return

    _replace(workflows.deliberation, "record_deliberation", record)


def _columns() -> None:
    _replace(workflow, "upsert_search_attributes", lambda _: None)


def _details() -> None:
    _replace(ProgressBoard, "_publish", lambda _: None)


def _heartbeats() -> None:
    @asynccontextmanager
    async def none(*_: object) -> AsyncIterator[None]:
        yield

    _replace(activities.call_model, "heartbeating", none)


def _summaries() -> None:
    execute = workflow.execute_activity_method

    async def plainly(*arguments: Any, summary: object = None, priority: object = None, **more: Any) -> Any:  # noqa: ARG001 - they are left out
        return await execute(*arguments, **more)

    _replace(workflow, "execute_activity_method", plainly)


def _exchange() -> None:
    async def converse(
        _: SchemaCalls,
        client: httpx.AsyncClient,
        call: ModelCall,
        provider: Any,
        *_key: object,
        pulse: CallProgress,
        **_more: object,
    ) -> Chunk:
        body = {"model": name_of(call.model), "messages": [message.model_dump() for message in call.messages]}
        answer = await client.post(f"{provider.base_url}/chat/completions", json=body)
        text = answer.json()["choices"][0]["message"]["content"]
        pulse.phase = "writing"
        return _chunk(text)

    _replace(SchemaCalls, "converse", converse)


def _chunk(text: str) -> Chunk:
    return Chunk(
        text=text,
        reasoning="",
        refusal="",
        finish="stop",
        native_finish=None,
        usage=Usage(),
        cost=Cost(),
        served_model=None,
        upstream=None,
        request_id=None,
        repairs=(),
        first_token_seconds=None,
    )


def _replace(owner: object, name: str, new: object) -> None:
    """Set an existing attribute; a missing one is an error, because its part would seem to cost nothing."""
    getattr(owner, name)
    setattr(owner, name, new)


REMOVALS: Mapping[str, Callable[[], None]] = {
    "exchange": _exchange,
    "heartbeats": _heartbeats,
    "journal": _journal,
    "record": _record,
    "columns": _columns,
    "details": _details,
    "summaries": _summaries,
}
"""Removes a part, by its name."""

if __name__ == "__main__":
    for part in sys.argv[1:]:
        REMOVALS[part]()
    main()
