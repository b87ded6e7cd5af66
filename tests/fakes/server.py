"""A real Temporal server for tests: our own embedded one, in a directory and on ports of its own."""

import dataclasses
import functools
import itertools
import os
import random
import socket
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import ClientConfig, Plugin
from temporalio.common import SearchAttributeKey
from temporalio.service import ConnectConfig, GrpcCompression, ServiceClient
from temporalio.testing import WorkflowEnvironment

from runtime import server_flags, server_process
from runtime.local_server import ignore_messages, joined_server
from runtime.server_address import resolve_server
from runtime.server_lock import ServerInfo
from runtime.settings import Settings
from runtime.target import Target
from tests.fakes.converter import CONVERTER
from tests.fakes.ending import program_with_parent
from workflows import search_attributes

PORTS = ("server", "ui", "codec", "rehearsal", "http", "server_metrics")
"""The settings ``<name>_port`` of an installation."""


@dataclass(frozen=True)
class RunningServer:
    """A server that answers, and the settings of a process that uses it."""

    settings: Settings
    address: str

    @property
    def target(self) -> Target:
        """The server as ``connect`` and its kin take it."""
        return target_of(self.settings)


_SECONDS_TO_END = 10

_NOT_FOR_CLIENTS = range(10_000, 32_768)
"""Ports that Linux gives to no outgoing connection, so that none takes one before a server listens on it."""
_MOST_PROCESSES = 16
"""Processes of one run of the tests that have ports of their own: none is taken before the server that is to listen."""


def free_port() -> int:
    """A port of this machine on which nothing listens now; the next one is another."""
    return next(port for port in _candidates(os.getpid()) if _is_free(port))


def free_ports() -> dict[str, int]:
    """A free port for everything that listens in an installation; no two are the same."""
    return {name: free_port() for name in PORTS}


@functools.cache
def _candidates(process: int) -> Iterator[int]:
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    own = _NOT_FOR_CLIENTS[number % _MOST_PROCESSES :: _MOST_PROCESSES]
    return itertools.cycle(random.SystemRandom().sample(own, len(own)))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def port_variables() -> dict[str, str]:
    """Free ports for a whole installation, as its processes read them."""
    return {f"PARLEY_{name.upper()}_PORT": str(port) for name, port in free_ports().items()}


def settings_in(home: Path, **chosen: Any) -> Settings:
    """Settings of an installation in ``home`` with free ports, whatever the environment says."""
    ports = {f"{name}_port": port for name, port in free_ports().items()}
    return Settings.model_validate({"home": home, "blobs": home / "blobs", **ports, **chosen})


def target_of(settings: Settings) -> Target:
    """This machine's ``server_port``, as if nothing were configured."""
    return Target(address=f"127.0.0.1:{settings.server_port}", namespace="default", configured=False)


def end_left_servers() -> None:
    """Wait for the servers that tests have left to their end, and end those that run on; Python warns of any other."""
    for child in server_process._left_running:
        with suppress(subprocess.TimeoutExpired):
            child.wait(_SECONDS_TO_END)
        child.kill()
        child.wait()


@asynccontextmanager
async def embedded_server(
    settings: Settings,
    columns: Iterable[SearchAttributeKey[Any]] = (),
    notify: Callable[[str], None] = ignore_messages,
) -> AsyncIterator[ServerInfo]:
    """A server that this process owns; stopped at the end."""
    joined = joined_server(settings, "default", columns, notify, within=_SECONDS_TO_END, outwaited=True)
    async with joined as (note, is_owned):
        assert is_owned
        yield note


@asynccontextmanager
async def real_server(home: Path, columns: Iterable[SearchAttributeKey[Any]] = ()) -> AsyncIterator[RunningServer]:
    """An embedded server in ``home`` that knows ``columns``; stopped at the end."""
    settings = settings_in(home, sandbox=True)
    async with resolve_server(settings, target_of(settings), columns) as found:
        yield RunningServer(settings=settings, address=found.address)


class Uncompressed(Plugin):
    """A client that leaves its requests and the answers as they are, as ours do within one machine."""

    def configure_client(self, config: ClientConfig) -> ClientConfig:
        """Change nothing."""
        return config

    async def connect_service_client(
        self,
        config: ConnectConfig,
        next: Callable[[ConnectConfig], Awaitable[ServiceClient]],  # noqa: A002 - the SDK's name
    ) -> ServiceClient:
        """Connect without compression."""
        return await next(dataclasses.replace(config, grpc_compression=GrpcCompression.NONE))


@asynccontextmanager
async def local_server(*, events: int | None = None) -> AsyncIterator[WorkflowEnvironment]:
    """A real server in memory that knows the list columns; after ``events`` it suggests to continue in another run."""
    suggestion = ["--dynamic-config-value", f"limit.historyCount.suggestContinueAsNew={events}"]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in server_flags.environment().items():
            patch.setenv(name, value)
        started = await WorkflowEnvironment.start_local(
            data_converter=CONVERTER,
            plugins=[Uncompressed()],
            search_attributes=search_attributes.ALL,
            dev_server_existing_path=str(program_with_parent(server_flags.program())),
            dev_server_extra_args=[*server_flags.dynamic_config(), *(suggestion if events else [])],
        )
    async with started:
        yield started
