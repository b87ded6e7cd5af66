"""The files that the tests in this folder check: those of the project, without the files that tools create."""

import ast
import fnmatch
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = (
    *("protocols", "ledger", "activities", "workflows", "parley", "studies", "report", "starter"),
    *("runtime", "rehearsal", "bench", "deploy", "worker.py"),
)
"""The packages and the module that the limits of length and the rules of prose apply to."""

_NEVER = (".git", "*.pyc")


@dataclass(frozen=True)
class Function:
    """One function or method and how long it is, signature and docstring included."""

    path: Path
    name: str
    line: int
    lines: int
    is_workflow_run: bool

    def __str__(self) -> str:
        return f"{shown(self.path)}:{self.line} {self.name} has {self.lines} lines"


def shown(path: Path) -> str:
    """``path`` from the root of the project."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def listed(complaints: Iterable[object]) -> str:
    """One complaint a line, for the person who has to act on them."""
    return "\n" + "\n".join(map(str, complaints))


@cache
def files() -> Sequence[Path]:
    """Every file that is not ignored, in order; looked for once, because every test of this folder asks for them."""
    ignored = [*_NEVER, *(ROOT / ".gitignore").read_text("utf-8").split()]
    found: list[Path] = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if not _is_ignored(name, ignored))
        found += (Path(folder) / name for name in sorted(names) if not _is_ignored(name, ignored))
    return found


def texts() -> Iterator[tuple[Path, str]]:
    """Every file that can be read as UTF-8, with what it states."""
    for path in files():
        try:
            yield path, path.read_text("utf-8")
        except UnicodeDecodeError:
            continue


def modules(*places: str) -> Iterator[Path]:
    """The Python files under ``places``, which are names from the root; all of the project by default."""
    roots = tuple(str(ROOT / place) for place in places) or (str(ROOT),)
    below = tuple(f"{root}{os.sep}" for root in roots)
    yield from (path for path, name in _named_modules() if name in roots or name.startswith(below))


def parsed(path: Path) -> ast.Module:
    """The syntax tree of the Python file ``path``."""
    return ast.parse(path.read_text("utf-8"), filename=str(path))


def nodes(tree: ast.AST) -> Sequence[ast.AST]:
    """The nodes of ``tree`` in the order of ``ast.walk``, which takes thrice as long; contexts are left out."""
    found = [tree]
    for node in found:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                found += [one for one in value if isinstance(one, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                found.append(value)
    return found


def statements(tree: ast.Module) -> Sequence[ast.AST]:
    """The statements of ``tree``, nested ones too, and what they are nested in; no expressions."""
    found: list[ast.AST] = [tree]
    for node in found:
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            value = getattr(node, name, None)
            found += value if isinstance(value, list) else ()
    return found


def functions(path: Path) -> Iterator[Function]:
    """Every function in ``path``, nested ones too."""
    for node in statements(parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            last = node.end_lineno or node.lineno
            decorators = {ast.unparse(one) for one in node.decorator_list if isinstance(one, ast.Attribute)}
            yield Function(path, node.name, node.lineno, last - node.lineno + 1, "workflow.run" in decorators)


@cache
def _named_modules() -> Sequence[tuple[Path, str]]:
    return [(path, str(path)) for path in files() if path.suffix == ".py"]


def _is_ignored(name: str, patterns: list[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern.rstrip("/")) for pattern in patterns)
