import ast
from collections.abc import Iterator

import pytest

from tests.house.sources import listed, modules, parsed, shown

PINNED = {"workflow.defn", "activity.defn"}


def unpinned(tree: ast.Module) -> Iterator[str]:
    """The workflows and activities in ``tree`` whose name on the wire is only their name in the code."""
    for node in ast.walk(tree):
        for decorator in getattr(node, "decorator_list", []):
            call = decorator if isinstance(decorator, ast.Call) else None
            said = ast.unparse(call.func if call else decorator)
            named = call is not None and any(keyword.arg == "name" for keyword in call.keywords)
            if said in PINNED and not named:
                yield getattr(node, "name", "?")


def test_every_wire_name_is_pinned() -> None:
    """Renaming a class or a function never orphans a deliberation that runs: names on the wire are written out."""
    places = modules("workflows", "activities", "worker.py")
    found = [f"{shown(path)}: {name}" for path in places for name in unpinned(parsed(path))]

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
    assert 1 == len(list(unpinned(ast.parse(source))))


def test_a_pinned_name_is_accepted() -> None:
    """A name that is written out is fine."""
    found = list(unpinned(ast.parse('@workflow.defn(name="W")\nclass W: ...')))

    assert not found, listed(found)
