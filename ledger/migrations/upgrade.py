"""Upgrade of the ledger to the schema of this version.

Every worker does it when it starts. The whole upgrade is one transaction that excludes all others: SQLite's
``BEGIN IMMEDIATE`` and an advisory lock of PostgreSQL. A database that is not there yet, or is busy with another
worker's upgrade, is waited for. A ledger that a newer version has upgraded is used as it is while its revisions only
added to it, so that old code can be put back and workers be upgraded one by one.
"""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog
from sqlalchemy import Connection, inspect, text

from ledger.store import Store
from ledger.store_errors import StoreBusyError, StoreNoEntryError, StoreRefusedError
from ledger.tables import METADATA

if TYPE_CHECKING:  # a worker on a ledger of its version starts without Alembic
    from alembic.config import Config

PATIENCE: Final = 60.0
"""Seconds to wait for a database that cannot be reached or is busy."""

_HERE = Path(__file__).parent
_NEWEST = max(file.name for file in (_HERE / "versions").glob("r*.py")).partition("_")[0]
_LOCK = 0x7061726C6579  # "parley": any number that no other program takes for its advisory lock
_PAUSE = 0.5

_log = structlog.get_logger(__name__)


_UNRELEASED = frozenset({*(f"{number:04}" for number in range(1, 8)), "r0001"})
"""Revisions that were never released; no code reads what they hold."""


class LedgerTooOldError(StoreRefusedError):
    """The database was written by a version that was never released."""


class LedgerTooNewError(StoreRefusedError):
    """The database was upgraded by a newer version, and this one cannot write to it any more."""


async def upgrade(store: Store, patience: float = PATIENCE) -> None:
    """Upgrade from any earlier revision, or from nothing.

    Raises:
        LedgerTooNewError: a newer version was here.
        LedgerTooOldError: a version that was never released was here.
        StoreBusyError: the user was refused, or the database was busy or out of reach for ``patience`` seconds.
        StoreError: the database refused, or its disk is full.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + patience
    while True:
        try:
            await store.transaction(lambda connection: _upgrade(connection, store.shown))
        except StoreBusyError as error:
            if isinstance(error, StoreNoEntryError) or loop.time() + _PAUSE > end:
                raise
            _log.warning("upgrade_waited_for_store", reason=str(error))
            await asyncio.sleep(_PAUSE)
        else:
            return


def configured(connection: Connection) -> "Config":
    """Return Alembic's configuration for these revisions and this connection, without a file."""
    from alembic.config import Config  # noqa: PLC0415 - see above

    config = Config()
    config.set_main_option("script_location", str(_HERE).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _upgrade(connection: Connection, shown: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    if _is_newest(connection):
        return
    from alembic import command  # noqa: PLC0415 - see above
    from alembic.runtime.migration import MigrationContext  # noqa: PLC0415 - the same
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - the same

    config = configured(connection)
    known = {revision.revision for revision in ScriptDirectory.from_config(config).walk_revisions()}
    unknown = set(MigrationContext.configure(connection).get_current_heads()) - known
    if not unknown:
        command.upgrade(config, "head")
        return
    revision = ", ".join(sorted(unknown))
    if unknown & _UNRELEASED:
        raise LedgerTooOldError(
            f"the ledger at {shown} was written by a version of Parley before its first release, and cannot be read; "
            "move it away, or set PARLEY_DATABASE_URL to another one"
        )
    if unfit := unfit_for_us(connection):
        raise LedgerTooNewError(
            f"the ledger at {shown} has revision {revision}, which this version does not know and cannot write to "
            f"({', '.join(unfit)}); install the newer version of Parley, or use another ledger"
        )
    _log.warning("ledger_is_newer", revision=revision, ledger=shown)


def _is_newest(connection: Connection) -> bool:
    if not inspect(connection).has_table("alembic_version"):
        return False
    return list(connection.scalars(text("select version_num from alembic_version"))) == [_NEWEST]


def unfit_for_us(connection: Connection) -> list[str]:
    """Return what keeps this version from writing to a newer ledger; nothing when revisions only added to it."""
    found = inspect(connection)
    tables = set(found.get_table_names())
    unfit: list[str] = []
    for table in METADATA.sorted_tables:
        if table.name not in tables:
            unfit.append(f"{table.name} is missing")
            continue
        ours = {column.name for column in table.columns}
        there = {column["name"]: column for column in found.get_columns(table.name)}
        unfit += [f"{table.name}.{name} is missing" for name in sorted(ours) if name not in there]
        unfit += [
            f"{table.name}.{name} must be given"
            for name, column in there.items()
            if name not in ours and not column["nullable"] and column["default"] is None
        ]
    return unfit
