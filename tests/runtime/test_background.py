"""Work beside a block."""

import asyncio
from typing import NoReturn

import pytest

from runtime.background import run_in_background


async def fails() -> NoReturn:
    """Work that ends with an error."""
    await asyncio.sleep(0)
    raise OSError("the disk is full")


async def goes_on() -> NoReturn:
    """Work that never ends."""
    await asyncio.Event().wait()
    raise AssertionError


async def test_work_that_fails_ends_the_block_with_its_error() -> None:
    """What continues in the block is cancelled, and the error of the work comes out of it."""
    with pytest.raises(OSError, match="the disk is full"):
        async with run_in_background(fails()):
            await asyncio.Event().wait()


async def test_work_ends_with_the_block() -> None:
    """At the end of the block the work is cancelled, and the block ends as it would without it."""
    async with run_in_background(goes_on()):
        pass

    with pytest.raises(KeyError):
        async with run_in_background(goes_on()):
            raise KeyError


async def test_a_block_that_is_cancelled_from_outside_ends_as_cancelled() -> None:
    """A cancellation from outside stays one, whatever the work does."""

    async def block() -> None:
        async with run_in_background(goes_on()):
            await asyncio.Event().wait()

    task = asyncio.create_task(block())
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
