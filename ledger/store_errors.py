"""Errors of the store, classified by what a caller can do.

What SQLAlchemy, the two drivers and the operating system raise becomes one of these::

    StoreError
    ├── StoreBusyError      locked, unreachable, no connection free: try again          store.busy
    │   └── StoreNoEntryError   the server does not let this user in, or not now
    ├── StoreFullError      the disk is full: try again when there is space              store.full
    └── StoreRefusedError   this statement or this address will never work              store.refused
        └── StoreAddressError   the URL names no database that can be used

Their text is made from the names of errors and states alone, never from a statement, its values or the URL.
"""


class StoreError(Exception):
    """An error of the store; its text is safe to show and to record."""

    kind = "store.error"


class StoreBusyError(StoreError):
    """Locked, unreachable or without a free connection: the same statement works later."""

    kind = "store.busy"


class StoreNoEntryError(StoreBusyError):
    """The server knows no such user, password or database, as also while one is changed or restored."""


class StoreFullError(StoreError):
    """A full disk or database: the same statement succeeds with free space."""

    kind = "store.full"


class StoreRefusedError(StoreError):
    """The same statement never works, however often it is tried."""

    kind = "store.refused"


class StoreAddressError(StoreRefusedError):
    """The URL names no database that can be used."""
