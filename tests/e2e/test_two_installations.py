"""Two directories, two ``parley up`` and a stranger's server on one machine: nothing crosses."""

import json
import re
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from runtime.server_flags import program
from tests.fakes.listening import listening_addresses, process_tree
from tests.fakes.parley_up import Up, running_up, until, variables_in
from tests.fakes.programs import PARLEY, ROOT, run_program

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.timeout(240),
    pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="listening ports are read in /proc, which Linux has"),
]

COUNCIL = ("council", "Why is the sky blue?", "--rehearse", "--models", "a,b,c", "--chair", "a")
PARTS_OF_THE_SERVER = 3
"""Ports that the server opens between its own parts, which the system chooses."""


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """An installation in its own directory, with everything running and one council held."""
    with running_up(tmp_path_factory.mktemp("one") / ".parley", 0) as running:
        assert 0 == called(running.variables, *COUNCIL, "--id", "first").returncode
        yield running


@contextmanager
def strangers_server(directory: Path, variables: dict[str, str]) -> Iterator[str]:
    """An engineer's own ``temporal server start-dev`` on the usual port; its address."""
    port, ui = variables["PARLEY_SERVER_PORT"], variables["PARLEY_UI_PORT"]
    command = [str(program()), "server", "start-dev", "--ip", "127.0.0.1", "--port", port, "--ui-port", ui]
    with (directory / "stranger.log").open("wb") as lines:
        process = subprocess.Popen(command, stdout=lines, stderr=lines)
    try:
        until(lambda: 0 == temporal(f"127.0.0.1:{port}", "operator", "cluster", "health").returncode)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def temporal(address: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What Temporal's own command line states of a server."""
    command = [str(program()), *arguments, "--address", address]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def called(variables: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """A ``parley`` command that ended, with what it printed."""
    return run_program([PARLEY, *arguments], variables)


def elsewhere(up: Up, home: Path) -> dict[str, str]:
    """The environment of another home that has the same ports."""
    return {**up.variables, "PARLEY_HOME": str(home)}


def namespace_of(address: str) -> dict[str, Any]:
    """Temporal's description of the default namespace."""
    described = temporal(address, "operator", "namespace", "describe", "--namespace", "default", "--output", "json")
    found: dict[str, Any] = json.loads(described.stdout)
    return found


def documented_ports() -> list[str]:
    """The settings of the operating guide's table of ports."""
    guide = (ROOT / "docs" / "operating.md").read_text("utf-8")
    return re.findall(r"^\| \d+ \| `(PARLEY_\w+_PORT)` \|", guide, re.MULTILINE)


@pytest.mark.parametrize("command", [COUNCIL, ("up",), ("list",), ("watch", "first"), ("cancel", "first")])
def test_another_directory_is_refused(up: Up, tmp_path: Path, command: tuple[str, ...]) -> None:
    """Whatever a command wants, it states whose server answers and both remedies, and makes nothing on either side."""
    before = temporal(f"127.0.0.1:{up.variables['PARLEY_SERVER_PORT']}", "workflow", "count").stdout
    refused = called(elsewhere(up, tmp_path / ".parley"), *command)

    assert (3, "") == (refused.returncode, refused.stdout), refused.stderr
    assert f"{up.home}; this one is {tmp_path / '.parley'}" in refused.stderr
    assert f"PARLEY_HOME={up.home}" in refused.stderr
    assert "PARLEY_SERVER_PORT" in refused.stderr
    assert before == temporal(f"127.0.0.1:{up.variables['PARLEY_SERVER_PORT']}", "workflow", "count").stdout
    assert not (tmp_path / ".parley").exists()


def test_a_worker_of_another_directory_ends(up: Up, tmp_path: Path) -> None:
    """A worker that is sent to a server of another installation says whose it is and polls nothing."""
    address = f"127.0.0.1:{up.variables['PARLEY_SERVER_PORT']}"
    told = {**elsewhere(up, tmp_path / ".parley"), "TEMPORAL_ADDRESS": address}
    worker = run_program(["worker"], told)

    assert 1 == worker.returncode
    assert f"serves another installation of Parley, {_machine()}:{up.home}" in worker.stderr


def test_a_second_up_names_the_first(up: Up) -> None:
    """In one home ``parley up`` runs once; the second one says which process it is, its address and its remedy."""
    refused = called({**up.variables, "PARLEY_UI_PORT": "1"}, "up")

    assert 2 == refused.returncode
    assert f"runs here already (pid {up.process.pid}, home {up.home})" in refused.stderr
    assert f"http://localhost:{up.variables['PARLEY_UI_PORT']}" in refused.stderr
    assert f"kill {up.process.pid}" in refused.stderr


def test_the_doctor_of_both_directories_compares(up: Up, tmp_path: Path) -> None:
    """At home the installation is in order; in another directory it is not, with the remedy."""
    here = json.loads(called(up.variables, "doctor", "--json").stdout)
    there = json.loads(called(elsewhere(up, tmp_path / ".parley"), "doctor", "--json").stdout)
    (ours,), (theirs,) = ([c for c in found["checks"] if c["name"] == "installation"] for found in (here, there))

    assert (True, False) == (ours["ok"], theirs["ok"])
    assert f"PARLEY_HOME={up.home}" in theirs["remedy"]


def test_a_strangers_server_is_left_as_it_is(tmp_path: Path) -> None:
    """A server without a mark gets no column, no retention and no mark; when it is configured it is used and marked."""
    variables = variables_in(tmp_path / ".parley")
    with strangers_server(tmp_path, variables) as address:
        before = namespace_of(address)
        refused = called(variables, *COUNCIL)
        columns = temporal(address, "operator", "search-attribute", "list").stdout
        untouched = namespace_of(address)
        held = called({**variables, "TEMPORAL_ADDRESS": address}, *COUNCIL)
        marked = namespace_of(address)["namespaceInfo"]["data"]

    assert 3 == refused.returncode
    assert f"belongs to no installation of Parley. To use it all the same: TEMPORAL_ADDRESS={address}" in refused.stderr
    assert before == untouched
    assert "StopReason" not in columns
    assert 0 == held.returncode, held.stderr
    assert str(tmp_path / ".parley") in next(place for key, place in marked.items() if "installation" in key)


def test_every_listening_port_stands_in_the_operating_guide(up: Up, capsys: pytest.CaptureFixture[str]) -> None:
    """What ``parley up`` and its children listen on is the guide's table, on loopback alone."""
    found = listening_addresses(process_tree(up.process.pid))
    expected = {int(up.variables[setting]) for setting in documented_ports()}
    with capsys.disabled():
        print("\n  " + ", ".join(f"{address}:{port}" for address, port in sorted(found)))

    assert {"127.0.0.1"} == {address for address, _ in found}
    assert expected <= {port for _, port in found}
    assert PARTS_OF_THE_SERVER == len({port for _, port in found} - expected)


def test_everything_in_the_home_is_closed_to_others(up: Up, capsys: pytest.CaptureFixture[str]) -> None:
    """Whichever process made it first, a directory has mode 0700 and a file 0600."""
    found = {path: stat.S_IMODE(path.stat().st_mode) for path in (up.home, *up.home.rglob("*")) if path.exists()}
    with capsys.disabled():
        print("\n  " + ", ".join(f"{mode:o} {path.relative_to(up.home)}" for path, mode in sorted(found.items())))

    assert {path: 0o700 if path.is_dir() else 0o600 for path in found} == found


def _machine() -> str:
    return subprocess.check_output(["uname", "-n"], text=True).strip()
