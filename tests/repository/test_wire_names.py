import ast
from collections.abc import Iterator

import pytest

from tests.repository.sources import listed, modules, parsed, shown

DEFINED = {"workflow.defn", "activity.defn"}
SPOKEN = {"workflow.update", "workflow.query", "workflow.signal"}


def marked(tree: ast.Module, marks: set[str]) -> Iterator[tuple[str, str, dict[str, ast.expr]]]:
    """Every class and function under one of the decorators ``marks``: the mark, its own name, the mark's keywords."""
    for node in ast.walk(tree):
        for decorator in getattr(node, "decorator_list", []):
            call = decorator if isinstance(decorator, ast.Call) else None
            said = ast.unparse(call.func if call else decorator)
            if said in marks:
                keywords = {k.arg: k.value for k in call.keywords if k.arg} if call else {}
                yield said, getattr(node, "name", "?"), keywords


def unpinned(tree: ast.Module) -> list[str]:
    """The workflows and activities in ``tree`` whose name on the wire is only their name in the code."""
    found = [(name, keywords) for _, name, keywords in marked(tree, DEFINED) if "dynamic" not in keywords]
    return [name for name, keywords in found if "name" not in keywords]


def undescribed(tree: ast.Module) -> list[str]:
    """The updates, queries and signals in ``tree`` of which the Web UI could say nothing."""
    return [name for _, name, keywords in marked(tree, SPOKEN) if "description" not in keywords]


def places() -> Iterator[tuple[str, ast.Module]]:
    """Where names on the wire are given."""
    return ((shown(path), parsed(path)) for path in modules("workflows", "activities", "worker.py"))


def test_every_wire_name_is_pinned() -> None:
    """Renaming a class or a function never orphans a deliberation that runs: names on the wire are written out."""
    found = [f"{place}: {name}" for place, tree in places() for name in unpinned(tree)]

    assert not found, listed(found)


def test_everything_that_can_be_said_to_a_run_is_described() -> None:
    """The Web UI describes each update, query and signal."""
    found = [f"{place}: {name}" for place, tree in places() for name in undescribed(tree)]

    assert not found, listed(found)


@pytest.mark.parametrize(
    "source",
    [
        "@workflow.defn\nclass W: ...",
        "@workflow.defn()\nclass W: ...",
        "@activity.defn\ndef a(): ...",
        "class A:\n    @activity.defn(no_thread_cancel_exception=True)\n    async def a(self): ...",
    ],
)
def test_an_unpinned_name_is_seen(source: str) -> None:
    """The check itself notices a workflow or an activity without a written name."""
    assert 1 == len(unpinned(ast.parse(source)))


def test_a_pinned_name_is_accepted() -> None:
    """A name that is written out is fine."""
    found = unpinned(ast.parse('@workflow.defn(name="W")\nclass W: ...'))

    assert not found, listed(found)


@pytest.mark.parametrize("mark", sorted(SPOKEN))
@pytest.mark.parametrize("given", ["", "()", '(name="x")'])
def test_a_missing_description_is_seen(mark: str, given: str) -> None:
    """The check itself notices an update, a query or a signal without a description."""
    tree = ast.parse(f"class W:\n    @{mark}{given}\n    def said(self): ...")

    assert ["said"] == undescribed(tree)
