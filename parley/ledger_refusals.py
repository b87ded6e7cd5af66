"""Refusals of the ledger as errors with a remedy."""

from ledger.store_errors import StoreAddressError, StoreBusyError, StoreError
from parley.errors import RequestError


def ledger_refusal(error: StoreError) -> RequestError:
    """Return what a command says when the ledger cannot be read; a worker is no remedy for a wrong address."""
    if isinstance(error, (StoreAddressError, StoreBusyError)):
        return RequestError(str(error))
    return RequestError(f"{error}\nA worker brings an older one up to date when it starts: parley up")
