"""Record the histories of a study's schedules: ``python -m tests.replay.record_studies [NAME …]``.

As in ``record``: recorded once, when a shape is new, and never rewritten. Each scene gives a history of the batch, of
its first shard and of its budget; of a scene in several runs, those of the first two.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from temporalio.client import WorkflowHandle
from temporalio.testing import WorkflowEnvironment

from protocols.model_call import ModelCall
from protocols.study.model import (
    Amount,
    Budget,
    Extension,
    PauseRequest,
    ResumeRequest,
    RunSettings,
    WindowChange,
)
from protocols.update_requests import BudgetChange
from tests.fakes.server import local_server
from tests.fakes.studies import FakeStudy, Script, refused, until
from tests.replay.record import HISTORIES, anonymous

Handle = WorkflowHandle[Any, Any]
Act = Callable[[WorkflowEnvironment, Handle, FakeStudy], Awaitable[object]]


class Scene(NamedTuple):
    """One shape of a study: how many instances on what terms, how models answer, what a user does meanwhile."""

    end: int = 6
    terms: RunSettings = RunSettings(window=4)
    script: Script = lambda _id, _call: 1.0
    act: Act | None = None
    events: int | None = None


async def _pause(_: WorkflowEnvironment, handle: Handle, study: FakeStudy) -> None:
    await handle.execute_update("pause", PauseRequest(reason="lunch"))
    await handle.execute_update("set_window", WindowChange(window=3))
    await handle.execute_update("extend", Extension(end=8))
    study.is_holding = False
    await handle.execute_update("resume", ResumeRequest())


async def _cancel(_: WorkflowEnvironment, handle: Handle, __: FakeStudy) -> None:
    await handle.cancel()


async def _terminate_one(env: WorkflowEnvironment, _: Handle, study: FakeStudy) -> None:
    await env.client.get_workflow_handle(study.id_of(2)).terminate("by hand")
    study.is_holding = False


async def _end_two(env: WorkflowEnvironment, _: Handle, study: FakeStudy) -> None:
    study.charged = {1: Amount(usd=2.5, tokens=40)}
    await env.client.get_workflow_handle(study.id_of(1)).cancel()
    await env.client.get_workflow_handle(study.id_of(2)).terminate("by hand")
    study.is_holding = False


async def _raise_the_budget(_: WorkflowEnvironment, handle: Handle, study: FakeStudy) -> None:
    study.is_holding = False
    await until(handle, lambda state: state.phase == "paused" and state.in_flight == 0)
    await handle.execute_update("set_budget", BudgetChange(usd=9))


async def _mend(_: WorkflowEnvironment, handle: Handle, study: FakeStudy) -> None:
    study.is_holding = False
    await until(handle, lambda state: state.phase == "paused" and state.in_flight == 0)
    study.script = lambda _id, _call: 0.5
    await handle.execute_update("resume", ResumeRequest())


async def _talk(_: WorkflowEnvironment, handle: Handle, study: FakeStudy) -> None:
    for _again in range(8):
        await handle.execute_update("set_window", WindowChange(window=25))
    study.is_holding = False


async def _come_back(_: WorkflowEnvironment, handle: Handle, study: FakeStudy) -> None:
    study.is_holding = False
    await until(handle, lambda state: state.pause is not None and state.pause.cause == "provider")
    study.script = lambda _id, _call: 0.5


def _behind_a_page(_: str, __: ModelCall) -> float | Exception:
    return refused("provider.gateway", 200)


def _out_of_credit(_: str, __: ModelCall) -> float | Exception:
    return refused("provider.payment_required", 402)


SCENES: dict[str, Scene] = {
    "full": Scene(),
    "changed": Scene(act=_pause),
    # The same as "changed", which was recorded before an activity checked the last instance of an extension.
    "extended": Scene(act=_pause),
    "cancelled": Scene(act=_cancel),
    "lost": Scene(act=_terminate_one),
    "budget": Scene(terms=RunSettings(window=4, cap=Budget(usd=4)), act=_raise_the_budget),
    "trouble": Scene(end=3, script=_out_of_credit, act=_mend),
    "provider": Scene(end=7, terms=RunSettings(window=4, pause_after_losses=3), script=_behind_a_page, act=_come_back),
    "continued": Scene(end=205, terms=RunSettings(window=25), events=70),
    "several-runs": Scene(end=205, terms=RunSettings(window=25), act=_talk, events=70),
    # The same as "continued", which was recorded before a budget ended its timers first, and must replay as well.
    "no-timers": Scene(end=205, terms=RunSettings(window=25), events=70),
    # In those above the budget signals its shards itself, and no activity does.
    "by-activity": Scene(end=20, terms=RunSettings(window=5)),
    # In "cancelled" and "lost" the plan alone was charged; here the ledger has the calls of what reported nothing.
    "unreported": Scene(act=_end_two),
}


def histories_of(name: str) -> list[str]:
    """The names of the files in which a scene is recorded, as far as it is."""
    kinds = ("batch", "shard", "budget")
    return [path.stem for kind in kinds for path in sorted(HISTORIES.glob(f"{kind}-{name}*.json"))]


async def record(env: WorkflowEnvironment, name: str, scene: Scene) -> None:
    """Play one scene and write its histories."""
    study = FakeStudy(scene.script)
    study.name, study.is_holding = f"study-{name}", scene.act is not None
    async with study.staff(env):
        handle = await study.start(env, study.batch(scene.end, terms=scene.terms))
        if scene.act is not None:
            await until(handle, lambda state: study.at_once == min(scene.end, state.terms.window))
            await scene.act(env, handle, study)
        await handle.result()
    for kind, workflow_id in {"batch": "", "shard": "/shard-0001", "budget": "/budget"}.items():
        found = [run async for run in env.client.list_workflows(f"WorkflowId = '{study.name}{workflow_id}'")]
        for number, run in enumerate(sorted(found, key=lambda run: run.start_time)[:2], start=1):
            suffix = f"-{number}" if len(found) > 1 else ""
            history = await env.client.get_workflow_handle(run.id, run_id=run.run_id).fetch_history()
            told = json.dumps(anonymous(json.loads(history.to_json())), indent=1, ensure_ascii=False)
            (HISTORIES / f"{kind}-{name}{suffix}.json").write_text(told + "\n")
            print(f"{kind}-{name}{suffix}: {len(history.events)} events")


async def main(names: list[str]) -> None:
    """Record the scenes named, or those that have no history yet."""
    for name in names or [name for name in SCENES if not histories_of(name)]:
        async with local_server(events=SCENES[name].events) as env:
            await record(env, name, SCENES[name])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
