"""A real Temporal server for tests: our own embedded one, in a directory and on ports of its own."""

import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from temporalio.common import SearchAttributeKey

from runtime.server_address import resolve_server
from runtime.settings import Settings
from runtime.target import Target

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


def free_port() -> int:
    """A port of this machine on which nothing listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def free_ports() -> dict[str, int]:
    """A free port for everything that listens in an installation; no two are the same."""
    with ExitStack() as held:
        probes = {name: held.enter_context(socket.socket()) for name in PORTS}
        for probe in probes.values():
            probe.bind(("127.0.0.1", 0))
        return {name: probe.getsockname()[1] for name, probe in probes.items()}


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


@asynccontextmanager
async def real_server(home: Path, columns: Iterable[SearchAttributeKey[Any]] = ()) -> AsyncIterator[RunningServer]:
    """An embedded server in ``home`` that knows ``columns``; stopped at the end."""
    settings = settings_in(home, sandbox=True)
    async with resolve_server(settings, target_of(settings), columns) as found:
        yield RunningServer(settings=settings, address=found.address)
