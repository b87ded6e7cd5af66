"""A clean environment, and one real server, for the tests of studies."""

import pytest

from tests.fakes.server import RunningServer


@pytest.fixture(autouse=True)
def bare_environment(clean_environment: None) -> None:
    """Nothing of the machine reaches a test, and nothing that a test sets stays."""


@pytest.fixture
def server(real_parley_server: RunningServer) -> RunningServer:
    """The real server that these tests share."""
    return real_parley_server
