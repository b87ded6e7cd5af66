"""The ports of an installation: their distances from each other, and which are free on this machine."""

import socket
from contextlib import suppress

HIGHEST_PORT = 65_535
BESIDE = {"http_port": 10, "server_metrics_port": 11, "ui_port": 1000, "codec_port": 1067, "rehearsal_port": 1166}
"""How far above the server's port each other port is by default, by the name of its setting."""


def beside(server_port: int, name: str) -> int:
    """Return the default of the port ``name``: above ``server_port``, or below it at the end of the range."""
    distance = BESIDE[name]
    return server_port + distance if server_port + distance <= HIGHEST_PORT else server_port - distance


def is_free(port: int) -> bool:
    """Return whether nothing listens on ``port`` of this machine."""
    with suppress(OSError), socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
        return True
    return False


def ports_to_set() -> str:
    """Return a setting that gives an installation free ports."""
    for port in range(7333, 30_000, 100):
        if all(map(is_free, (port, *(port + distance for distance in BESIDE.values())))):
            return f"PARLEY_SERVER_PORT={port} (the other ports move with it)"
    return "PARLEY_SERVER_PORT to a free port"
