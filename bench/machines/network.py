"""Machines on one computer: each has its own network, host name and processes (Linux, as root)."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NEEDED = ("ip", "unshare")
_TRIAL = ("unshare", "--net", "--uts", "--pid", "--fork", "ip", "link", "add", "trial", "type", "bridge")
_NAMED = 'hostname "$0" && exec "$@"'


class Machine:
    """A machine that is connected to the others by a cable."""

    def __init__(self, name: str, place: str) -> None:
        self.name = name
        self._place = place
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        """Start a program; its output is appended to ``log``."""
        alone = ("unshare", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", _NAMED, self.name)
        inside = ("ip", "netns", "exec", self._place)
        with log.open("ab") as out:
            started = subprocess.Popen(
                [*inside, *alone, *command],
                cwd=ROOT,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )
        self._running.append(started)

    def power_off(self) -> None:
        """End all its programs at once, and its connections without a word to the other side."""
        self.cut()
        for one in self._running:
            one.send_signal(signal.SIGKILL)
            one.wait()
        self._running.clear()

    def cut(self) -> None:
        """Pull its cable."""
        _ip("link", "set", self._place, "down")

    def mend(self) -> None:
        """Put its cable back in."""
        _ip("link", "set", self._place, "up")

    def lose(self, address: str) -> None:
        """Drop what it sends to ``address``; everything else arrives."""
        _ip("-n", self._place, "route", "add", "blackhole", address)

    def find(self, address: str) -> None:
        """Send what is for ``address`` again."""
        _ip("-n", self._place, "route", "del", "blackhole", address)


class Network:
    """A switch with two addresses of this computer and a number of machines."""

    def __init__(self) -> None:
        self._subnet = f"10.77.{os.getpid() % 250}"
        self._switch = f"parley{os.getpid()}"
        self.servers, self.models = f"{self._subnet}.1", f"{self._subnet}.2"
        self.all = f"{self._subnet}.0/24"

    @contextmanager
    def connected(self, *names: str) -> Iterator[list[Machine]]:
        """Yield machines of these names, and remove everything at the end."""
        machines = list[Machine]()
        _ip("link", "add", self._switch, "type", "bridge")
        try:
            for address in (self.servers, self.models):
                _ip("addr", "add", f"{address}/24", "dev", self._switch)
            _ip("link", "set", self._switch, "up")
            for number, name in enumerate(names, 10):
                place = f"{self._switch[6:]}-{number}"
                machines.append(Machine(name, place))
                self._connect(place, f"{self._subnet}.{number}/24")
            yield machines
        finally:
            for one in machines:
                one.power_off()
                _ip("netns", "del", one._place)  # noqa: SLF001 - this class has made it
            _ip("link", "del", self._switch)

    def _connect(self, place: str, address: str) -> None:
        _ip("netns", "add", place)
        _ip("link", "add", place, "type", "veth", "peer", "name", "cable", "netns", place)
        _ip("link", "set", place, "master", self._switch, "up")
        _ip("-n", place, "addr", "add", address, "dev", "cable")
        for device in ("cable", "lo"):
            _ip("-n", place, "link", "set", device, "up")


def missing() -> str | None:
    """Return what is missing here for such machines, or ``None``."""
    if os.geteuid() != 0:
        return "only root may make networks"
    absent = [name for name in _NEEDED if shutil.which(name) is None]
    if absent:
        return f"there is no program {absent[0]}"
    tried = subprocess.run(_TRIAL, check=False, capture_output=True, text=True)
    return f"no network can be made: {tried.stderr.strip()}" if tried.returncode else None


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)  # noqa: S607 - systems keep it in different places
