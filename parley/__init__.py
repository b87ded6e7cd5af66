"""Durable deliberation between language models, from Python.

    from parley import Parley

    parley = await Parley.connect()
    result = await parley.council("Why is the sky blue?")
    result = await parley.debate("Should a city close its centre to cars?", mode="adversarial")

``__init__.pyi`` beside this file lists the public names. Importing this package loads nothing else: a name is loaded
when it is first used.
"""

import ast
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any


def __getattr__(name: str) -> Any:
    """Return a public name on its first use: the Temporal SDK behind most of them takes half a second to load."""
    if name == "__version__":
        from runtime.distribution import DISTRIBUTION  # noqa: PLC0415 - nothing is loaded before it is used

        return metadata.version(DISTRIBUTION)
    if name == "__all__":
        return sorted(_modules())
    if name in _modules():
        return getattr(import_module(_modules()[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names that an interactive session completes."""
    return sorted(["__version__", *_modules()])


@cache
def _modules() -> dict[str, str]:
    """Return the module of each public name, as a type checker finds it."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}
