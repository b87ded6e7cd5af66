"""Upgraded ledgers without lines, to be copied: to make one takes Alembic as long as most tests take."""

import shutil
from pathlib import Path

from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from tests.fakes.postgres import PrivatePostgres


class UpgradedLedgers:
    """One ledger of each kind, made in ``home`` when a test needs the first copy of it."""

    def __init__(self, home: Path) -> None:
        self._file = home / "upgraded.db"
        self._databases: dict[PrivatePostgres, str] = {}

    async def file(self, path: Path) -> str:
        """The address of a copy in SQLite, at ``path``."""
        if not self._file.exists():
            await _upgrade(f"sqlite:///{self._file}")
        shutil.copy(self._file, path)
        return f"sqlite:///{path}"

    async def database(self, server: PrivatePostgres) -> str:
        """The address of a copy in ``server``."""
        if server not in self._databases:
            url = await server.database()
            await _upgrade(url)
            self._databases[server] = url.partition("@/")[2].partition("?")[0]
        return await server.database(self._databases[server])


async def _upgrade(url: str) -> None:
    store = Store(url)
    await upgrade(store)
    await store.close()
