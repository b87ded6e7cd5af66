"""Errors of the store, made of the exceptions of the database layers.

A module of its own, because every command knows those errors, and SQLAlchemy takes a tenth of what a command imports.
"""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionFreeError

from ledger.store_errors import (
    StoreAddressError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    StoreNoEntryError,
    StoreRefusedError,
)

_SQLITE_ERROR = 1  # the statement itself: no such table, a syntax error
_SQLITE_FULL = 13
_POSTGRESQL_FULL = "53100"
_NO_DATABASE = "SQLITE_NOTADB"
_NO_ENTRY = ("28", "3D000")
"""SQLSTATE of a user, a password or a database that is not known there."""
_URL = "PARLEY_DATABASE_URL"
_PASSING_STATES = ("08", "25006", "40", "53", "55", "57", "58")
"""SQLSTATE classes that pass: connection, standby, serialisation, resources, locks, operator, system."""


@contextmanager
def classify() -> Iterator[None]:
    """Turn what the database layers raise inside the block into an error of the store."""
    try:
        yield
    except (DBAPIError, NoConnectionFreeError, sqlite3.Error, OSError) as error:
        # The cause is cut off on purpose: its text can hold the statement's values and the address.
        raise _classified(error) from None


def _classified(error: DBAPIError | NoConnectionFreeError | sqlite3.Error | OSError) -> StoreError:
    origin: Any = (error.orig if isinstance(error, DBAPIError) else None) or error
    state = str(getattr(origin, "sqlstate", None) or getattr(origin, "sqlite_errorname", None) or "")
    cause = origin.__cause__ or origin
    name = " ".join(part for part in (type(cause).__name__, state) if part)
    if _is_full(origin, state):
        return StoreFullError(f"the ledger has no space left ({name}); free some space and it continues")
    if state == _NO_DATABASE:
        return StoreAddressError(f"the ledger's file is no SQLite database; move it away, or correct {_URL}")
    if state.startswith(_NO_ENTRY):
        said = f"the ledger's database does not let this user in ({name}); correct user, password or name in {_URL}"
        return StoreNoEntryError(said)
    if _is_of_database(error) and _is_final(origin, cause, state):
        return StoreRefusedError(f"the ledger's database refused a statement ({name})")
    if isinstance(cause, OSError):
        return StoreBusyError(f"the ledger's database cannot be reached ({name}): does it run, and is {_URL} right?")
    return StoreBusyError(f"the ledger's database is locked or cannot be reached ({name})")


def _is_of_database(error: Exception) -> bool:
    """Return whether the database answered, and refused."""
    if isinstance(error, DBAPIError):
        return not error.connection_invalidated
    return isinstance(error, sqlite3.Error)


def _is_full(origin: Any, state: str) -> bool:
    return (
        getattr(origin, "sqlite_errorcode", 0) & 0xFF == _SQLITE_FULL
        or state == _POSTGRESQL_FULL
        or getattr(origin, "errno", None) == errno.ENOSPC
    )


def _is_final(origin: Any, cause: Any, state: str) -> bool:
    if hasattr(origin, "sqlite_errorcode"):
        return type(origin).__name__ != "OperationalError" or origin.sqlite_errorcode == _SQLITE_ERROR
    # asyncpg refuses a value that it cannot encode before the server sees it, without a state
    return isinstance(cause, ValueError) or (bool(state) and not state.startswith(_PASSING_STATES))
