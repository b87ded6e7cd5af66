"""The workflow of a protocol, found by the protocol's name.

``fire-circle`` is the protocol, ``fire_circle`` the module of its workflow, ``FireCircleWorkflow`` the class and
``FireCircle`` the workflow type on the wire.
"""

from importlib import import_module
from typing import Any


def module_name(protocol: str) -> str:
    """Return the name of the modules of ``protocol``."""
    return protocol.replace("-", "_")


def wire_name(protocol: str) -> str:
    """Return the workflow type of ``protocol``."""
    return "".join(part.capitalize() for part in protocol.split("-"))


def class_of(protocol: str) -> type[Any]:
    """Import the workflow of ``protocol`` and return its class."""
    module = import_module(f"{__package__}.{module_name(protocol)}")
    workflow: type[Any] = getattr(module, f"{wire_name(protocol)}Workflow")
    return workflow
