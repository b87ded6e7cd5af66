"""Ids and names written literally in tests that share a server: what one test begins there, another one would find."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path

from tests.repository.sources import nodes, parsed

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

KEYWORDS = {"id", "new_id", "workflow_id", "deliberation_id", "name", "study", "run"}
"""Parameters and keywords that take the id of a deliberation or the name of a study or of a screening."""

OPTIONS = {"--id", "--name", "--run"}

SERVERS = ("RunningServer", "Parley", "Installation", "WorkflowEnvironment")
"""A fixture of a module or of the session that is one of these is shared."""


@dataclass(frozen=True)
class TestFile:
    """One file of tests, and the files that it takes fixtures from, the nearest first."""

    path: Path
    above: tuple["TestFile", ...] = ()

    @cached_property
    def functions(self) -> dict[str, FunctionNode]:
        """Its functions and methods by name."""
        top = parsed(self.path).body
        methods = (node for one in top if isinstance(one, ast.ClassDef) for node in one.body)
        return {node.name: node for node in (*top, *methods) if isinstance(node, FunctionNode)}

    def fixture(self, name: str) -> FunctionNode | None:
        """The definition of the fixture ``name`` that a test here is given."""
        found = (place.functions.get(name) for place in (self, *self.above))
        return next((one for one in found if _scope(one)), None)

    def servers(self, function: FunctionNode) -> set[str]:
        """The shared servers that reach ``function`` through its fixtures."""
        found = set()
        for name in [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]:
            if (definition := self.fixture(name)) is None or definition is function:
                continue
            if _scope(definition) != "function" and _is_server(definition):
                found.add(name if _scope(definition) == "session" else f"{name} of {self.path}")
            found |= self.servers(definition)
        return found

    def literals(self, function: FunctionNode, seen: tuple[str, ...] = ()) -> set[str]:
        """The ids and names that ``function`` and the functions of this file that it calls have in their code."""
        found = set()
        for node in nodes(function):
            if isinstance(node, ast.Call):
                found |= set(_strings(self._given(node)))
                called = self._called(node)
                if called and called.name not in seen:
                    found |= self.literals(called, (*seen, called.name))
            elif isinstance(node, ast.Tuple | ast.List):
                found |= set(_strings(_options(node.elts)))
        return found

    def _called(self, call: ast.Call) -> FunctionNode | None:
        return self.functions.get(call.func.id) if isinstance(call.func, ast.Name) else None

    def _given(self, call: ast.Call) -> Iterator[ast.expr]:
        """What a call gives for a parameter that takes an id or a name."""
        yield from (keyword.value for keyword in call.keywords if keyword.arg in KEYWORDS)
        yield from _options(call.args)
        if called := self._called(call):
            pairs = zip(called.args.args, call.args, strict=False)
            yield from (value for parameter, value in pairs if parameter.arg in KEYWORDS)


def test_files(root: Path) -> list[TestFile]:
    """Every file of tests below ``root``; those of one folder have the same files above them, which are read once."""
    fixtures = cache(TestFile)
    found = []
    for path in sorted(root.rglob("test_*.py")):
        above = [folder / "conftest.py" for folder in path.parents if folder.is_relative_to(root)]
        found.append(TestFile(path, tuple(fixtures(one) for one in (*above, root / "fixtures.py") if one.exists())))
    return found


def used_twice(files: list[TestFile]) -> list[str]:
    """One complaint for each id or name that two tests, or one test with parameters, have on the same server."""
    users: dict[tuple[str, str], list[str]] = defaultdict(list)
    for file in files:
        for function in file.functions.values():
            if not function.name.startswith("test_"):
                continue
            times = 2 if any("parametrize" in _name(one) for one in function.decorator_list) else 1
            for server in file.servers(function):
                for value in file.literals(function):
                    users[server, value] += [f"{file.path.name}::{function.name}"] * times
    return [
        f"{value!r} on {server}: {', '.join(sorted(set(tests)))}"
        for (server, value), tests in sorted(users.items())
        if len(tests) > 1
    ]


@cache
def _scope(function: FunctionNode | None) -> str | None:
    """Return the scope of a fixture; None if ``function`` is no fixture."""
    for decorator in function.decorator_list if function else []:
        if _name(decorator).startswith("pytest.fixture"):
            text = ast.unparse(decorator)
            return next((scope for scope in ("session", "module") if f"scope='{scope}'" in text), "function")
    return None


@cache
def _is_server(fixture: FunctionNode) -> bool:
    return any(one in ast.unparse(fixture).split("->")[1] for one in SERVERS)


def _name(decorator: ast.expr) -> str:
    """Return the name of a decorator without its arguments, which may be long."""
    return ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)


def _options(words: list[ast.expr]) -> Iterator[ast.expr]:
    pairs = pairwise(words)
    yield from (value for option, value in pairs if isinstance(option, ast.Constant) and option.value in OPTIONS)


def _strings(values: Iterator[ast.expr]) -> Iterator[str]:
    yield from (value.value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str))
