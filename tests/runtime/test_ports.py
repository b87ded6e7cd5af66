"""Ports that are taken, and the one remedy that a message names."""

import re
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from runtime.errors import PortInUseError
from runtime.ports import BESIDE, is_free, ports_to_set
from runtime.server_process import refuse_taken_port
from runtime.settings import Settings


def listening(port: int = 0) -> socket.socket:
    """A socket that listens on ``port``, or on one of the system's choice."""
    return socket.create_server(("127.0.0.1", port))


def test_the_port_that_is_named_has_all_its_ports_free() -> None:
    """Where a port at a distance from the named one is taken, another is named."""
    first = int(re.findall(r"=(\d+)", ports_to_set())[0])
    with listening(first + BESIDE["ui_port"]):
        second = int(re.findall(r"=(\d+)", ports_to_set())[0])

    assert first < second
    assert all(is_free(second + distance) for distance in BESIDE.values())


@pytest.mark.parametrize("is_set", [True, False])
def test_a_taken_port_is_refused_with_the_setting_that_frees_it(tmp_path: Path, is_set: bool) -> None:
    """A port that was set is changed by its own setting; one that was not moves with the server's."""
    with ExitStack() as stack:
        ui_port = stack.enter_context(listening()).getsockname()[1]
        chosen = {"ui_port": ui_port} if is_set else {"server_port": ui_port - BESIDE["ui_port"]}
        settings = Settings.model_validate({"home": tmp_path, **chosen})
        expected = "set PARLEY_UI_PORT to a free port" if is_set else r"set PARLEY_SERVER_PORT=\d+ .the other ports"
        with pytest.raises(PortInUseError, match=f"port {ui_port} of this machine.*{expected}"):
            refuse_taken_port(settings, "ui_port")


def test_a_taken_port_of_the_server_is_refused_with_a_free_one(tmp_path: Path) -> None:
    """Also where it was set, a value is named with which all other ports are free, too."""
    with listening() as taken:
        settings = Settings(home=tmp_path, server_port=taken.getsockname()[1])
        with pytest.raises(PortInUseError, match=r"set PARLEY_SERVER_PORT=\d+ "):
            refuse_taken_port(settings, "server_port")
