"""The texts of scripted models, in the TOML files of ``scripts``."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read_script(name: str) -> dict[str, Any]:
    """Return the content of the file ``name`` of ``scripts``."""
    return tomllib.loads(files(__package__).joinpath("scripts", f"{name}.toml").read_text("utf-8"))
