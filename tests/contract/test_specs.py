"""What every specification of a protocol must fit."""

import subprocess
import sys
from typing import get_type_hints

import pytest

from parley.specs import PROTOCOLS
from workflows.type_names import DELIBERATIONS


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_specification_has_the_name_of_its_line(name: str) -> None:
    """Command, study file and results find the same protocol under one name."""
    assert name == PROTOCOLS[name].name


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_workflow_takes_the_input_and_returns_the_result(name: str) -> None:
    """Module, class and wire name of the workflow follow from the protocol's name, and its types are the protocol's."""
    spec = PROTOCOLS[name]
    definition = vars(spec.workflow)["__temporal_workflow_definition"]

    assert spec.workflow_type == definition.name
    assert spec.result is get_type_hints(spec.workflow.run)["return"]
    assert spec is PROTOCOLS.of_workflow(definition.name)


def test_the_workflow_types_are_those_of_the_table() -> None:
    """The list by which unknown types are refused names every protocol."""
    assert DELIBERATIONS == PROTOCOLS.workflow_types


def test_the_table_is_read_without_any_protocol() -> None:
    """The command line's help lists all protocols without importing one of them, or Temporal's SDK."""
    code = "import sys; from parley.specs import PROTOCOLS; list(PROTOCOLS); print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert not {"temporalio", "protocols.council", "workflows.council"} & set(found)
