"""The ledger: tables, migrations, journal, writing and reading."""
