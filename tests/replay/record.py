"""Record the histories that every later version must replay: ``python -m tests.replay.record [NAME …]``.

A history is recorded once, when its shape is new, and never rewritten: it stands for a deliberation that may be running
somewhere. Payloads are inline and small, so a file stands by itself.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from temporalio.client import WorkflowFailureError, WorkflowHandle
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.testing import WorkflowEnvironment

from protocols.council.model import CouncilResult
from protocols.exchange import Failed, ModelCall, ModelId, ParticipantId
from protocols.requests import ReplaceParticipant, StopRequest
from runtime.server_flags import program
from tests.fakes.councils import agreeable, council_input
from tests.fakes.models import Script, ScriptedModels, rate_limited, refused_by_provider
from tests.workflows.conftest import QUEUE, know_columns, staff
from workflows.council import CouncilWorkflow

HISTORIES = Path(__file__).parent / "histories"

Handle = WorkflowHandle[CouncilWorkflow, CouncilResult]


_HIDDEN = {"stackTrace": "", "identity": "recorder"}


@dataclass(frozen=True)
class Scene:
    """One shape of a history: how the models behave, what the council is asked, what a person does meanwhile."""

    script: Script = agreeable
    changes: dict[str, Any] | None = None
    hold: tuple[str, ...] = ()
    act: Callable[[Handle], Awaitable[object]] | None = None


def _losing(call_id: str, error: Callable[[], Exception] = refused_by_provider) -> Script:
    def script(call: ModelCall) -> str | Exception | Failed:
        return error() if call.call_id == call_id else agreeable(call)

    return script


def _limited_once() -> Script:
    seen: set[str] = set()

    def script(call: ModelCall) -> str | Exception | Failed:
        if call.call_id == "opinion-p1" and call.call_id not in seen:
            seen.add(call.call_id)
            return rate_limited(1.5)
        return agreeable(call)

    return script


async def _replace(handle: Handle) -> None:
    request = ReplaceParticipant(participant=ParticipantId("p2"), model=ModelId("openrouter:new/model"))
    await handle.execute_update(CouncilWorkflow.replace_participant, request)


async def _stop(handle: Handle) -> None:
    await handle.execute_update(CouncilWorkflow.stop, StopRequest(reason="seen enough"))


SCENES: dict[str, Scene] = {
    "council-full": Scene(),
    "council-lost-member": Scene(_losing("opinion-p2")),
    "council-final-only": Scene(changes={"final_only": True}),
    "council-strict-lost": Scene(_losing("review-p3"), changes={"failure_mode": "strict"}),
    "council-chair-fallback": Scene(_losing("synthesis-chair")),
    "council-rate-limited": Scene(_limited_once()),
    "council-replaced": Scene(hold=("opinion-p2",), act=_replace),
    "council-stopped": Scene(hold=("review-p1",), act=_stop),
    "council-cancelled": Scene(hold=("opinion-p4",), act=lambda handle: handle.cancel()),
}


async def record(env: WorkflowEnvironment, name: str, scene: Scene) -> None:
    """Play one scene and write its history."""
    models = ScriptedModels(scene.script)
    models.hold = set(scene.hold)
    async with staff(env, models):
        handle = await env.client.start_workflow(
            CouncilWorkflow.run, council_input(**(scene.changes or {})), id=name, task_queue=QUEUE
        )
        if scene.act is not None:
            while not {c.call_id for c in models.calls} & models.hold:  # noqa: ASYNC110 - a list sets no event
                await asyncio.sleep(0.05)
            await scene.act(handle)
        try:
            await handle.result()
        except WorkflowFailureError as error:
            print(f"{name}: ended with {error.cause}")
        history = await handle.fetch_history()
        told = json.dumps(anonymous(json.loads(history.to_json())), indent=1, ensure_ascii=False)
        (HISTORIES / f"{name}.json").write_text(told + "\n")
        print(f"{name}: {len(history.events)} events")


def anonymous(value: Any) -> Any:
    """The same history without what only tells on which machine it was recorded."""
    if isinstance(value, dict):
        return {key: _HIDDEN.get(key, anonymous(inner)) for key, inner in value.items()}
    return [anonymous(inner) for inner in value] if isinstance(value, list) else value


async def main(names: list[str]) -> None:
    """Record the scenes named, or those that have no history yet."""
    wanted = names or [name for name in SCENES if not (HISTORIES / f"{name}.json").exists()]
    async with await WorkflowEnvironment.start_local(
        data_converter=pydantic_data_converter, dev_server_existing_path=str(program())
    ) as env:
        await know_columns(env)
        for name in wanted:
            await record(env, name, SCENES[name])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
