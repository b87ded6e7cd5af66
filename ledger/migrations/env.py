"""What Alembic runs for every command: the revisions, on the connection and in the transaction it was given."""

from alembic import context

from ledger import study_tables  # noqa: F401 - its tables are in METADATA, too
from ledger.tables import METADATA

# SQLite's DDL is transactional; Alembic thinks it is not, because of what Python's driver once did
context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
