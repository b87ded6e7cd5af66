"""A PostgreSQL server of our own: a fresh cluster in a temporary folder, reachable only through a socket there."""

import os
import pwd
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import quote

import asyncpg

_IN_MEMORY = "/dev/shm"  # noqa: S108 - mkdtemp makes a folder of its own there
_BYTES_OF_ALL = 2 * 1024**3
"""Space for eight test processes, twice: the databases and the log of each take 110 MB."""

_PREFIX = "parley-pg-"
_FIRST_TO_COPY_BY_LOG = 15
"""The first version that writes every page of a new database to its log unless it is asked to copy the files."""


class PostgresAbsentError(Exception):
    """The programs of a PostgreSQL server are not on this machine."""


class PrivatePostgres:
    """Starts with ``start``, ends with ``stop``; hands out empty databases."""

    def __init__(self) -> None:
        self._bin = _programs()
        folder = _fastest_folder()
        remove_left(folder)
        self._home = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=folder))
        self._count = 0
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root
            owner = pwd.getpwnam("postgres")
            os.chown(self._home, owner.pw_uid, owner.pw_gid)
        self._run("initdb", "--auth=trust", "--username=parley", "--no-sync", "--encoding=UTF8", "-D", str(self._data))

    @property
    def _data(self) -> Path:
        return self._home / "data"

    def start(self) -> None:
        """Start, or start again after ``halt``."""
        options = f"-c listen_addresses= -c unix_socket_directories={self._home} -c fsync=off -c max_wal_size=32MB"
        log = str(self._home / "log")
        self._run("pg_ctl", "-D", str(self._data), "-l", log, "-o", options, "-w", "start")

    def halt(self) -> None:
        """Stop as a crash does: open connections are cut."""
        self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "-w", "stop")

    def stop(self) -> None:
        """Stop and remove everything."""
        self.halt()
        self.remove()

    def remove(self) -> None:
        """Remove the files of a server that has stopped."""
        subprocess.run(["rm", "-rf", str(self._home)], check=False)  # a hundred thousand files: Python takes seconds

    async def database(self, template: str = "template1") -> str:
        """The URL of a new database like ``template``, by default an empty one."""
        self._count += 1
        name = f"books{self._count}"
        version = int((self._data / "PG_VERSION").read_text().partition(".")[0])
        strategy = " strategy file_copy" if version >= _FIRST_TO_COPY_BY_LOG else ""
        await self._execute(f"create database {name} template {template}{strategy}")
        return f"postgresql://parley@/{name}?host={quote(str(self._home), safe='')}"

    async def drop(self, url: str) -> None:
        """Drop the database at ``url``, with the connections to it: a hundred took gigabytes of memory."""
        await self._execute(f"drop database {url.split('/')[3].partition('?')[0]} with (force)")

    async def log(self, name: str) -> None:
        """Log every statement that is sent to a database from now on."""
        await self._execute(f"alter database {name} set log_statement = 'all'")

    def logged(self) -> list[str]:
        """The first lines of the logged statements, in order."""
        return re.findall("LOG:  (?:statement|execute [^:]*): (.*)", (self._home / "log").read_text())

    async def rename(self, name: str, to: str) -> None:
        """Rename a database, as before a restore: its connections are cut, and new ones are refused."""
        await self._execute(f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'")  # noqa: S608 - our own name
        await self._execute(f"alter database {name} rename to {to}")

    async def _execute(self, statement: str) -> None:
        connection = await asyncpg.connect(host=str(self._home), user="parley", database="postgres")
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._bin / program), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd="/", timeout=50)
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr}")


def _fastest_folder() -> str:
    """Memory where there is plenty: each of a hundred databases is three hundred files, to be written and removed."""
    try:
        found = os.statvfs(_IN_MEMORY)
    except FileNotFoundError:
        return tempfile.gettempdir()
    return _IN_MEMORY if found.f_bavail * found.f_frsize >= _BYTES_OF_ALL else tempfile.gettempdir()


def remove_left(folder: str) -> None:
    """Remove the databases of processes that were killed; a server without its files ends within a minute."""
    for home in Path(folder).glob(f"{_PREFIX}*-*"):
        try:
            os.kill(int(home.name.removeprefix(_PREFIX).partition("-")[0]), 0)
        except ProcessLookupError:
            subprocess.run(["rm", "-rf", str(home)], check=False)
        except PermissionError:
            continue  # a process of another user


def _programs() -> Path:
    found = shutil.which("initdb")
    places = [Path(found).parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    usable = next((place for place in places if (place / "pg_ctl").exists()), None)
    if usable is None:
        raise PostgresAbsentError("initdb and pg_ctl are not on this machine")
    return usable
