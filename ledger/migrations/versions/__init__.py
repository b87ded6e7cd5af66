"""One file per revision of the ledger, oldest first."""
