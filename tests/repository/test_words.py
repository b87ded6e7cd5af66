import ast
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.repository.sources import files, listed, modules, parsed, shown, statements, texts

BANNED_NAMES = {"utils", "util", "helpers", "common", "shared", "misc", "base", "manager", "service", "core", "logic"}
MOCKING = "unittest" + ".mock"

# In pieces, so that this file does not say what no file may say.
REGISTRIES = [
    *("py" + "pi.org", "python" + "hosted.org", "npm" + "js.", "ghcr" + ".io", "quay" + ".io"),
    *("registry" + ".", "anaconda" + ".org", "conda" + "-forge", "proxy.gol" + "ang", "crates" + ".io"),
]
PLACES = ("work", "root", "Users", "opt/wheels", "var/folders")
MACHINE_PATH = re.compile(r"(?<![\w./{}~])/" + f"(?:{'|'.join(PLACES)})" + r"(?![\w-])")
MARKS = ("TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK")
UNFINISHED = re.compile(rf"\b(?:{'|'.join(MARKS)})\b")

NOQA = re.compile(r"#\s*noqa\b(?P<rest>.*)")
NOQA_WITH_REASON = re.compile(r": [A-Z]+\d+(?:, [A-Z]+\d+)* - \S")
IGNORE = re.compile(r"#\s*type:\s*ignore(?P<rest>.*)")
IGNORE_WITH_REASON = re.compile(r"\[[a-z-]+(?:, [a-z-]+)*\]\s+# \S")


def complaint(line: str) -> str | None:
    """What is wrong with a suppression in ``line``, if there is one and something is."""
    noqa, ignore = NOQA.search(line), IGNORE.search(line)
    if noqa and not NOQA_WITH_REASON.match(noqa["rest"]):
        return "write: noqa: CODE - reason"
    if ignore and not IGNORE_WITH_REASON.match(ignore["rest"]):
        return "write: type: ignore[code]  # reason"
    return None


def mentions(pattern: re.Pattern[str], parts: Iterable[str]) -> list[str]:
    """Every line of the project that ``pattern`` finds, as file:line: text; one of ``parts`` is in each of them."""
    return [
        f"{shown(path)}:{number}: {line.strip()[:100]}"
        for path, text in texts()
        if any(part in text for part in parts)
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def imports_of(tree: ast.Module) -> set[str]:
    """Every module that is imported by name, wherever the statement is."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def has_docstring(node: ast.AST) -> bool:
    """Whether the function says in words what it is about."""
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and bool(ast.get_docstring(node))


def undocumented(path: Path) -> list[str]:
    """The tests, fixtures and public doubles in ``path`` without a docstring; functions inside functions are free."""
    tree = parsed(path)
    classes = [node for node in statements(tree) if isinstance(node, ast.ClassDef)]
    stated = [
        n
        for body in (tree.body, *(c.body for c in classes))
        for n in body
        if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return [f"{shown(path)}:{n.lineno} {n.name}" for n in stated if not n.name.startswith("_") and not has_docstring(n)]


def test_no_file_has_a_name_that_states_nothing() -> None:
    """A name says what is in the file: nothing is called utils, helpers, common or the like."""
    found = [shown(path) for path in files() if {path.stem, path.parent.name} & BANNED_NAMES]

    assert not found, listed(found)


def test_nothing_is_mocked() -> None:
    """A fake is a real implementation of the port; no file imports the standard library's mocks."""
    named = [path for path in modules() if MOCKING.rpartition(".")[2] in path.read_text("utf-8")]
    found = [shown(path) for path in named if MOCKING in imports_of(parsed(path))]

    assert not found, listed(found)


@pytest.mark.parametrize("path", ["/" + "work", "cd /" + "root/x", "'/" + "Users/me'", "(/" + "root)"])
def test_a_path_of_one_machine_is_seen(path: str) -> None:
    """The check itself notices a folder of one machine, with and without something below it."""
    assert MACHINE_PATH.search(path)


@pytest.mark.parametrize(
    "path",
    [
        f"{before}/{after}"
        for before, after in (
            *((".", "work/x"), ("", "works"), ("", "work-station")),
            *(("docs", "work"), ("~", "root"), ("https://a.example", "work")),
        )
    ],
)
def test_a_path_that_exists_everywhere_is_accepted(path: str) -> None:
    """Paths below a folder of the project, and addresses, belong to no machine."""
    assert not MACHINE_PATH.search(path)


@pytest.mark.parametrize("statement", ["import " + MOCKING, "from unittest import mock", f"from {MOCKING} import Mock"])
def test_a_mock_is_seen_however_it_is_imported(statement: str) -> None:
    """The check itself notices every way to write it."""
    assert MOCKING in imports_of(ast.parse(statement))


def test_no_registry_is_named() -> None:
    """Where packages and images come from is the machine's business; no file names a registry's host."""
    found = [
        shown(path) for path, text in texts() for small in [text.lower()] if any(one in small for one in REGISTRIES)
    ]

    assert not found, listed(found)


def test_no_path_of_one_machine_is_written_down() -> None:
    """What works here works in any folder: no file holds an absolute path of another user's machine."""
    found = mentions(MACHINE_PATH, [f"/{place}" for place in PLACES])

    assert not found, listed(found)


def test_nothing_is_left_for_later() -> None:
    """No comment marks unfinished work."""
    found = mentions(UNFINISHED, MARKS)

    assert not found, listed(found)


def test_every_suppression_has_a_code_and_a_reason() -> None:
    """A suppression names its check and the reason."""
    samples = Path(__file__)
    paths = [path for path in modules() if path != samples]
    lines = [(path, n, line) for path in paths for n, line in enumerate(path.read_text("utf-8").splitlines(), 1)]
    found = [f"{shown(path)}:{n} {said}" for path, n, line in lines if (said := complaint(line))]

    assert not found, listed(found)


@pytest.mark.parametrize(
    "line",
    ["x  # noqa", "x  # noqa: E501", "x  # noqa: E501 because", "x  # type: ignore", "x  # type: ignore[misc]"],
)
def test_a_bare_suppression_is_seen(line: str) -> None:
    """The check itself notices a suppression without code or reason."""
    assert complaint(line)


@pytest.mark.parametrize("line", ["x  # noqa: E501, S101 - a quotation", "x  # type: ignore[misc]  # a fake", "x = 1"])
def test_a_reasoned_suppression_is_accepted(line: str) -> None:
    """A suppression with code and reason, and a line without one, are fine."""
    assert not complaint(line)


def test_every_test_states_its_rule() -> None:
    """Each test states the rule that it checks, and each fixture and fake what it means."""
    found = [said for path in modules("tests") for said in undocumented(path)]

    assert not found, listed(found)


def test_every_module_states_why_it_exists() -> None:
    """Every file outside the tests begins with a docstring."""
    outside = [path for path in modules() if not shown(path).startswith("tests/")]
    unclear = [path for path in outside if not path.read_text("utf-8").startswith('"""')]
    found = [shown(path) for path in unclear if not ast.get_docstring(parsed(path))]

    assert not found, listed(found)
