"""A PostgreSQL server for a benchmark, in a temporary directory that is removed afterwards."""

import asyncio
import os
import pwd
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from bench.installation import free_ports

_PROGRAMS = "/usr/lib/postgresql"
"""Where Debian keeps the programs of every version, outside of the path."""
_USER = "postgres"


class Ledger(NamedTuple):
    """A database that is ready to be used."""

    url: str
    process: int


@asynccontextmanager
async def postgresql(address: str = "127.0.0.1", clients: str = "127.0.0.1/32") -> AsyncIterator[Ledger]:
    """Run a server with the settings of ``initdb``, where a commit is flushed to disk.

    Args:
        address: On which it listens.
        clients: The addresses from which it is used.

    Raises:
        FileNotFoundError: PostgreSQL is not installed.
    """
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="parley-bench-postgresql-", ignore_cleanup_errors=True) as home:
        # The server refuses to be run by root, so its directory belongs to the user that the package made.
        user = _USER if os.getuid() == 0 else None
        if user is not None:
            os.chown(home, pwd.getpwnam(user).pw_uid, -1)
        data, port = f"{home}/data", free_ports(1)[0]
        await _run(programs / "initdb", "-D", data, "-U", "parley", "-A", "trust", "-E", "UTF8", user=user)
        await asyncio.to_thread(_let_in, Path(data, "pg_hba.conf"), clients)
        options = f"-p {port} -k {home} -c listen_addresses={address} -c max_connections=200"
        await _run(programs / "pg_ctl", "-D", data, "-w", "-l", f"{home}/log", "-o", options, "start", user=user)
        try:
            noted = await asyncio.to_thread(Path(data, "postmaster.pid").read_text, "ascii")
            yield Ledger(f"postgresql://parley@{address}:{port}/postgres", int(noted.splitlines()[0]))
        finally:
            await _run(programs / "pg_ctl", "-D", data, "-m", "fast", "stop", user=user)


def _programs() -> Path:
    on_path = shutil.which("initdb")
    found = [Path(on_path).parent] if on_path else sorted(Path(_PROGRAMS).glob("*/bin"))
    if not found:
        raise FileNotFoundError("PostgreSQL is not installed: there is no initdb")
    return found[-1]


def _let_in(file: Path, clients: str) -> None:
    with file.open("a", encoding="ascii") as lines:
        lines.write(f"host all all {clients} trust\n")


async def _run(program: Path, *arguments: str, user: str | None) -> None:
    process = await asyncio.create_subprocess_exec(
        program, *arguments, user=user, cwd="/", stdout=asyncio.subprocess.DEVNULL
    )
    if await process.wait():
        raise RuntimeError(f"{program.name} ended with {process.returncode}")
