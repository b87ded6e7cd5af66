"""The build hook of the wheel: every package of the checkout below ``parley``, and its imports changed accordingly.

In a checkout the packages are at the top level (``from workflows.council import …``), as in Temporal's own samples. In
an installed wheel those names would collide with a user's ``workflows.py``, so there they have the prefix ``parley.``.
``runtime.distribution.own_module`` translates module names that are strings. An editable install is left as it is.
"""

import ast
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT_PACKAGE = "parley"
_IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc")


class WheelLayout(BuildHookInterface[Any]):
    """Writes a copy of the sources with changed imports and gives that to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the changed copy to what the wheel holds, and change the programs' entry points."""
        if version == "editable":
            return
        places = [place for place in self.config["packages"] if place != ROOT_PACKAGE]
        names = {place.removesuffix(".py") for place in places}
        self._copy = TemporaryDirectory(prefix="parley-wheel-")
        package = Path(self._copy.name, ROOT_PACKAGE)
        shutil.copytree(Path(self.root, ROOT_PACKAGE), package, ignore=_IGNORED)
        for place in places:
            add(Path(self.root, place), package)
        for file in package.rglob("*.py*"):
            file.write_text(changed(file.read_text("utf-8"), names, str(file.relative_to(package))), "utf-8")
        build_data["force_include"][str(package)] = ROOT_PACKAGE
        scripts = self.metadata.core.scripts
        scripts.update({name: f"{ROOT_PACKAGE}.{target}" for name, target in scripts.items()})

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's signature
        """Remove the copy."""
        if version != "editable":
            self._copy.cleanup()


def add(source: Path, package: Path) -> None:
    """Copy the package or module ``source`` into ``package``.

    Raises:
        FileExistsError: ``package`` has something of that name.
    """
    target = package / source.name
    if target.exists() or target.with_suffix("").exists() or target.with_suffix(".py").exists():
        raise FileExistsError(f"parley/{source.name} exists in the checkout, and {source.name} would replace it")
    if source.is_dir():
        shutil.copytree(source, target, ignore=_IGNORED)
    else:
        shutil.copyfile(source, target)


def changed(text: str, names: set[str], shown: str) -> str:
    """Return the module ``text`` with ``parley.`` before each absolute import of one of ``names``.

    Raises:
        ValueError: an import binds such a name itself (``import workflows``), which the prefix would change.
    """
    lines = text.encode().splitlines(keepends=True)  # the tree counts columns in bytes
    for line, column in sorted(places_of(ast.parse(text), names, shown), reverse=True):
        before, after = lines[line - 1][:column], lines[line - 1][column:]
        lines[line - 1] = before + f"{ROOT_PACKAGE}.".encode() + after
    return b"".join(lines).decode()


def places_of(tree: ast.Module, names: set[str], shown: str) -> list[tuple[int, int]]:
    """Return the line and the column of each imported module's name that needs the prefix."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and _top(node.module) in names:
            found.append((node.lineno, node.col_offset + len("from ")))
        elif isinstance(node, ast.Import):
            for alias in (alias for alias in node.names if _top(alias.name) in names):
                if not alias.asname:
                    raise ValueError(f"{shown}:{node.lineno}: write `from … import`, or `import {alias.name} as …`")
                found.append((alias.lineno, alias.col_offset))
    return found


def _top(module: str | None) -> str:
    return (module or "").partition(".")[0]
