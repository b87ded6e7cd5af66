"""What a stopped worker leaves in flight is closed by the garbage collector, where no workflow API works."""

import ast
import gc
import sys
from typing import Any

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.testing import WorkflowEnvironment

from tests.fakes.debates import arguing, debate_of
from tests.fakes.models import ScriptedModels
from tests.repository.sources import listed, modules, parsed, shown
from tests.workflows import holding
from tests.workflows.conftest import staff
from tests.workflows.test_debate import SURE, lively
from tests.workflows.test_debate_changes import waits
from workflows.debate import DebateWorkflow

CATCHES_ALL = {"BaseException", "GeneratorExit"}


def closing_calls(tree: ast.Module) -> list[int]:
    """The lines of the calls that are made when a coroutine is closed: in ``finally`` and where all is caught."""
    blocks: list[ast.stmt] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Try | ast.TryStar):
            blocks += node.finalbody
            for handler in node.handlers:
                names = {one.id for one in ast.walk(handler.type) if isinstance(one, ast.Name)} if handler.type else {}
                blocks += handler.body if not names or CATCHES_ALL & {*names} else []
    return [node.lineno for block in blocks for node in ast.walk(block) if isinstance(node, ast.Call)]


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("finally:\n    board.wait_for('')", [4]),
        ("except BaseException:\n    board.wait_for('')", [4]),
        ("except (ValueError, GeneratorExit):\n    board.wait_for('')", [4]),
        ("except:\n    board.wait_for('')", [4]),
        ("finally:\n    del calls[seat]", []),
        ("except TimeoutError:\n    board.wait_for('')", []),
    ],
)
def test_a_call_that_is_made_at_closing_is_seen(clause: str, expected: list[int]) -> None:
    """The check itself notices every clause that runs when a coroutine is closed."""
    assert expected == closing_calls(ast.parse(f"try:\n    await it\n{clause}"))


def test_no_workflow_calls_anything_when_it_is_closed() -> None:
    """A workflow that is no longer run cleans up nothing: what it would call raises outside its event loop."""
    found = [f"{shown(path)}:{line}" for path in modules("workflows") for line in closing_calls(parsed(path))]

    assert not found, listed(found)


@pytest.mark.parametrize(
    ("script", "changes"),
    [(arguing(**SURE), {}), (lively(), {"high_stakes": ("security",)})],
    ids=["escalation", "approval"],
)
async def test_a_debate_that_waits_for_a_person_is_closed_in_silence(
    env: WorkflowEnvironment, script: Any, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that ends while a debate waits at a gate leaves it to the garbage collector, and nothing is raised."""
    raised: list[object] = []
    async with staff(env, ScriptedModels(script)):
        handle = await holding.start(env, DebateWorkflow.run, debate_of(**changes))
        await waits(handle)
    monkeypatch.setattr(sys, "unraisablehook", lambda args: raised.append(args.exc_value))
    gc.collect()
    await handle.terminate()

    assert [] == raised


async def test_a_debate_that_is_cancelled_at_a_gate_waits_for_nobody(env: WorkflowEnvironment) -> None:
    """A cancellation is the one end at a gate that the screens still see."""
    async with staff(env, ScriptedModels(lively())):
        handle = await holding.start(env, DebateWorkflow.run, debate_of(high_stakes=("security",)))
        await waits(handle)
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await handle.result()
        waiting, state = await handle.query(DebateWorkflow.waiting), await handle.query(DebateWorkflow.state)

    assert (None, "") == (waiting, state.waits_for)
