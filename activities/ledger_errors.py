"""Failures of the ledger's activities, by what Temporal can do about them."""

from collections.abc import Iterator
from contextlib import contextmanager

from temporalio.exceptions import ApplicationError

from ledger.store import Store
from ledger.store_errors import StoreError, StoreRefusedError


class StoreActivities:
    """The base of the classes whose activities use the ledger."""

    def __init__(self, store: Store) -> None:
        self._store = store


@contextmanager
def failing_clearly() -> Iterator[None]:
    """Turn what the store raises inside the block into a failure with a type.

    Raises:
        ApplicationError: of type ``store.busy`` or ``store.full`` (tried again) or ``store.refused`` (final).
    """
    try:
        yield
    except StoreError as error:
        final = isinstance(error, StoreRefusedError)
        raise ApplicationError(str(error), type=error.kind, non_retryable=final) from None
