"""What every specification of a protocol must fit."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

from parley import protocol_methods
from parley.specs import PROTOCOLS
from workflows.type_names import DELIBERATIONS


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_specification_has_the_name_of_its_line(name: str) -> None:
    """Command, study file and results find the same protocol under one name."""
    assert name == PROTOCOLS[name].name


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("prefix", ["", "start_"])
def test_a_method_of_the_client_has_its_signature_in_the_stub(prefix: str, name: str) -> None:
    """A type checker knows the method that is made of the specification, under the same first argument."""
    stub = ast.parse(Path(protocol_methods.__file__).with_suffix(".pyi").read_text("utf-8"))
    typed = {node.name: node.args.args for node in ast.walk(stub) if isinstance(node, ast.AsyncFunctionDef)}
    method = f"{prefix}{name.replace('-', '_')}"
    taken = [*inspect.signature(getattr(protocol_methods.ProtocolMethods, method)).parameters]

    assert [argument.arg for argument in typed[method]] == taken[:2]
    asked = typed[method][1].annotation
    assert asked is not None
    assert ("Judged" if PROTOCOLS[name].judges else "Question") == ast.unparse(asked)


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
