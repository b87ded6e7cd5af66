"""The threads of workflow code: a short step goes before the event loop, a long one beside it."""

import asyncio
import threading

import pytest

from runtime.workflow_threads import WorkflowThreads

_LONG = 30.0


async def test_a_short_step_has_ended_before_the_event_loop_goes_on() -> None:
    """The loop does not compute beside a step: what it would do next comes after the step's end, in another thread."""
    with WorkflowThreads(alone=_LONG) as threads:
        step = threads.submit(threading.get_ident)
        assert step.done()
        assert await asyncio.wrap_future(step) != threading.get_ident()


async def test_a_long_step_goes_on_beside_the_event_loop() -> None:
    """A step without an end holds up the loop for a moment only, so that the SDK can give it up."""
    go_on = threading.Event()
    with WorkflowThreads(alone=0.001) as threads:
        step = threads.submit(go_on.wait, _LONG)
        assert not step.done()
        go_on.set()
        assert await asyncio.wrap_future(step)


async def test_a_step_that_fails_fails_its_future() -> None:
    """An error is the step's own: ``submit`` raises nothing."""
    with WorkflowThreads(alone=_LONG) as threads:
        step = threads.submit(int, "none")
        with pytest.raises(ValueError, match="none"):
            await asyncio.wrap_future(step)
