"""A test that leaves an event loop open fails itself."""

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tests.fakes.open_loops import OpenLoops


@pytest.fixture
def loops() -> Iterator[OpenLoops]:
    """A check of our own, beside the one of all tests."""
    with pytest.MonkeyPatch.context() as patch:
        yield OpenLoops(patch)


def set_up(loops: OpenLoops, scope: str) -> asyncio.AbstractEventLoop:
    """Return the loop that a fixture of this scope makes."""
    fixture: Any = SimpleNamespace(scope=scope)
    steps = loops.pytest_fixture_setup(fixture)
    next(steps)
    made = asyncio.new_event_loop()
    with pytest.raises(StopIteration):
        steps.send(made)
    return made


def test_every_test_is_looked_at(request: pytest.FixtureRequest) -> None:
    """The check is a plugin of every run."""
    assert any(isinstance(plugin, OpenLoops) for plugin in request.config.pluginmanager.get_plugins())


@pytest.mark.parametrize("scope", [None, "function"])
def test_a_loop_left_open_fails_the_test_once(loops: OpenLoops, scope: str | None) -> None:
    """One of the test itself or of a fixture of it alone; it is closed, so that no later test pays for it."""
    left = set_up(loops, scope) if scope else asyncio.new_event_loop()
    with pytest.raises(pytest.fail.Exception, match="1 event loop"):
        loops.look()
    assert left.is_closed()
    loops.look()


def test_a_closed_loop_and_one_of_a_session_are_left_alone(loops: OpenLoops) -> None:
    """A loop that a wider fixture opens is closed by that fixture."""
    asyncio.new_event_loop().close()
    session = set_up(loops, "session")
    loops.look()
    assert not session.is_closed()
    session.close()


def test_what_replaces_asyncio_fails_the_test_once(loops: OpenLoops, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that patches ``asyncio.run`` for itself changes every test after it."""
    monkeypatch.setattr(asyncio, "run", print)
    with pytest.raises(pytest.fail.Exception, match="replaces parts of asyncio"):
        loops.look()
    loops.look()
