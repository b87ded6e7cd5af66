"""A check after every test: no event loop of its own is left open, and asyncio is as Python has it."""

import asyncio
from collections.abc import Generator
from typing import Any
from weakref import WeakSet

import pytest

_CONSTRUCT = asyncio.BaseEventLoop.__init__


class OpenLoops:
    """A pytest plugin: it fails the test that leaves a loop open, and not the later one in which Python finds it."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        """Remember from now on every loop that is made."""
        self._made: WeakSet[asyncio.BaseEventLoop] = WeakSet()
        self._asyncio = asyncio.run, asyncio.Task
        self._allowed: WeakSet[asyncio.BaseEventLoop] = WeakSet()

        def remember(loop: asyncio.BaseEventLoop) -> None:
            _CONSTRUCT(loop)
            self._made.add(loop)

        patch.setattr(asyncio.BaseEventLoop, "__init__", remember)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        """Leave alone the loops of fixtures that outlive a test."""
        before = set(self._made)
        made = yield
        if fixturedef.scope != "function":
            self._allowed.update(self._made - before)
        return made

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, object]:
        """Look once the fixtures of a test have ended."""
        ended = yield
        self.look()
        return ended

    def look(self) -> None:
        """Fail where a test left something of asyncio behind, and close what it left."""
        left = [loop for loop in self._made - self._allowed if not loop.is_closed()]
        self._allowed.update(left)
        for loop in left:
            if not loop.is_running():
                loop.close()
        if left:
            pytest.fail(f"this test leaves {len(left)} event loop(s) open; close them, or end the thread of each")
        if (asyncio.run, asyncio.Task) != self._asyncio:
            self._asyncio = asyncio.run, asyncio.Task
            pytest.fail("this test replaces parts of asyncio for all that follow; call what does it off the loop")
