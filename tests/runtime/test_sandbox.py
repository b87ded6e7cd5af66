"""What workflow code may bring into the sandbox."""

import importlib
import inspect
import pkgutil
from pathlib import Path
from typing import Any

import pytest
from temporalio import workflow
from temporalio.worker import UnsandboxedWorkflowRunner
from temporalio.worker.workflow_sandbox import UnintentionalPassthroughError

import workflows
from runtime.plugin import PASSED_THROUGH, parley_plugin, sandboxed
from runtime.settings import Settings
from tests.fakes.parrot import Parrot
from tests.fakes.unlisted_import import Stowaway


def load(flow: type, *more: str) -> None:
    """Load ``flow`` into the sandbox as a worker does when it starts."""
    sandboxed(*more).prepare_workflow(workflow._Definition.must_from_class(flow))


def defined() -> list[type]:
    """Every workflow that the project defines."""
    modules = [importlib.import_module(f"workflows.{found.name}") for found in pkgutil.iter_modules(workflows.__path__)]
    classes = {c for module in modules for _, c in inspect.getmembers(module, inspect.isclass)}
    return sorted((c for c in classes if "__temporal_workflow_definition" in vars(c)), key=lambda c: c.__name__)


async def test_listed_workflow_loads() -> None:
    """A workflow that imports only what is listed is loaded."""
    load(Parrot)

    assert "protocols" in PASSED_THROUGH


async def test_unlisted_module_is_refused_by_name() -> None:
    """A module on no list is an error that names it when the worker starts."""
    with pytest.raises(UnintentionalPassthroughError, match=r"tests\.fakes\.unlisted_values"):
        load(Stowaway)


async def test_list_can_be_longer_for_a_test() -> None:
    """A caller may pass further modules through."""
    load(Stowaway, "tests.fakes.unlisted_values")

    assert "tests.fakes.unlisted_values" not in PASSED_THROUGH


async def test_list_covers_every_workflow() -> None:
    """The list names everything that our own workflows import, and none of the workflows themselves."""
    flows = defined()
    for flow in flows:
        load(flow)

    assert flows
    assert not {flow.__module__ for flow in flows} & set(PASSED_THROUGH)


@pytest.mark.parametrize(("chosen", "runner"), [({}, UnsandboxedWorkflowRunner), ({"sandbox": True}, sandboxed)])
def test_setting_states_whether_workflows_run_in_the_sandbox(tmp_path: Path, chosen: Any, runner: Any) -> None:
    """A worker runs its workflows without the sandbox unless the setting asks for it."""
    plugin = parley_plugin(Settings(home=tmp_path, **chosen))

    expected = runner if isinstance(runner, type) else type(runner())
    assert isinstance(plugin.workflow_runner, expected)
