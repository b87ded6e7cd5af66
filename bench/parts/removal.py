"""A worker without some of its parts, for measurements only: ``python -m bench.parts.removal journal record …``.

A part is replaced by one that does nothing where its callers look it up, so that everything else is the worker as it
is. Nothing is kept then, and nothing may be concluded from such a worker but what it costs.
"""

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from temporalio import workflow

import activities.call_model
import activities.heartbeats
import workflows.deliberation
from activities.providers.bytestream import whole_text
from activities.providers.progress import CallProgress
from activities.providers.provider_client import ProviderClient
from activities.providers.stream_assembly import Chunk
from activities.schema_calls import SchemaCalls
from ledger.journal import Journal
from protocols.model_call import Cost, ModelCall, Usage
from protocols.panel import name_of
from worker import main


async def _once(_: Journal, _identity: object, pay: Callable[[], Awaitable[object]], *_more: object) -> object:
    return await pay()


async def _no_record(_: object) -> None:
    return


@asynccontextmanager
async def _no_heartbeats(*_: object) -> AsyncIterator[None]:
    yield


_execute = workflow.execute_activity_method


async def _without_summary(*arguments: Any, summary: object = None, priority: object = None, **more: Any) -> Any:  # noqa: ARG001 - they are left out
    return await _execute(*arguments, **more)


async def _converse(
    _: SchemaCalls,
    client: ProviderClient,
    call: ModelCall,
    *_provider: object,
    pulse: CallProgress,
    **_more: object,
) -> Chunk:
    body = {"model": name_of(call.model), "messages": [message.model_dump() for message in call.messages]}
    headers = {"Content-Type": "application/json"}
    answer = await client.send(json.dumps(body).encode(), headers)
    said = json.loads(await whole_text(answer, "bare"))
    pulse.phase = "writing"
    return _chunk(said["choices"][0]["message"]["content"])


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


class Removal(NamedTuple):
    """The replacement of a part."""

    owner: Any
    """The module or class in which the callers of the part look it up."""
    name: str
    new: object


REMOVALS: Mapping[str, Removal] = {
    "exchange": Removal(SchemaCalls, "converse", _converse),
    "heartbeats": Removal(activities.call_model, "heartbeating", _no_heartbeats),
    "live-text": Removal(activities.heartbeats, "_text", lambda *_: {}),
    "tails": Removal(CallProgress, "tail", ""),
    "summaries": Removal(workflow, "execute_activity_method", _without_summary),
    "columns": Removal(workflow, "upsert_search_attributes", lambda _: None),
    "journal": Removal(Journal, "once", _once),
    "record": Removal(workflows.deliberation, "record_deliberation", _no_record),
}

if __name__ == "__main__":
    for part in sys.argv[1:]:
        setattr(*REMOVALS[part])
    main()
