"""What processes listen on, as Linux shows it."""

from collections.abc import Iterator
from pathlib import Path

_LISTENING = "0A"


def process_tree(root: int) -> set[int]:
    """A process and all that descend from it."""
    parents = dict(_parents())
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def listening_addresses(pids: set[int]) -> set[tuple[str, int]]:
    """The addresses and ports on which the processes accept TCP connections; IPv6 as the kernel writes it."""
    ours = {inode for pid in pids for inode in _socket_inodes(pid)}
    return {(address, port) for inode, address, port in _listening_sockets() if inode in ours}


def _parents() -> Iterator[tuple[int, int]]:
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            yield int(file.parent.name), int(file.read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue


def _socket_inodes(pid: int) -> Iterator[str]:
    for handle in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(handle.readlink())
        except FileNotFoundError:
            continue
        if target.startswith("socket:["):
            yield target.removeprefix("socket:[").rstrip("]")


def _listening_sockets() -> Iterator[tuple[str, str, int]]:
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            local, state, inode = (line.split()[column] for column in (1, 3, 9))
            address, _, port = local.partition(":")
            if state == _LISTENING:
                yield inode, _readable(address), int(port, 16)


def _readable(address: str) -> str:
    octets = bytes.fromhex(address)
    return ".".join(str(octet) for octet in reversed(octets)) if len(octets) == len("IPv4") else address
