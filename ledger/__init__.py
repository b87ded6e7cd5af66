"""The ledger: its tables, what is written and what is read."""
