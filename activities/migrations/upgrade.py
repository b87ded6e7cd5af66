"""Bring the books to the shape this version writes.

Every worker does it when it starts. The whole upgrade is one transaction that nobody else can be in: SQLite's
``BEGIN IMMEDIATE`` and an advisory lock of PostgreSQL. A database that is not there yet, or is busy with another
worker's upgrade, is waited for.
"""

import asyncio
from pathlib import Path
from typing import Final

import structlog
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from activities.store import Store
from activities.store_errors import StoreBusyError, StoreRefusedError

PATIENCE: Final = 60.0
"""Seconds to wait for a database that cannot be reached or is busy."""

_HERE = Path(__file__).parent
_LOCK = 0x7061726C6579  # "parley": any number that no other program takes for its advisory lock
_PAUSE = 0.5

_log = structlog.get_logger(__name__)


class LedgerTooNewError(StoreRefusedError):
    """The database was upgraded by a newer version, whose rows this one could damage."""


async def upgrade(store: Store, patience: float = PATIENCE) -> None:
    """Upgrade from any earlier revision, or from nothing.

    Raises:
        LedgerTooNewError: a newer version was here.
        StoreBusyError: the database could not be reached, or was busy, for ``patience`` seconds.
        StoreError: it refused, or has no room.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + patience
    while True:
        try:
            await store.transaction(lambda connection: _upgrade(connection, store.shown))
        except StoreBusyError as error:
            if loop.time() + _PAUSE > end:
                raise
            _log.warning("upgrade_waited_for_store", reason=str(error))
            await asyncio.sleep(_PAUSE)
        else:
            return


def configured(connection: Connection) -> Config:
    """Alembic's configuration for the revisions here and this connection; there is no file to keep in step."""
    config = Config()
    config.set_main_option("script_location", str(_HERE).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _upgrade(connection: Connection, shown: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    config = configured(connection)
    known = {revision.revision for revision in ScriptDirectory.from_config(config).walk_revisions()}
    unknown = set(MigrationContext.configure(connection).get_current_heads()) - known
    if unknown:
        raise LedgerTooNewError(
            f"the ledger at {shown} has revision {', '.join(sorted(unknown))}, which this version does not know; "
            "install the newer version of Parley, or use another ledger"
        )
    command.upgrade(config, "head")
