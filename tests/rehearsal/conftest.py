"""A rehearsal server of its own for every test."""

from collections.abc import AsyncIterator

import pytest

from rehearsal.api.server import Rehearsal


@pytest.fixture
async def stage() -> AsyncIterator[Rehearsal]:
    """A running server with seed 7."""
    async with Rehearsal(seed=7) as running:
        yield running
