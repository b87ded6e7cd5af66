"""Alembic's environment: runs the revisions on the given connection and transaction."""

from alembic import context

from ledger import study_tables  # noqa: F401 - its tables are in METADATA, too
from ledger.tables import METADATA

# SQLite's DDL is transactional; Alembic thinks it is not, because of what Python's driver once did
context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
